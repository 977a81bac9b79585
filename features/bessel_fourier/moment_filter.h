// Low-pass and high-pass filters in the plane of orders, and the share of the power that they keep.
#pragma once

#include <complex>
#include <span>

#include "features/base/names.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// With D the distance from the origin of the plane and D0 the cut-off:
///   ideal low-pass: 1 for D <= D0, else 0
///   Gaussian low-pass: exp(-D^2 / (2 D0^2))
///   ideal and Gaussian high-pass: 1 minus the low-pass
enum class FilterKind { kIdealLow, kIdealHigh, kGaussianLow, kGaussianHigh };
template <>
inline constexpr Names<FilterKind, 4> kNamesOf<FilterKind> = {
    "filter",
    {{{FilterKind::kIdealLow, "ilf"},
      {FilterKind::kIdealHigh, "ihf"},
      {FilterKind::kGaussianLow, "glf"},
      {FilterKind::kGaussianHigh, "ghf"}}}};

/// Throws UsageError unless 0 <= alpha <= 1.
void validate_cutoff(double alpha);

/// Gain of the filter, 0 to 1, at distance >= 0 for the cut-off D0 >= 0. With D0 = 0 a low-pass
/// keeps only the origin.
double filter_gain(FilterKind kind, double distance, double cutoff);

/// How much of the power in a plane a filter keeps.
struct FilterPower {
  double kept = 0.0;   ///< sum of |coefficient|^2 times the filter's gain
  double total = 0.0;  ///< sum of |coefficient|^2

  /// kept / total, or 0 for a plane without power.
  double share() const { return total > 0.0 ? kept / total : 0.0; }
  FilterPower& operator+=(const FilterPower& other) {
    kept += other.kept;
    total += other.total;
    return *this;
  }
};

/// Multiplies the Bessel-Fourier moments of `spec` by the filter, with D = hypot(n, m) and
/// D0 = alpha * top_order(spec). Both signs of m count towards the power. Throws UsageError when
/// alpha is out of range or the number of moments is wrong.
FilterPower filter_moments(FilterKind kind, double alpha, const MomentSpec& spec,
                           std::span<std::complex<double>> moments);

}  // namespace leafglyph
