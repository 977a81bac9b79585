// The channels of a prepared leaf whose moments are computed, and its global measures as columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// A channel is an N x N image of floats whose moments are features, except for kCurvature, which
/// is a list of features itself. Images are 0 outside the leaf, except for kHullGaps. Below, g is
/// the grey value of a pixel, M the leaf, and E the eroded leaf, which excludes the outline.
enum class Channel {
  kGrey,          ///< "grey": g / 255 in M
  kInverted,      ///< "inverted": 1 - g / 255 in M
  kMask,          ///< "mask": 1 in M
  kStandardised,  ///< "standardised": (g - mean) / standard deviation, both over M, in M
  kGradient,      ///< "gradient": |grad g| / its mean over E, in E: the venation
  kHighPass,      ///< "high-pass": |g - Gaussian mean of g inside M| / its mean over E, in E
  kOutline,       ///< "outline": 1 on the pixels of M that touch the background
  kRadial,        ///< "radial": in E, how far g varies along the radius rather than across it
  kOblique,       ///< "oblique": in E, how far g varies at 45 degrees to the radius; for both see
                  ///< leaf_orientation.h
  kRounded,       ///< "rounded": "standardised" after stretching the leaf to be as wide as long
  kHullGaps,      ///< "hull-gaps": 1 in the convex hull of M, outside M
  kCurvature,     ///< "curvature": histograms of the outline's curvature (outline_curvature.h)
  kRedGreen,      ///< "a": a* / 100 in M, for leaves with colours (leaf_colour.h)
  kYellowBlue,    ///< "b": b* / 100 in M, for leaves with colours
};
template <>
inline constexpr Names<Channel, 14> kNamesOf<Channel> = {"channel",
                                                         {{{Channel::kGrey, "grey"},
                                                           {Channel::kInverted, "inverted"},
                                                           {Channel::kMask, "mask"},
                                                           {Channel::kStandardised, "standardised"},
                                                           {Channel::kGradient, "gradient"},
                                                           {Channel::kHighPass, "high-pass"},
                                                           {Channel::kOutline, "outline"},
                                                           {Channel::kRadial, "radial"},
                                                           {Channel::kOblique, "oblique"},
                                                           {Channel::kRounded, "rounded"},
                                                           {Channel::kHullGaps, "hull-gaps"},
                                                           {Channel::kCurvature, "curvature"},
                                                           {Channel::kRedGreen, "a"},
                                                           {Channel::kYellowBlue, "b"}}}};

/// The channels that need PreparedLeaf::colours.
std::span<const Channel> colour_channels();
bool is_of_colour(Channel channel);

/// A leaf is constant if its standard deviation, or mean |gradient|, in grey values, is below this.
inline constexpr double kLeastVariation = 1e-3;

/// Every channel, in the order above; and those of them that are images.
std::span<const Channel> all_channels();
std::vector<Channel> image_channels();

/// Further results of computing a leaf's channels.
struct MadeChannels {
  /// Channels that should vary but are constant for this leaf (a leaf of one grey value has no
  /// gradient). They are 0 everywhere. The caller should report them.
  std::vector<Channel> constant;
  std::optional<double> mean_gradient = {};  ///< as in leaf_texture.h, if a channel computed it
};

/// Writes channel c of the leaf to out[c * N * N + j * N + i] for each of `channels`, in their
/// order, each once. Throws UsageError if the length of `out` is not channels.size() * N * N, or a
/// channel is not an image. For a leaf without colours, the channels of colour are 0 and are not
/// reported as constant. Safe to call from many threads.
MadeChannels compute_channels(const PreparedLeaf& leaf, std::span<const Channel> channels,
                              std::span<float> out);

/// The global measures as columns: their names and, in the same order, their values. The mean
/// gradient is computed unless it is given.
inline constexpr std::size_t kMeasureCount = 4;
std::span<const std::string_view> measure_names();  ///< "log-area", "mean-grey", ...
std::array<float, kMeasureCount> measure_columns(const PreparedLeaf& leaf,
                                                 std::optional<double> gradient = {});

/// The measures of colour: mean and standard deviation of a* / 100 and b* / 100 inside the leaf;
/// all 0 for a leaf without colours.
inline constexpr std::size_t kColourMeasureCount = 4;
std::span<const std::string_view> colour_measure_names();  ///< "mean-a", "spread-a", "mean-b", ...
std::array<float, kColourMeasureCount> colour_measure_columns(const PreparedLeaf& leaf);

}  // namespace leafglyph
