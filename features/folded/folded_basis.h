// The matrices of the folded products, shared by the engines of every back end.
//
// The eight mirror images of an octant pixel are folded into eight sums (fold_kernels.h names
// them), and the moments of an image are six matrix products of these sums with the basis: real
// and imaginary parts for m mod 4 = 0, for m mod 4 = 2, and for odd m, whose products have two
// sums a pixel.
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
  std::size_t sums_per_pixel = 1;    ///< folded sums a pixel: 1, or 2 for the odd products
};

/// Whether such a basis supports: it has one order for n and m, sums over points in the pixels, and
/// takes at most 512 MiB in double.
bool has_folded_basis(const PlanRequest& request);
/// Bytes of the host's memory that a transform through it takes at most.
double folded_bytes(const PlanRequest& request);

class FoldedBasis {
 public:
  FoldedBasis(const MomentSpec& spec, int image_size);

  const DiskGrid& grid() const { return grid_; }
  const std::array<FoldedProduct, kFoldedProducts>& products() const { return products_; }
  /// Columns of all products together, and one more at the end that is always zero: the imaginary
  /// part of the moments with m = 0.
  std::size_t row_length() const { return row_length_; }
  /// Column of a row of sums that holds the real (imaginary) part of each stored moment.
  std::span<const std::size_t> real_columns() const { return real_columns_; }
  std::span<const std::size_t> imaginary_columns() const { return imaginary_columns_; }

  using Matrices = std::array<std::vector<double>, kFoldedProducts>;
  /// The basis at some octant pixels: column k of product g is
  /// matrices[g][(k * sums_per_pixel + s) * pixels.size() + p] for the folded sum s of pixel p. The
  /// sums are even0, odd0, even2, odd2 of the first four products, re_cos, re_sin of kReOdd and
  /// im_sin, im_cos of kImOdd.
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
