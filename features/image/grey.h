// From colours to grey, by the rules that pictures in the literature were made with.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "features/base/names.h"
#include "features/image/sample_range.h"

namespace leafglyph {

enum class GreyRule {
  kRec601,   ///< grey_of (image.h)
  kMean,     ///< (red + green + blue) / 3
  kGamma22,  ///< as image editors convert sRGB to "Gray Gamma 2.2": see grey_value
  kGamma18,  ///< the same to "Gray Gamma 1.8"
};
template <>
inline constexpr Names<GreyRule, 4> kNamesOf<GreyRule> = {"grey",
                                                          {{{GreyRule::kRec601, "rec601"},
                                                            {GreyRule::kMean, "mean"},
                                                            {GreyRule::kGamma22, "gamma22"},
                                                            {GreyRule::kGamma18, "gamma18"}}}};

/// Weights of red, green and blue: none below 0, their sum above 0 and at most 1, so that white
/// stays in the range of the samples.
struct GreyWeights {
  std::array<double, 3> weights;
  bool operator==(const GreyWeights&) const = default;
};

using Grey = std::variant<GreyRule, GreyWeights>;

/// The rule of this name, or the weights "R,G,B". Throws UsageError for other texts.
Grey grey_from(std::string_view text);

/// The grey value of a colour (red, green, blue), not rounded. For kGamma22 and kGamma18 the colour
/// is one of sRGB: with w the white of the depth and c the linear light of sample / w (IEC
/// 61966-2-1),
///     Y = 0.2225 c_red + 0.7169 c_green + 0.0606 c_blue,   grey = w Y^(1 / gamma).
/// These weights are the luminances of the sRGB primaries under D50, the white of ICC profiles.
/// Throws UsageError for these two rules and float samples, whose white is unknown.
double grey_value(const Grey& grey, const std::array<double, 3>& colour, SampleDepth depth);

}  // namespace leafglyph
