#include "classify/knn/row_products.h"

#include <algorithm>
#include <vector>

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

/// Rows that are multiplied at a time.
inline constexpr std::size_t kRowsTogether = 4;
/// Directions that are summed at a time: two of the widest registers.
inline constexpr std::size_t kStrip = 16;

struct RowProductKernels {
  /// The products of kRowsTogether rows (column c of row i at rows[c * kRowsTogether + i]) and a
  /// strip of a matrix whose rows are `stride` numbers apart.
  void (*strip)(const double* rows, std::size_t columns, const double* matrix, std::size_t stride,
                double (*products)[kStrip]);
};

}  // namespace leafglyph
#endif

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<double, 8> kDoubles;
using Doubles = hn::Vec<hn::CappedTag<double, 8>>;

// The sums of two registers of directions stay in registers over all columns.
void strip(const double* rows, std::size_t columns, const double* matrix, std::size_t stride,
           double (*products)[kStrip]) {
  const std::size_t lanes = hn::Lanes(kDoubles);
  for (std::size_t j = 0; j < kStrip; j += 2 * lanes) {
    Doubles low[kRowsTogether], high[kRowsTogether];
    for (std::size_t i = 0; i < kRowsTogether; ++i) low[i] = high[i] = hn::Zero(kDoubles);
    const double* weights = matrix + j;
    for (std::size_t c = 0; c < columns; ++c) {
      const Doubles first = hn::LoadU(kDoubles, weights + c * stride);
      const Doubles second = hn::LoadU(kDoubles, weights + c * stride + lanes);
      for (std::size_t i = 0; i < kRowsTogether; ++i) {
        const Doubles value = hn::Set(kDoubles, rows[c * kRowsTogether + i]);
        low[i] = hn::MulAdd(value, first, low[i]);
        high[i] = hn::MulAdd(value, second, high[i]);
      }
    }
    for (std::size_t i = 0; i < kRowsTogether; ++i) {
      hn::StoreU(low[i], kDoubles, products[i] + j);
      hn::StoreU(high[i], kDoubles, products[i] + j + lanes);
    }
  }
}

constexpr RowProductKernels kTable = {&strip};
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

void products_of_rows(std::span<const double> rows, std::size_t count,
                      std::span<const double> matrix, std::span<double> products) {
  if (count == 0) return;
  const std::size_t columns = rows.size() / count, p = products.size() / count;
  if (rows.size() != count * columns || products.size() != count * p ||
      matrix.size() != columns * p) {
    throw UsageError("products_of_rows: the matrix does not fit the rows");
  }
  // The last strip, filled up with zeros.
  const std::size_t whole = p / kStrip * kStrip;
  std::vector<double> last(whole == p ? 0 : columns * kStrip);
  for (std::size_t c = 0; c < columns && whole < p; ++c) {
    std::copy_n(&matrix[c * p + whole], p - whole, &last[c * kStrip]);
  }
  std::vector<double> together(kRowsTogether * columns);
  double sums[kRowsTogether][kStrip];
  for (std::size_t row = 0; row < count; row += kRowsTogether) {
    const std::size_t present = std::min(kRowsTogether, count - row);
    // Rows that are lacking at the end stay 0 or as they were; their sums are not used.
    for (std::size_t i = 0; i < present; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        together[c * kRowsTogether + i] = rows[(row + i) * columns + c];
      }
    }
    for (std::size_t j = 0; j < p; j += kStrip) {
      const bool is_whole = j < whole;
      row_product_kernels().strip(together.data(), columns,
                                  is_whole ? matrix.data() + j : last.data(), is_whole ? p : kStrip,
                                  sums);
      for (std::size_t i = 0; i < present; ++i) {
        std::copy_n(sums[i], std::min(kStrip, p - j), products.data() + (row + i) * p + j);
      }
    }
  }
}

}  // namespace leafglyph
#endif
