// J_1(lambda_n rho) as polynomials on rings, so that sums over points need not know n.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// The disk cut into rings of equal width, the radius in each mapped to -1 <= t <= 1. On every ring
///     J_1(lambda_n rho) = sum over k < kRingTerms of table[n - 1, ring, k] T_k(t),
/// T_k the Chebyshev polynomials. A ring is at most 18 / lambda_N wide: the expansion of e^{j 9 t}
/// has terms 2 J_k(9), below 6e-15 from k = 32 on. Immutable.
class RadialRings {
 public:
  static constexpr std::size_t kRingTerms = 32;

  /// radial_order = N >= 1.
  explicit RadialRings(int radial_order);

  std::size_t rings() const { return rings_; }
  std::size_t ring_of(double rho) const;
  /// t of the radius rho in that ring.
  double coordinate(double rho, std::size_t ring) const;
  /// Row n - 1: rings() * kRingTerms numbers, ring by ring.
  std::span<const double> table() const { return table_; }
  std::size_t row_length() const { return rings_ * kRingTerms; }
  /// 1 / (2 pi a_n) at n - 1.
  std::span<const double> norms() const { return norms_; }

 private:
  std::size_t rings_ = 0;
  std::vector<double> table_;
  std::vector<double> norms_;
};

}  // namespace leafglyph
