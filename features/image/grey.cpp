#include "features/image/grey.h"

#include <cmath>
#include <string>

#include "features/base/errors.h"
#include "features/image/image.h"

namespace leafglyph {
namespace {

constexpr std::array<double, 3> kLuminances = {0.2225, 0.7169, 0.0606};

// The linear light of an sRGB value, both from 0 to 1.
double linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double gamma_grey(double gamma, const std::array<double, 3>& colour, double white) {
  double luminance = 0.0;
  for (std::size_t c = 0; c < 3; ++c) luminance += kLuminances[c] * linear(colour[c] / white);
  return white * std::pow(luminance, 1.0 / gamma);
}

}  // namespace

double grey_value(GreyRule rule, const std::array<double, 3>& colour, SampleDepth depth) {
  if (rule == GreyRule::kRec601) return grey_of(colour[0], colour[1], colour[2]);
  if (rule == GreyRule::kMean) return (colour[0] + colour[1] + colour[2]) / 3.0;
  if (depth == SampleDepth::kFloat) {
    throw UsageError("grey '" + std::string(name_of(rule)) +
                     "' needs samples of 8 or 16 bits; use rec601 or mean for float samples");
  }
  return gamma_grey(rule == GreyRule::kGamma22 ? 2.2 : 1.8, colour, full_range(depth).peak);
}

}  // namespace leafglyph
