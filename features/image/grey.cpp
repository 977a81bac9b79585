#include "features/image/grey.h"

#include <cmath>
#include <optional>
#include <string>

#include "features/base/errors.h"
#include "features/base/numbers.h"
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

double weighted(const std::array<double, 3>& weights, const std::array<double, 3>& colour) {
  return weights[0] * colour[0] + weights[1] * colour[1] + weights[2] * colour[2];
}

// "0.384,0.480,0.136" as three numbers; nullopt if the text is anything else.
std::optional<GreyWeights> three_numbers(std::string_view text) {
  GreyWeights found{};
  for (std::size_t c = 0; c < 3; ++c) {
    if (c > 0 && (text.empty() || text.front() != ',')) return std::nullopt;
    if (c > 0) text.remove_prefix(1);
    const auto weight = take_number<double>(text);
    if (!weight) return std::nullopt;
    found.weights[c] = *weight;
  }
  return text.empty() ? std::optional(found) : std::nullopt;
}

// 1e-9: the rounding of three decimal weights that add up to 1.
bool keep_white(const GreyWeights& grey) {
  const auto [red, green, blue] = grey.weights;
  const double sum = red + green + blue;
  return red >= 0.0 && green >= 0.0 && blue >= 0.0 && sum > 0.0 && sum <= 1.0 + 1e-9;
}

double rule_value(GreyRule rule, const std::array<double, 3>& colour, SampleDepth depth) {
  if (rule == GreyRule::kRec601) return grey_of(colour[0], colour[1], colour[2]);
  if (rule == GreyRule::kMean) return (colour[0] + colour[1] + colour[2]) / 3.0;
  if (depth == SampleDepth::kFloat) {
    throw UsageError("grey '" + std::string(name_of(rule)) +
                     "' needs samples of 8 or 16 bits; use rec601 or mean for float samples");
  }
  return gamma_grey(rule == GreyRule::kGamma22 ? 2.2 : 1.8, colour, full_range(depth).peak);
}

}  // namespace

Grey grey_from(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return from_name<GreyRule>(text);
  const std::optional<GreyWeights> grey = three_numbers(text);
  if (!grey || !keep_white(*grey)) {
    throw UsageError("grey '" + std::string(text) +
                     "' is not R,G,B, weights of red, green and blue of 0 or more with a sum of at "
                     "most 1");
  }
  return *grey;
}

double grey_value(const Grey& grey, const std::array<double, 3>& colour, SampleDepth depth) {
  if (const auto* given = std::get_if<GreyWeights>(&grey)) return weighted(given->weights, colour);
  return rule_value(std::get<GreyRule>(grey), colour, depth);
}

}  // namespace leafglyph
