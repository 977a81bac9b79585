// The matrices of the folded products, shared by all back ends.
//
// The eight mirror images of an octant pixel are folded into eight sums (named in fold_kernels.h).
// The moments of an image are six matrix products of these sums with the basis: real and imaginary
// parts for m mod 4 = 0, for m mod 4 = 2, and for odd m. The products for odd m take two sums per
// pixel.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "features/moments/disk_grid.h"
#include "features/moments/family.h"
#include "features/moments/moment_spec.h"
#include "features/plan/algorithm.h"

namespace leafglyph {

enum FoldedProductIndex { kRe0, kIm0, kRe2, kIm2, kReOdd, kImOdd, kFoldedProducts };

/// Which parts of which moments a product yields.
struct FoldedProduct {
  std::vector<std::size_t> moments;  ///< position of each column's moment in storage order
  std::size_t offset = 0;            ///< first column in a row of sums
  std::size_t sums_per_pixel = 1;    ///< folded sums per pixel: 1, or 2 for the odd products
};

/// Whether such a basis supports the request: a family on the disk with one order for n and m, a
/// method that sums over points in the pixels, and a basis of at most 512 MiB in double.
bool has_folded_basis(const PlanRequest& request);
/// Upper bound for the host memory of a transform with such a basis, in bytes.
double folded_bytes(const PlanRequest& request);
TransformWork folded_work(const PlanRequest& request);

class FoldedBasis {
 public:
  FoldedBasis(const MomentSpec& spec, int image_size);

  const DiskGrid& grid() const { return grid_; }
  const std::array<FoldedProduct, kFoldedProducts>& products() const { return products_; }
  /// Number of columns of all products together, plus a last one that is always zero: the imaginary
  /// part of the moments with m = 0.
  std::size_t row_length() const { return row_length_; }
  /// Column that holds the real (imaginary) part of each stored moment in a row of sums.
  std::span<const std::size_t> real_columns() const { return real_columns_; }
  std::span<const std::size_t> imaginary_columns() const { return imaginary_columns_; }

  using Matrices = std::array<std::vector<double>, kFoldedProducts>;
  /// Evaluates the basis at some octant pixels. Column k of product g is
  /// matrices[g][(k * sums_per_pixel + s) * pixels.size() + p] for the folded sum s of pixel p. The
  /// sums are even0, odd0, even2, odd2 for the first four products, re_cos, re_sin for kReOdd and
  /// im_sin, im_cos for kImOdd.
  void evaluate(std::span<const OctantPixel> pixels, Matrices& matrices) const;

 private:
  void assign_columns();
  void pixel_kernel(const OctantPixel& pixel, std::vector<double>& values,
                    std::vector<double>& cosines, std::vector<double>& sines) const;

  MomentSpec spec_;
  DiskGrid grid_;
  std::vector<MomentIndex> indices_;
  RadialFunctions radial_;
  PixelQuadrature quadrature_;
  std::array<FoldedProduct, kFoldedProducts> products_;
  std::size_t row_length_ = 0;
  std::vector<std::size_t> real_columns_;
  std::vector<std::size_t> imaginary_columns_;
};

}  // namespace leafglyph
