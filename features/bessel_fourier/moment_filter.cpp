#include "features/bessel_fourier/moment_filter.h"

#include <cmath>
#include <sstream>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {
namespace {}  // namespace

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

FilterPower filter_moments(FilterKind kind, double alpha, const MomentSpec& spec,
                           std::span<std::complex<double>> moments) {
  validate_cutoff(alpha);
  const std::vector<MomentIndex> indices = moment_indices(spec);
  if (moments.size() != indices.size()) {
    throw UsageError(std::to_string(moments.size()) + " moments to filter, but " + describe(spec) +
                     " has " + std::to_string(indices.size()));
  }
  const double cutoff = alpha * top_order(spec);
  FilterPower power;
  for (std::size_t c = 0; c < indices.size(); ++c) {
    const auto [n, m] = indices[c];
    const double gain = filter_gain(kind, std::hypot(n, m), cutoff);
    const double square = (m == 0 ? 1.0 : 2.0) * std::norm(moments[c]);
    power.total += square;
    power.kept += square * gain;
    moments[c] *= gain;
  }
  return power;
}

}  // namespace leafglyph
