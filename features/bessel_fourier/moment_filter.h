// Low-pass and high-pass filters in the plane of orders, and the share of power they keep.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>

#include "features/base/names.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// With D the distance from the origin of the plane and D0 the cut-off:
///   ideal low-pass 1 for D <= D0, else 0      Gaussian low-pass exp(-D^2 / (2 D0^2))
///   ideal and Gaussian high-pass: 1 less the low-pass
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

/// The filter's factor, 0 to 1, at distance >= 0 for the cut-off D0 >= 0 (D0 = 0: a low-pass keeps
/// the origin alone).
double filter_gain(FilterKind kind, double distance, double cutoff);

/// How much of a plane's power a filter keeps.
struct FilterPower {
  double kept = 0.0;   ///< sum of |coefficient|^2 times the filter's factor
  double total = 0.0;  ///< sum of |coefficient|^2

  /// kept / total; 0 for a plane without power.
  double share() const { return total > 0.0 ? kept / total : 0.0; }
  FilterPower& operator+=(const FilterPower& other) {
    kept += other.kept;
    total += other.total;
    return *this;
  }
};

/// Multiplies the Bessel-Fourier moments of `spec` by the filter, D = hypot(n, m) and
/// D0 = alpha * top_order(spec); both signs of m count for the power. Throws UsageError when alpha
/// or the number of moments does not fit.
FilterPower filter_moments(FilterKind kind, double alpha, const MomentSpec& spec,
                           std::span<std::complex<double>> moments);

}  // namespace leafglyph
