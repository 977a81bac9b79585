#include "features/bessel_fourier/moment_filter.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "features/base/errors.h"
#include "features/base/names.h"

namespace leafglyph {
namespace {

constexpr Names<FilterKind, 4> kFilters = {"filter",
                                           {{{FilterKind::kIdealLow, "ilf"},
                                             {FilterKind::kIdealHigh, "ihf"},
                                             {FilterKind::kGaussianLow, "glf"},
                                             {FilterKind::kGaussianHigh, "ghf"}}}};

}  // namespace

FilterKind filter_from_name(std::string_view name) { return from_name(kFilters, name); }
std::string_view filter_name(FilterKind kind) { return name_of(kFilters, kind); }

void validate_cutoff(double alpha) {
  if (alpha >= 0.0 && alpha <= 1.0) return;
  std::ostringstream message;
  message << "filter cut-off alpha = " << alpha << "; it must lie from 0 to 1";
  throw UsageError(message.str());
}

double filter_gain(FilterKind kind, double distance, double cutoff) {
  const bool gaussian = kind == FilterKind::kGaussianLow || kind == FilterKind::kGaussianHigh;
  const double ideal = distance <= cutoff ? 1.0 : 0.0;
  const double low =
      gaussian && cutoff > 0.0 ? std::exp(-distance * distance / (2.0 * cutoff * cutoff)) : ideal;
  return kind == FilterKind::kIdealLow || kind == FilterKind::kGaussianLow ? low : 1.0 - low;
}

FilterPower filter_moments(FilterKind kind, double alpha, const BesselFourierSpec& spec,
                           std::span<std::complex<double>> moments) {
  validate_cutoff(alpha);
  if (moments.size() != spec.moment_count()) {
    throw UsageError(std::to_string(moments.size()) + " moments to filter, but orders " +
                     std::to_string(spec.radial_order) + " and " +
                     std::to_string(spec.angular_order) + " have " +
                     std::to_string(spec.moment_count()));
  }
  const double cutoff = alpha * std::max(spec.radial_order, spec.angular_order);
  FilterPower power;
  for (int n = 1; n <= spec.radial_order; ++n) {
    for (int m = 0; m <= spec.angular_order; ++m) {
      std::complex<double>& moment = moments[spec.position(n, m)];
      const double gain = filter_gain(kind, std::hypot(n, m), cutoff);
      const double square = (m == 0 ? 1.0 : 2.0) * std::norm(moment);
      power.total += square;
      power.kept += square * gain;
      moment *= gain;
    }
  }
  return power;
}

}  // namespace leafglyph
