// Tables of the polar transform, which sums points of a disk against every radial polynomial at
// once.
//
// For one repetition m, R_nm(rho) (Zernike with odd m: R_nm(rho) / rho) is a polynomial q of degree
// <= D in t, where t = rho^2 and D = floor(T/2) for Zernike, t = rho and D = T for pseudo-Zernike.
// With t = (1 + cos phi) / 2 it becomes a cosine polynomial in phi of degree D, so that
//     sum over points of a_p q(t_p) = sum over D + 1 Chebyshev nodes of b_g q(t_g)
// for all of them. Here b = M s, where s are the points' values spread onto a uniform grid in phi
// (spreading_kernel.h). Spreading touches w cells per point and repetition, whatever the order,
// while the recurrence has to visit every order; now it does so only at D + 1 nodes instead of at
// all points. The adjoint maps values at the nodes to values at the points.
#pragma once

#include <cstddef>
#include <vector>

#include "features/kernels/spread_kernels.h"
#include "features/kernels/spreading_kernel.h"
#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"
#include "features/plan/algorithm.h"

namespace leafglyph {

/// Repetitions that are transformed together between moments and cells. padded_repetitions() is a
/// multiple of it.
inline constexpr std::size_t kTaskRepetitions = kSpreadBlock;

/// Whether |R_nm(rho)| < 2^-60 for every n <= order, by the bound
///     |R_nm(rho)| <= (n + 1) exp(n asinh(rho sinh s) - m s)   for every s >= 0.
/// It follows from R_n|m|(rho) = 1/(2 pi) integral of U_n(rho cos a) e^{-jma} da (Logan and Shepp's
/// ridge polynomials) by moving the path to a - js, where rho cos a stays inside the ellipse on
/// which |U_n| <= (n + 1) e^{n mu}, sinh mu = rho sinh s. The best s is used. Pseudo-Zernike:
/// through rho R_nm(rho^2) = R^Zernike_{2n+1,2m+1}(rho).
bool is_negligible(Family family, int order, int m, double rho);

/// Whether the request is for Zernike or pseudo-Zernike moments, sampled at points, or for images
/// from such moments. Other families have no such tables.
bool has_polar_moments(const PlanRequest& request);
bool has_polar_images(const PlanRequest& request);
/// Upper bounds for the host memory of the transforms, in bytes.
double polar_moments_bytes(const PlanRequest& request);
double polar_images_bytes(const PlanRequest& request);

/// Immutable tables for one family and order.
class PolarPlan {
 public:
  /// Throws UsageError for a family whose radial functions are not polynomials.
  PolarPlan(Family family, int order);

  Family family() const { return family_; }
  int order() const { return order_; }
  const HalfCircleGrid& grid() const { return grid_; }
  const SpreadingKernel& kernel() const { return kernel_; }
  const ArcsineSeries& arcsine() const { return arcsine_; }
  double cells_per_radian() const { return cells_per_radian_; }
  /// Whether the angle is phi = arccos(2 rho - 1); otherwise it is phi / 2 = arccos rho (Zernike).
  bool is_pseudo() const { return family_ == Family::kPseudoZernike; }
  /// Exponent of rho that is factored out of R_nm for repetition m: 1 for Zernike and odd m, else
  /// 0.
  int taken_out(int m) const { return is_pseudo() ? 0 : m % 2; }

  std::size_t nodes() const { return radius_.size(); }
  /// M: row g holds the weights of the grid.cells cells for node g.
  const std::vector<double>& cells_to_nodes() const { return cells_to_nodes_; }
  const std::vector<double>& node_radius() const { return radius_; }  ///< rho_g, decreasing
  /// Repetitions above this one are negligible at every radius of an interval.
  int last_repetition(int interval) const {
    return last_repetition_[static_cast<std::size_t>(interval)];
  }
  /// Nodes [0, count) matter for repetition m; the rest are closer to the centre.
  std::size_t node_count(int m) const { return node_counts_[static_cast<std::size_t>(m)]; }
  /// Repetitions padded to a multiple of kSpreadBlock; a grid row holds twice as many values.
  std::size_t padded_repetitions() const {
    return (static_cast<std::size_t>(order_) + kSpreadBlock) / kSpreadBlock * kSpreadBlock;
  }
  std::size_t row() const { return 2 * padded_repetitions(); }
  /// Largest rho of the points whose position lies in [interval, interval + 1].
  double outer_radius(int interval) const;

 private:
  void place_nodes();
  void fill_cells_to_nodes();
  void find_cut_offs();

  Family family_;
  int order_;
  int degree_;
  HalfCircleGrid grid_;
  SpreadingKernel kernel_;
  ArcsineSeries arcsine_;
  double cells_per_radian_;
  std::vector<double> radius_;
  std::vector<double> cells_to_nodes_;
  std::vector<int> last_repetition_;
  std::vector<std::size_t> node_counts_;
};

/// The radial polynomials of one repetition at the nodes that matter for it, from order m upwards
/// in passes of kOrderBlock orders. Values too small for double start scaled by powers of 2^512. As
/// long as they are scaled they are far below rounding and count as 0.
class NodeRecurrence {
 public:
  NodeRecurrence(const PolarPlan& plan, int m);

  std::size_t padded_nodes() const { return variable_.size(); }
  int order_of(std::size_t pass, std::size_t i) const {
    return recurrence_.order_of(static_cast<int>(pass * kOrderBlock + i));
  }
  /// sums[2 i] and sums[2 i + 1] = sum over the nodes of R_n times a and times b, where i = 0, 1,
  /// ... numbers the orders. a and b hold padded_nodes() elements, 0 beyond node_count.
  void sums(const SpreadKernels& kernels, std::vector<double>& a, std::vector<double>& b,
            std::vector<double>& sums);
  /// The adjoint: the coefficients values[2 i] and values[2 i + 1] yield a and b at the nodes.
  void values(const SpreadKernels& kernels, const std::vector<double>& values,
              std::vector<double>& a, std::vector<double>& b);

 private:
  struct Scaled {
    std::size_t node;
    int steps;  // the true value is the stored one times 2^(-512 steps)
    double a;   // what is restored once steps is 0
    double b;
  };
  NodePass pass(std::size_t number);
  void rescale();

  RadialRecurrence recurrence_;
  std::size_t passes_;
  std::vector<double> variable_;
  std::vector<double> current_;
  std::vector<double> before_;
  std::vector<Scaled> scaled_;
};

}  // namespace leafglyph
