// The two products for one slice or image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/image/image.h"
#include "features/moments/axis_tables.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Layout in memory of J_mn, m + n <= order, between products: blocks of kRows values of m. Each
/// block is a matrix of its rows by the n of its first row, so little beyond the triangle is
/// computed.
struct TriangularLayout {
  static constexpr std::size_t kRows = 32;

  explicit TriangularLayout(int top_order)
      : order(static_cast<std::size_t>(top_order)),
        size(block_start((order + 1) / kRows) + (order + 1) % kRows * ((order + 1) % kRows)) {}
  /// Rows and columns of the block whose first row is m.
  std::size_t rows(std::size_t m) const { return std::min(kRows, order + 1 - m); }
  std::size_t columns(std::size_t m) const { return order + 1 - m; }
  /// Position of J_m0.
  std::size_t row_start(std::size_t m) const {
    return block_start(m / kRows) + m % kRows * columns(m / kRows * kRows);
  }
  /// Start of block b. There are b blocks of kRows rows before it, each kRows columns narrower than
  /// the one before.
  std::size_t block_start(std::size_t b) const {
    return b == 0 ? 0 : kRows * (b * (order + 1) - kRows * (b * (b - 1) / 2));
  }

  std::size_t order;
  std::size_t size;
};

/// The tables of the two axes of a slice, and the products with them.
template <class T>
class SlicePlan {
 public:
  SlicePlan(const MomentSpec& spec, const ArraySize& size)
      : width_(static_cast<std::size_t>(size.width)),
        height_(static_cast<std::size_t>(size.height)) {
    const AxisTables x = axis_tables(spec, size, Axis::kX);
    const AxisTables y = axis_tables(spec, size, Axis::kY);
    x_integrals_.assign(x.integrals.begin(), x.integrals.end());
    y_integrals_.assign(y.integrals.begin(), y.integrals.end());
    x_values_.assign(x.values.begin(), x.values.end());
    y_values_.assign(y.values.begin(), y.values.end());
  }

  std::size_t pixels() const { return width_ * height_; }
  /// Length of the scratch array `half` for products up to `order`.
  std::size_t scratch(std::size_t order) const { return (order + 1) * height_; }

  /// stairs = the moments of one slice. `stairs` holds layout.size elements, `half` scratch()
  /// elements.
  void moments(const TriangularLayout& layout, const T* slice, T* half, T* stairs) const {
    const std::size_t count = layout.order + 1;
    std::fill(half, half + count * height_, T{});
    std::fill(stairs, stairs + layout.size, T{});
    add_product_nt(count, height_, width_, x_integrals_.data(), width_, slice, width_, half,
                   height_);
    for (std::size_t m = 0; m < count; m += TriangularLayout::kRows) {
      throw_if_interrupted();
      add_product_nt(layout.rows(m), layout.columns(m), height_, half + m * height_, height_,
                     y_integrals_.data(), height_, stairs + layout.row_start(m), layout.columns(m));
    }
  }

  /// slice = the sum of the moments' terms at the pixel centres.
  void values(const TriangularLayout& layout, const T* stairs, T* half, T* slice) const {
    const std::size_t count = layout.order + 1;
    std::fill(half, half + count * height_, T{});
    std::fill(slice, slice + pixels(), T{});
    for (std::size_t m = 0; m < count; m += TriangularLayout::kRows) {
      throw_if_interrupted();
      add_product_nn(layout.rows(m), height_, layout.columns(m), stairs + layout.row_start(m),
                     layout.columns(m), y_values_.data(), height_, half + m * height_, height_);
    }
    add_product_tn(height_, width_, count, half, height_, x_values_.data(), width_, slice, width_);
  }

 private:
  std::size_t width_;
  std::size_t height_;
  std::vector<T> x_integrals_;
  std::vector<T> y_integrals_;
  std::vector<T> x_values_;
  std::vector<T> y_values_;
};

}  // namespace leafglyph
