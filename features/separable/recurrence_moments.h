// Zernike moments of one image, with polynomials computed on the fly.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "features/image/image.h"
#include "features/separable/recurrence_tables.h"

namespace leafglyph {

/// Moments in double. Legendre polynomials sum the image along each line, Gegenbauer polynomials
/// sum the results across the lines, and a rotation in each degree turns those sums into moments.
/// The sums take (places) (lines) T + (nodes) T^2 / 2 + T^3 / 6 multiply-adds, less what is
/// negligible towards the poles; the polynomials take as many again once or twice. Nodes are the
/// lines or fewer (line_nodes.h). Threads share groups of lines, panels, blocks of k and degrees.
/// The order of every sum is fixed, whatever the number of threads. Immutable.
class RecurrenceMoments {
 public:
  explicit RecurrenceMoments(const DiskRule& rule);

  /// Scratch memory for the moments of one image, kept from image to image.
  struct Workspace {
    AlignedVector<double> carried;  // [group][block of k][parity of y][line][k]
    AlignedVector<double> kappa;    // [block of k][j][k]
  };

  /// The stored moments of one image. Arguments are not checked.
  void moments(const ImageBatch& image, std::span<std::complex<double>> moments,
               Workspace& work) const;

  /// Multiplications and additions per image, each fused pair counted once, including those for the
  /// polynomials. Counts as if every line were significant everywhere.
  static double operations(const DiskRule& rule);

  /// Upper bound for a plan and a workspace.
  static double bytes(const DiskRule& rule);

 private:
  void sum_along_lines(const ImageBatch& image, std::size_t first_group, std::size_t count,
                       Workspace& work) const;
  void sum_panels(const ImageBatch& image, std::size_t first_panel, std::size_t last_panel,
                  std::size_t first_group, Workspace& work) const;
  void sum_across_lines(std::size_t first_group, std::size_t count, Workspace& work) const;
  void rotate(std::span<const double> kappa, std::span<std::complex<double>> moments) const;

  RecurrenceTables tables_;
  std::size_t groups_at_a_time_;
};

}  // namespace leafglyph
