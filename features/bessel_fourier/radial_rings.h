// The functions of the radius as polynomials on rings, so that sums over points do not depend on n.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/bessel_fourier/ring_functions.h"

namespace leafglyph {

/// Number of rings, number of terms on each, and half the width of a ring including its margins.
struct RingLayout {
  std::size_t rings = 0;
  std::size_t terms = 0;
  double half_width = 0.0;
};
/// The layout of RadialRings for RingFunctions::top_phase and a margin in units of u.
RingLayout ring_layout(double top_phase, double margin);

/// The disk is cut into rings of equal width in u, the coordinate of the functions. On each ring,
/// widened by a margin on both sides, u is mapped to -1 <= t <= 1 and
///     row i of the functions = sum over k < terms() of table[i, ring, k] T_k(t),
/// T_k the Chebyshev polynomials. Across a ring including its margins, top_phase u changes by at
/// most 2 a. The expansion of e^{j a t} has terms 2 J_k(a), and terms() is where they fall below
/// 1e-14 (32 for the a = 9 of narrow margins). Immutable.
class RadialRings {
 public:
  /// margin in units of u, >= 0.
  RadialRings(RingFunctions functions, double margin);

  const RingFunctions& functions() const { return functions_; }

  std::size_t rings() const { return rings_; }
  std::size_t terms() const { return terms_; }
  std::size_t ring_of(double u) const;
  /// t of u, which lies in that ring or its margins.
  double place(double u, std::size_t ring) const {
    return (u - centre(ring)) * inverse_half_width();
  }
  double centre(std::size_t ring) const {
    return (static_cast<double>(ring) + 0.5) / static_cast<double>(rings_);
  }
  double inverse_half_width() const { return 1.0 / half_width_; }
  std::size_t row_length() const { return rings_ * terms_; }
  /// A function on each ring, sampled at u = centre(ring) + samples()[i] half_width(), gives
  /// coefficient k of T_k as the sum over i of to_coefficients()[i * terms() + k] times
  /// sample i.
  double half_width() const { return half_width_; }
  std::span<const double> samples() const { return samples_; }
  std::span<const double> to_coefficients() const { return to_coefficients_; }
  /// Computes the coefficients. Each row has rings() * terms() numbers, ring by ring.
  std::vector<double> table() const;

 private:
  RingFunctions functions_;
  std::size_t rings_ = 0;
  std::size_t terms_ = 0;
  double half_width_ = 0.0;
  std::vector<double> samples_;
  std::vector<double> to_coefficients_;
};

}  // namespace leafglyph
