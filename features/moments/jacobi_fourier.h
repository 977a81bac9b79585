// The radial functions of Jacobi-Fourier moments.
#pragma once

#include <span>

#include "features/moments/family.h"
#include "features/moments/jacobi_polynomials.h"

namespace leafglyph {

/// J_n(p, q, r) of Ping, Ren, Zou, Sheng and Bo (Pattern Recognition 40, 2007), orthonormal with
/// the weight r on [0, 1]. With the shifted Jacobi polynomials G_n, G_n(0) = 1, and their weight w,
///     J_n = sqrt(w / (b_n r)) G_n,   w = (1 - r)^{p-q} r^{q-1},
/// which equals (-1)^n 2^{p/2} (1 - r)^{(p-q)/2} r^{(q-2)/2} p_n(2 r - 1) with p_n the orthonormal
/// Jacobi polynomials of (1 - x)^{p-q} (1 + x)^{q-1}. In the angle phi with r = sin^2(phi / 2) they
/// oscillate evenly: (1 - r)^{1/2} = cos(phi / 2), r^{1/2} = sin(phi / 2), and p_n is a
/// trigonometric polynomial of degree n. So all but the fractions of the two exponents,
///     J_n(r) = r^inner_power() (1 - r)^outer_power() * (a trigonometric polynomial in phi),
/// can be interpolated. At the centre e^{j m theta} has no value, and for q < 2 J_n is infinite; 0
/// is used there (kCentreRadius). Immutable.
class JacobiFourier {
 public:
  /// For n = 0, ..., order; `weight` holds p in alpha and q in beta, and is valid.
  JacobiFourier(const JacobiWeight& weight, int order);

  double inner_power() const { return inner_power_; }
  double outer_power() const { return outer_power_; }
  /// The trigonometric polynomials, of degree n + p / 2 at most, of all n at r = sin^2(phi / 2);
  /// values.size() = order + 1.
  void smooth_parts(double phi, std::span<double> values) const;
  /// J_n(rho) of all n, rho <= 1; 0 at the centre.
  void values(double rho, std::span<double> values) const;

 private:
  void fill(long double r, long double rest, std::span<double> values) const;

  JacobiRecurrence recurrence_;
  int inner_degree_;  // of sin(phi / 2) in the trigonometric polynomials
  int outer_degree_;  // of cos(phi / 2)
  double inner_power_;
  double outer_power_;
  long double scale_;
};

/// Throws UsageError unless 1 <= q <= p <= kMaxJacobiFourierParameter: then the functions are
/// finite but at r = 0.
void validate_jacobi_fourier(const JacobiWeight& weight);

}  // namespace leafglyph
