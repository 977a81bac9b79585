// Zernike moments of one image with polynomials made on the fly.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "features/image/image.h"
#include "features/separable/recurrence_tables.h"

namespace leafglyph {

/// Moments in double. The image is summed along each line with Legendre polynomials, these sums
/// across the lines with Gegenbauer polynomials, and what comes out is rotated in each degree:
/// (places) (lines) T + (nodes) T^2 / 2 + T^3 / 6 multiply-adds for the sums, less what does not
/// show towards the poles, and as many once or twice for the polynomials; nodes are the lines, or
/// fewer (line_nodes.h). Groups of lines, panels, blocks of k and degrees are shared by the
/// threads; every sum has one order whatever their number. Immutable.
class RecurrenceMoments {
 public:
  explicit RecurrenceMoments(const DiskRule& rule);

  /// What the moments of one image are computed in; kept from image to image.
  struct Workspace {
    AlignedVector<double> carried;  // [group][block of k][parity of y][line][k]
    AlignedVector<double> kappa;    // [block of k][j][k]
  };

  /// The stored moments of one image; not checked.
  void moments(const ImageBatch& image, std::span<std::complex<double>> moments,
               Workspace& work) const;

  /// Multiplications and additions, fused where they can be, of an image's moments: those that
  /// show on every line, the polynomials' own among them.
  static double operations(const DiskRule& rule);

  /// Of a plan and a workspace, at most.
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
