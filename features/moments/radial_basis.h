// The normalised radial factors of every circular family, the one place that knows them all.
#pragma once

#include <span>
#include <vector>

#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"

namespace leafglyph {

/// Every radial factor of the stored moments of one family and order at one radius:
///   Zernike, pseudo-Zernike   (n+1)/pi R_nm(rho)
///   Bessel-Fourier            J_1(lambda_n rho) / (2 pi a_n)
/// so that a moment is the integral of f times the factor times e^{-j m theta}. Immutable.
class RadialBasis {
 public:
  /// Throws UsageError for a family that is not circular.
  RadialBasis(Family family, int order);

  /// values[c] is the factor of stored moment c; values.size() is the moment count.
  void evaluate(double rho, std::span<double> values) const;

 private:
  void evaluate_polynomials(double rho, std::span<double> values) const;
  void evaluate_bessel(double rho, std::span<double> values) const;

  std::vector<MomentIndex> indices_;
  std::vector<RadialRecurrence> recurrences_;        // polynomials: one for each m
  std::vector<std::vector<std::size_t>> positions_;  // and where its values go
  std::vector<double> zeros_;                        // Bessel-Fourier: lambda_n at n - 1
  std::vector<double> norms_;
};

}  // namespace leafglyph
