// J_1(lambda_n rho) as polynomials on rings, so that sums over points do not depend on n.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// Number of rings, number of terms on each, and half the width of a ring including its margins.
struct RingLayout {
  std::size_t rings = 0;
  std::size_t terms = 0;
  double half_width = 0.0;
};
/// The layout of RadialRings for the largest zero lambda_N and a margin in units of rho.
RingLayout ring_layout(double largest_zero, double margin);

/// The disk is cut into rings of equal width. On each ring, widened by a margin on both sides, the
/// radius is mapped to -1 <= t <= 1 and
///     J_1(lambda_n rho) = sum over k < terms() of table[n - 1, ring, k] T_k(t),
/// T_k the Chebyshev polynomials. Across a ring including its margins, lambda_N rho changes by at
/// most 2 a. The expansion of e^{j a t} has terms 2 J_k(a), and terms() is where they fall below
/// 1e-14 (32 for the a = 9 of narrow margins). Immutable.
class RadialRings {
 public:
  /// radial_order = N >= 1; margin in units of rho, >= 0.
  RadialRings(int radial_order, double margin);

  std::size_t rings() const { return rings_; }
  std::size_t terms() const { return terms_; }
  std::size_t ring_of(double rho) const;
  /// t of the radius rho, which lies in that ring or its margins.
  double coordinate(double rho, std::size_t ring) const {
    return (rho - centre(ring)) * inverse_half_width();
  }
  double centre(std::size_t ring) const {
    return (static_cast<double>(ring) + 0.5) / static_cast<double>(rings_);
  }
  double inverse_half_width() const { return 1.0 / half_width_; }
  std::size_t row_length() const { return rings_ * terms_; }
  /// lambda_n at n - 1.
  std::span<const double> zeros() const { return zeros_; }
  /// J_1(lambda_n rho) on each ring, sampled at rho = centre(ring) + samples()[i] half_width(),
  /// gives coefficient k of T_k as the sum over i of to_coefficients()[i * terms() + k] times
  /// sample i.
  double half_width() const { return half_width_; }
  std::span<const double> samples() const { return samples_; }
  std::span<const double> to_coefficients() const { return to_coefficients_; }
  /// Computes the coefficients. Row n - 1 has rings() * terms() numbers, ring by ring.
  std::vector<double> table() const;
  /// 1 / (2 pi a_n) at n - 1.
  std::span<const double> norms() const { return norms_; }

 private:
  std::size_t rings_ = 0;
  std::size_t terms_ = 0;
  double half_width_ = 0.0;
  std::vector<double> zeros_;
  std::vector<double> norms_;
  std::vector<double> samples_;
  std::vector<double> to_coefficients_;
};

}  // namespace leafglyph
