// Exact Zernike moments: the integral itself, the image being constant in each pixel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "features/kernels/spread_kernels.h"
#include "features/kernels/spreading_kernel.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Tables of the method by ridge polynomials (Logan and Shepp 1975). With U_n the Chebyshev
/// polynomial of the second kind and Q_n(phi) = integral of f U_n(x cos phi + y sin phi),
///     Z_nm = (n+1)/pi conj( 1/L sum over l of Q_n(phi_l) e^{j m phi_l} ),  phi_l = (l + 1/2) pi/L.
/// W_n'' = U_n with W_n = [T_{n+2}/(n+2) - T_n/n] / (2(n+1)) makes Q_n a sum over pixel corners c,
///     Q_n(phi) = 1/(cos phi sin phi) sum of D_c W_n(s_c),   s_c = x_c cos phi + y_c sin phi,
/// D_c the mixed second difference of the four pixels around c. So C_n(phi) = sum of D_c cos(n
/// t_c), t_c = arccos s_c, n <= T + 2, is all that is needed: corners are spread on an even grid in
/// t and the cosine sums are taken there. A corner's eight mirror images have the same s at
/// mirrored angles, so that they share t and the weights. Immutable.
class RidgePlan {
 public:
  /// Throws UsageError when the order is negative or the image smaller than 2 x 2.
  RidgePlan(int order, int image_size);

  int order() const { return order_; }
  int angles() const { return angles_; }  ///< L, even
  const HalfCircleGrid& grid() const { return grid_; }
  const SpreadingKernel& kernel() const { return kernel_; }
  const ArcsineSeries& arcsine() const { return arcsine_; }
  double cells_per_radian() const;
  double angle_cosine(int l) const { return angle_cosine_[static_cast<std::size_t>(l)]; }
  double angle_sine(int l) const { return angle_sine_[static_cast<std::size_t>(l)]; }

  /// Angle at which image q of a corner has the value that the corner has at angle l: s itself, or
  /// -s where `sign` is -1.
  struct MirroredAngle {
    int angle;
    int sign;
  };
  MirroredAngle mirrored(int l, int q) const;

  /// A cell of the half circle as a cell of the quarter circle: cos n t there is that at `cell`,
  /// times `sign` for odd n.
  struct FoldedCell {
    int cell;
    int sign;
  };
  FoldedCell folded(int s) const;
  std::size_t quarter_cells() const { return static_cast<std::size_t>(grid_.circle / 4 + 1); }
  /// Row i holds cos(n t) / p_n at the quarter's cells for n = 2 i + parity <= T + 2.
  const std::vector<double>& cosines(int parity) const { return cosines_[parity]; }
  std::size_t cosine_rows(int parity) const {
    return static_cast<std::size_t>((order_ + 2 - parity) / 2 + 1);
  }

  /// cos and sin of m phi_l at [k][l], m = 2 k + parity, for half the angles, l < L / 2.
  const std::vector<double>& turn_cosine(int parity) const { return turn_cosine_[parity]; }
  const std::vector<double>& turn_sine(int parity) const { return turn_sine_[parity]; }

  /// Corners of the octant 0 <= y <= x that touch a pixel of the mask.
  struct Corner {
    double x;
    double y;
    double share;  ///< 1 over the number of times that each image stands among the eight
    /// Pixel numbers of the four pixels around image q: below left, below right, above left, above
    /// right; -1 outside the mask.
    std::int32_t pixels[8][4];
  };
  const std::vector<Corner>& corners() const { return corners_; }

 private:
  void fill_cosines();
  void fill_turns();
  void find_corners(int image_size);

  int order_;
  int angles_;
  HalfCircleGrid grid_;
  SpreadingKernel kernel_;
  ArcsineSeries arcsine_;
  std::vector<double> angle_cosine_;
  std::vector<double> angle_sine_;
  std::vector<double> cosines_[2];
  std::vector<double> turn_cosine_[2];
  std::vector<double> turn_sine_[2];
  std::vector<Corner> corners_;
};

/// An engine for MomentSpec{kZernike, T, kExact}. Work per image: about 14 multiply-adds for each
/// corner and angle, and T^3 / 2. The error is rounding and what 14 cells leave, about 1e-13 of the
/// sum of the corners' |D_c|. Throws UsageError as validate(spec, size), and when spec is not of
/// that kind.
std::shared_ptr<ForwardTransform> make_ridge_forward(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
