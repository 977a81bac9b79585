// The channels of a prepared leaf whose moments are computed, and its global measures as columns.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/leaf/leaf_image.h"

namespace leafglyph {

struct ChannelRow;

/// A channel is an N x N image of floats whose moments are features, except for kCurvature, which
/// is a list of features itself. Images are 0 outside the leaf, except for kHullGaps. Below, g is
/// the grey value of a pixel, M the leaf, and E the eroded leaf, which excludes the outline.
class Channel {
 public:
  /// "grey": g / 255 in M
  static const Channel kGrey;
  /// "inverted": 1 - g / 255 in M
  static const Channel kInverted;
  /// "mask": 1 in M
  static const Channel kMask;
  /// "standardised": (g - mean) / standard deviation, both over M, in M
  static const Channel kStandardised;
  /// "gradient": |grad g| / its mean over E, in E: the venation
  static const Channel kGradient;
  /// "high-pass": |g - Gaussian mean of g inside M| / its mean over E, in E
  static const Channel kHighPass;
  /// "outline": 1 on the pixels of M that touch the background
  static const Channel kOutline;
  /// "radial": in E, how far g varies along the radius rather than across it
  static const Channel kRadial;
  /// "oblique": in E, how far g varies at 45 degrees to the radius; for both see
  /// leaf_orientation.h
  static const Channel kOblique;
  /// "rounded": "standardised" after stretching the leaf to be as wide as long
  static const Channel kRounded;
  /// "hull-gaps": 1 in the convex hull of M, outside M
  static const Channel kHullGaps;
  /// "curvature": histograms of the outline's curvature (outline_curvature.h)
  static const Channel kCurvature;
  /// "a": a* / 100 in M, for leaves with colours (leaf_colour.h)
  static const Channel kRedGreen;
  /// "b": b* / 100 in M, for leaves with colours
  static const Channel kYellowBlue;

  constexpr explicit Channel(const ChannelRow* row) : row_(row) {}  ///< the row must outlive it
  const ChannelRow& row() const { return *row_; }
  friend constexpr bool operator==(Channel, Channel) = default;

 private:
  const ChannelRow* row_;
};

extern const ChannelRow kGreyRow;
extern const ChannelRow kInvertedRow;
extern const ChannelRow kMaskRow;
extern const ChannelRow kStandardisedRow;
extern const ChannelRow kGradientRow;
extern const ChannelRow kHighPassRow;
extern const ChannelRow kOutlineRow;
extern const ChannelRow kRadialRow;
extern const ChannelRow kObliqueRow;
extern const ChannelRow kRoundedRow;
extern const ChannelRow kHullGapsRow;
extern const ChannelRow kCurvatureRow;
extern const ChannelRow kRedGreenRow;
extern const ChannelRow kYellowBlueRow;

inline constexpr Channel Channel::kGrey{&kGreyRow};
inline constexpr Channel Channel::kInverted{&kInvertedRow};
inline constexpr Channel Channel::kMask{&kMaskRow};
inline constexpr Channel Channel::kStandardised{&kStandardisedRow};
inline constexpr Channel Channel::kGradient{&kGradientRow};
inline constexpr Channel Channel::kHighPass{&kHighPassRow};
inline constexpr Channel Channel::kOutline{&kOutlineRow};
inline constexpr Channel Channel::kRadial{&kRadialRow};
inline constexpr Channel Channel::kOblique{&kObliqueRow};
inline constexpr Channel Channel::kRounded{&kRoundedRow};
inline constexpr Channel Channel::kHullGaps{&kHullGapsRow};
inline constexpr Channel Channel::kCurvature{&kCurvatureRow};
inline constexpr Channel Channel::kRedGreen{&kRedGreenRow};
inline constexpr Channel Channel::kYellowBlue{&kYellowBlueRow};

/// Every channel, in the order above; and those of them that are images.
std::span<const Channel> all_channels();
std::vector<Channel> image_channels();
/// The channels that need PreparedLeaf::colours.
std::vector<Channel> colour_channels();
bool is_of_colour(Channel channel);

std::string_view name_of(Channel channel);
/// Throws UsageError for a name that is unknown, with those that are known.
Channel channel_from_name(std::string_view name);

/// A leaf is constant if its standard deviation, or mean |gradient|, in grey values, is below this.
inline constexpr double kLeastVariation = 1e-3;

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
