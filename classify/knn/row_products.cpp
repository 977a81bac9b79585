#include "classify/knn/row_products.h"

#include <algorithm>

#include "features/base/errors.h"
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/knn/row_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Shared by the copies of every instruction set.
#ifndef LEAFGLYPH_KNN_ROW_PRODUCTS_ONCE
#define LEAFGLYPH_KNN_ROW_PRODUCTS_ONCE
namespace leafglyph {

/// Rows that are multiplied at a time: with two registers of a matrix row each, as many sums as 16
/// registers can hold.
inline constexpr std::size_t kRowsTogether = 6;
/// Numbers of a matrix row that are multiplied at a time: two of the widest registers.
inline constexpr std::size_t kStrip = 32;

struct RowProductKernels {
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

constexpr RowProductKernels kTable = {&add_products};
const RowProductKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {

LEAFGLYPH_FASTEST_TABLE(RowProductKernels, row_product_kernels)

}  // namespace

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
        row_product_kernels().add_products(&together[(group * columns_ + first) * kRowsTogether],
                                           present, weights, of_group);
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
