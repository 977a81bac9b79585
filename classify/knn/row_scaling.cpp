#include "classify/knn/row_scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/knn/row_scaling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

// Shared by the copies of every instruction set.
#ifndef LEAFGLYPH_KNN_ROW_SCALING_ONCE
#define LEAFGLYPH_KNN_ROW_SCALING_ONCE
namespace leafglyph {

/// Columns of a row and their scales.
struct ScaledColumns {
  const float* values;
  const double *offset, *scale, *limit;
  float* scaled;
  std::size_t count;
};

struct RowScalingKernels {
  /// Scales columns. Of moments the logarithm is taken if `log_floor` is not 0. `rounder` is 1.5 *
  /// 2^52 times the grid, or 0.
  void (*scale)(const ScaledColumns& columns, double log_floor, double rounder);
};

}  // namespace leafglyph
#endif

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<double, 8> kDoubles;
constexpr hn::Rebind<float, hn::CappedTag<double, 8>> kFloats;
using Doubles = hn::Vec<hn::CappedTag<double, 8>>;
constexpr std::size_t kLanes = hn::MaxLanes(kDoubles);

// Highway's logarithm is only for positive finite numbers.
Doubles log_of(Doubles values) {
  const auto usual =
      hn::And(hn::Gt(values, hn::Zero(kDoubles)),
              hn::Lt(values, hn::Set(kDoubles, std::numeric_limits<double>::infinity())));
  if (hn::AllTrue(kDoubles, usual)) return hn::Log(kDoubles, values);
  double all[kLanes];
  hn::StoreU(values, kDoubles, all);
  for (double& value : all) value = std::log(value);
  return hn::LoadU(kDoubles, all);
}

// kLanes columns. A sum with 1.5 * 2^52 multiples of the grid has no room for parts of one.
void scale_lanes(const ScaledColumns& columns, std::size_t c, double log_floor, double rounder) {
  Doubles value = hn::PromoteTo(kDoubles, hn::LoadU(kFloats, columns.values + c));
  if (log_floor != 0) value = log_of(hn::Add(value, hn::Set(kDoubles, log_floor)));
  const Doubles scale = hn::LoadU(kDoubles, columns.scale + c);
  const Doubles limit = hn::LoadU(kDoubles, columns.limit + c);
  const Doubles off = hn::Mul(hn::Sub(value, hn::LoadU(kDoubles, columns.offset + c)), scale);
  // Comparisons keep NaN.
  Doubles limited = hn::IfThenElse(hn::Gt(off, limit), limit, off);
  limited = hn::IfThenElse(hn::Lt(limited, hn::Neg(limit)), hn::Neg(limit), limited);
  limited = hn::IfThenZeroElse(hn::Eq(scale, hn::Zero(kDoubles)), limited);
  auto scaled = hn::DemoteTo(kFloats, limited);
  if (rounder != 0) {
    const Doubles large = hn::Set(kDoubles, rounder);
    scaled = hn::DemoteTo(kFloats, hn::Sub(hn::Add(hn::PromoteTo(kDoubles, scaled), large), large));
  }
  hn::StoreU(scaled, kFloats, columns.scaled + c);
}

void scale(const ScaledColumns& columns, double log_floor, double rounder) {
  std::size_t c = 0;
  for (; c + kLanes <= columns.count; c += kLanes) scale_lanes(columns, c, log_floor, rounder);
  const std::size_t left = columns.count - c;
  if (left == 0) return;
  // The last columns are filled up with dropped ones.
  float values[kLanes] = {}, scaled[kLanes];
  double offset[kLanes] = {}, factor[kLanes] = {}, limit[kLanes] = {};
  std::copy_n(columns.values + c, left, values);
  std::copy_n(columns.offset + c, left, offset);
  std::copy_n(columns.scale + c, left, factor);
  std::copy_n(columns.limit + c, left, limit);
  scale_lanes({values, offset, factor, limit, scaled, kLanes}, 0, log_floor, rounder);
  std::copy_n(scaled, left, columns.scaled + c);
}

constexpr RowScalingKernels kTable = {&scale};
const RowScalingKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {

LEAFGLYPH_FASTEST_TABLE(RowScalingKernels, row_scaling_kernels)

}  // namespace

std::vector<float> scaled_rows(const FeatureLayout& layout, std::span<const float> rows,
                               const ColumnScales& scales, double log_floor, float grid) {
  const std::size_t columns = layout.columns();
  if (scales.scale.size() != columns) throw UsageError("the scales are those of other columns");
  const double rounder = 0x1.8p52 * static_cast<double>(grid);
  std::vector<std::size_t> widths;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) widths.push_back(layout.width(g));
  std::vector<float> result(rows.size());
  parallel_for({rows.size() / columns, /*at_a_time=*/16}, [&](std::size_t i) {
    std::size_t first = 0;
    for (std::size_t g = 0; g < widths.size(); ++g) {
      const bool is_moments = layout.groups[g].kind == ColumnKind::kMoments;
      row_scaling_kernels().scale({rows.data() + i * columns + first, scales.offset.data() + first,
                                   scales.scale.data() + first, scales.limit.data() + first,
                                   result.data() + i * columns + first, widths[g]},
                                  is_moments ? log_floor : 0, rounder);
      first += widths[g];
    }
  });
  return result;
}

}  // namespace leafglyph
#endif
