#include "features/leaf/channels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/leaf/channel_row.h"
#include "features/leaf/leaf_texture.h"

namespace leafglyph {
namespace {

constexpr std::array kAllChannels = {
    Channel::kGrey,     Channel::kInverted,  Channel::kMask,     Channel::kStandardised,
    Channel::kGradient, Channel::kHighPass,  Channel::kOutline,  Channel::kRadial,
    Channel::kOblique,  Channel::kRounded,   Channel::kHullGaps, Channel::kCurvature,
    Channel::kRedGreen, Channel::kYellowBlue};
constexpr std::array<std::string_view, kMeasureCount> kMeasureNames = {
    "log-area",
    "mean-grey",
    "spread-grey",
    "mean-gradient",
};
constexpr std::array<std::string_view, kColourMeasureCount> kColourMeasureNames = {
    "mean-a",
    "spread-a",
    "mean-b",
    "spread-b",
};

// For log-area of a leaf without pixels; smaller than the share of any leaf that preparation
// accepts.
constexpr double kLeastAreaShare = 1e-9;

}  // namespace

std::span<const Channel> all_channels() { return kAllChannels; }

std::vector<Channel> image_channels() {
  std::vector<Channel> images;
  std::ranges::copy_if(kAllChannels, std::back_inserter(images),
                       [](Channel channel) { return channel.row().make != nullptr; });
  return images;
}

std::vector<Channel> colour_channels() {
  std::vector<Channel> channels;
  std::ranges::copy_if(kAllChannels, std::back_inserter(channels), is_of_colour);
  return channels;
}

bool is_of_colour(Channel channel) { return channel.row().is_of_colour; }

std::string_view name_of(Channel channel) { return channel.row().name; }

Channel channel_from_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Channel channel : kAllChannels) {
    if (name_of(channel) == name) return channel;
    names.push_back(name_of(channel));
  }
  throw_unknown_name("channel", name, names);
}

MadeChannels compute_channels(const PreparedLeaf& leaf, std::span<const Channel> channels,
                              std::span<float> out) {
  const std::size_t pixels = leaf.grey.size();
  if (out.size() != channels.size() * pixels || leaf.mask.size() != pixels) {
    throw UsageError("compute_channels: " + std::to_string(channels.size()) + " channels of " +
                     std::to_string(pixels) + " pixels do not fit " + std::to_string(out.size()) +
                     " values");
  }
  ChannelLeaf source(leaf, channels, out);
  MadeChannels made;
  for (const Channel channel : channels) {
    if (channel.row().make == nullptr) {
      throw UsageError("the channel " + std::string(name_of(channel)) + " is not an image");
    }
    if (!channel.row().make(source, source.image_of(channel))) made.constant.push_back(channel);
  }
  made.mean_gradient = source.mean_gradient;
  return made;
}

std::span<const std::string_view> measure_names() { return kMeasureNames; }

std::array<float, kMeasureCount> measure_columns(const PreparedLeaf& leaf,
                                                 std::optional<double> gradient) {
  return {static_cast<float>(std::log(std::max(leaf.measures.area_share, kLeastAreaShare))),
          static_cast<float>(leaf.measures.mean_grey),
          static_cast<float>(leaf.measures.spread_grey),
          static_cast<float>(gradient ? *gradient : mean_gradient(leaf))};
}

std::span<const std::string_view> colour_measure_names() { return kColourMeasureNames; }

std::array<float, kColourMeasureCount> colour_measure_columns(const PreparedLeaf& leaf) {
  if (!leaf.colours) return {};
  // measure_leaf computes the mean and standard deviation of any plane.
  const LeafMeasures a = measure_leaf(leaf.colours->a, leaf.mask, leaf.measures.area_share);
  const LeafMeasures b = measure_leaf(leaf.colours->b, leaf.mask, leaf.measures.area_share);
  return {static_cast<float>(a.mean_grey), static_cast<float>(a.spread_grey),
          static_cast<float>(b.mean_grey), static_cast<float>(b.spread_grey)};
}

}  // namespace leafglyph
