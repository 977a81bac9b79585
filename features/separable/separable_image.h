// An image from its Zernike moments by separation of variables, and the folding of its rows.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/separable/recurrence_kernels.h"
#include "features/separable/recurrence_tables.h"

namespace leafglyph {

/// The transpose of RecurrenceMoments for one line per pixel row, in double. Takes N^2 T / 2 + N
/// T^2 / 4 + T^3 / 6 multiply-adds for the sums and as many for the polynomials. Immutable.
class SeparableImage {
 public:
  /// Uses the image size, order and mask of `rule`. Its method and points only decide which pixels
  /// count. Throws UsageError as DiskLines.
  explicit SeparableImage(const DiskRule& rule);

  /// pixels[j * N + i] = sum over the stored moments of Re(weighted V_nm) at the centres of the
  /// pixels that count. Other pixels stay as they are. `weighted` holds every stored moment times
  /// its weight (for a whole image 1 if m = 0, 2 if m > 0); `pixels` holds N^2 elements.
  void image(std::span<const std::complex<double>> weighted, std::span<double> pixels) const;

  /// Upper bound for the memory of such an object and of one call of image().
  static double bytes(const DiskRule& rule);

 private:
  void rotate(std::span<const std::complex<double>> weighted, std::span<double> kappa) const;
  void sum_degrees(std::span<const double> kappa, std::span<double> carried) const;
  void sum_lines(std::span<const double> carried, std::span<double> pixels) const;

  std::vector<std::size_t> columns_;
  RecurrenceTables tables_;
};

/// Folds the first `columns` pairs of columns in pair v of rows (disk_lines.h) of one image. If a,
/// b are the pixels at x and -x in the upper row and c, d those in the lower one, the four values
/// of pair u are a + b + c + d, a + b - c - d, a - b + c - d and a - b - c + d. For 8-bit pixels
/// they are exact integers.
void fold_rows(const ImageBatch& image, std::size_t v, std::size_t columns,
               const FoldedValues<double>& folded);

/// The transpose: writes the four pixels of each pair.
void unfold_rows(const FoldedValues<const double>& folded, std::size_t v, std::size_t columns,
                 int size, double* pixels);

}  // namespace leafglyph
