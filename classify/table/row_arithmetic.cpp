#include "classify/table/row_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/table/row_arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

// Shared by the copies of every instruction set.
#ifndef LEAFGLYPH_KNN_ROW_ARITHMETIC_ONCE
#define LEAFGLYPH_KNN_ROW_ARITHMETIC_ONCE
namespace leafglyph {

/// Columns of a row and their scales.
struct ScaledColumns {
  const float* values;
  const double *offset, *scale, *limit;
  float* scaled;
  std::size_t count;
};

/// Rows that are multiplied at a time: with two registers of a matrix row each, as many sums as 16
/// registers can hold.
inline constexpr std::size_t kRowsTogether = 6;
/// Numbers of a matrix row that are multiplied at a time: two of the widest registers.
inline constexpr std::size_t kStrip = 32;

struct RowKernels {
  /// Scales columns. Of moments the logarithm is taken if `log_floor` is not 0. `rounder` is 1.5 *
  /// 2^52 times the grid, or 0.
  void (*scale)(const ScaledColumns& columns, double log_floor, double rounder);
  /// Adds the products of kRowsTogether rows (column c of row i at rows[c * kRowsTogether + i]) and
  /// a strip of a matrix (its row c at strip[c * kStrip]) to `sums`.
  void (*add_products)(const float* rows, std::size_t columns, const float* strip,
                       double (*sums)[kStrip]);
};

}  // namespace leafglyph
#endif

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<double, 8> kDoubles;
constexpr hn::Rebind<float, hn::CappedTag<double, 8>> kNarrowed;
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
  Doubles value = hn::PromoteTo(kDoubles, hn::LoadU(kNarrowed, columns.values + c));
  if (log_floor != 0) value = log_of(hn::Add(value, hn::Set(kDoubles, log_floor)));
  const Doubles scale = hn::LoadU(kDoubles, columns.scale + c);
  const Doubles limit = hn::LoadU(kDoubles, columns.limit + c);
  const Doubles off = hn::Mul(hn::Sub(value, hn::LoadU(kDoubles, columns.offset + c)), scale);
  // Comparisons keep NaN.
  Doubles limited = hn::IfThenElse(hn::Gt(off, limit), limit, off);
  limited = hn::IfThenElse(hn::Lt(limited, hn::Neg(limit)), hn::Neg(limit), limited);
  limited = hn::IfThenZeroElse(hn::Eq(scale, hn::Zero(kDoubles)), limited);
  auto scaled = hn::DemoteTo(kNarrowed, limited);
  if (rounder != 0) {
    const Doubles large = hn::Set(kDoubles, rounder);
    scaled =
        hn::DemoteTo(kNarrowed, hn::Sub(hn::Add(hn::PromoteTo(kDoubles, scaled), large), large));
  }
  hn::StoreU(scaled, kNarrowed, columns.scaled + c);
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

constexpr hn::CappedTag<float, 16> kFloats;
using Floats = hn::Vec<hn::CappedTag<float, 16>>;

// The sums of two registers of numbers stay in registers over all columns.
void add_products(const float* rows, std::size_t columns, const float* strip,
                  double (*sums)[kStrip]) {
  const std::size_t lanes = hn::Lanes(kFloats);
  float of_columns[kRowsTogether][kStrip];
  for (std::size_t j = 0; j < kStrip; j += 2 * lanes) {
    Floats low[kRowsTogether], high[kRowsTogether];
    for (std::size_t i = 0; i < kRowsTogether; ++i) low[i] = high[i] = hn::Zero(kFloats);
    for (std::size_t c = 0; c < columns; ++c) {
      const Floats first = hn::LoadU(kFloats, strip + c * kStrip + j);
      const Floats second = hn::LoadU(kFloats, strip + c * kStrip + j + lanes);
      for (std::size_t i = 0; i < kRowsTogether; ++i) {
        const Floats value = hn::Set(kFloats, rows[c * kRowsTogether + i]);
        low[i] = hn::MulAdd(value, first, low[i]);
        high[i] = hn::MulAdd(value, second, high[i]);
      }
    }
    for (std::size_t i = 0; i < kRowsTogether; ++i) {
      hn::StoreU(low[i], kFloats, of_columns[i] + j);
      hn::StoreU(high[i], kFloats, of_columns[i] + j + lanes);
    }
  }
  for (std::size_t i = 0; i < kRowsTogether; ++i) {
    for (std::size_t j = 0; j < kStrip; ++j) sums[i][j] += of_columns[i][j];
  }
}

constexpr RowKernels kTable = {&scale, &add_products};
const RowKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {

LEAFGLYPH_FASTEST_TABLE(RowKernels, row_kernels)

}  // namespace

std::vector<float> scaled_rows(const FeatureLayout& layout, std::span<const float> rows,
                               const ColumnScales& scales, double log_floor, float grid) {
  std::vector<float> scaled(rows.size());
  scale_rows(layout, rows, scales, log_floor, grid, scaled);
  return scaled;
}

void scale_rows(const FeatureLayout& layout, std::span<const float> rows,
                const ColumnScales& scales, double log_floor, float grid, std::span<float> scaled) {
  const std::size_t columns = layout.columns();
  if (scales.scale.size() != columns || scaled.size() != rows.size()) {
    throw UsageError("the scales are those of other columns");
  }
  const double rounder = 0x1.8p52 * static_cast<double>(grid);
  std::vector<std::size_t> widths;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) widths.push_back(layout.width(g));
  parallel_for({rows.size() / columns, /*at_a_time=*/16}, [&](std::size_t i) {
    std::size_t first = 0;
    for (std::size_t g = 0; g < widths.size(); ++g) {
      const bool is_moments = layout.groups[g].kind == ColumnKind::kMoments;
      row_kernels().scale({rows.data() + i * columns + first, scales.offset.data() + first,
                           scales.scale.data() + first, scales.limit.data() + first,
                           scaled.data() + i * columns + first, widths[g]},
                          is_moments ? log_floor : 0, rounder);
      first += widths[g];
    }
  });
}

// The last strip is filled up with zeros.
RowProducts::RowProducts(std::span<const double> matrix, std::size_t columns)
    : columns_(columns), length_(columns == 0 ? 0 : matrix.size() / columns) {
  if (matrix.size() != columns_ * length_) {
    throw UsageError("RowProducts: the matrix does not have that many rows");
  }
  const std::size_t strips = (length_ + kStrip - 1) / kStrip;
  strips_.resize(strips * columns_ * kStrip);
  for (std::size_t c = 0; c < columns_; ++c) {
    for (std::size_t j = 0; j < length_; ++j) {
      strips_[(j / kStrip * columns_ + c) * kStrip + j % kStrip] =
          static_cast<float>(matrix[c * length_ + j]);
    }
  }
}

// The columns of a block of one strip stay in the first cache while all rows are multiplied.
void RowProducts::multiply(std::span<const float> rows, std::size_t count,
                           std::span<double> products) const {
  if (rows.size() != count * columns_ || products.size() != count * length_) {
    throw UsageError("RowProducts: the rows do not fit the matrix");
  }
  const std::size_t groups = (count + kRowsTogether - 1) / kRowsTogether;
  const std::size_t strips = (length_ + kStrip - 1) / kStrip;
  // The last group is filled up with rows of 0.
  std::vector<float> together(groups * kRowsTogether * columns_);
  for (std::size_t i = 0; i < count; ++i) {
    float* group = &together[i / kRowsTogether * kRowsTogether * columns_];
    for (std::size_t c = 0; c < columns_; ++c) {
      group[c * kRowsTogether + i % kRowsTogether] = rows[i * columns_ + c];
    }
  }
  std::vector<double> sums(groups * strips * kRowsTogether * kStrip);
  for (std::size_t first = 0; first < columns_; first += kBlock) {
    const std::size_t present = std::min(kBlock, columns_ - first);
    for (std::size_t strip = 0; strip < strips; ++strip) {
      const float* weights = &strips_[(strip * columns_ + first) * kStrip];
      for (std::size_t group = 0; group < groups; ++group) {
        auto* const of_group = reinterpret_cast<double(*)[kStrip]>(
            &sums[(group * strips + strip) * kRowsTogether * kStrip]);
        row_kernels().add_products(&together[(group * columns_ + first) * kRowsTogether], present,
                                   weights, of_group);
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < length_; ++j) {
      const std::size_t place = (i / kRowsTogether * strips + j / kStrip) * kRowsTogether;
      products[i * length_ + j] = sums[(place + i % kRowsTogether) * kStrip + j % kStrip];
    }
  }
}

}  // namespace leafglyph
#endif
