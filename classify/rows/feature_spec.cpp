#include "classify/rows/feature_spec.h"

#include <fmt/format.h>

#include "features/base/names.h"

namespace leafglyph {

std::vector<Channel> channels_of(const FeatureSpec& features) {
  std::vector<Channel> channels = features.channels;
  if (features.colour == FeatureColour::kNone) return channels;
  channels.insert(channels.end(), colour_channels().begin(), colour_channels().end());
  return channels;
}

FeatureLayout feature_layout(const FeatureSpec& features, int order) {
  FeatureLayout layout;
  layout.family = features.family;
  layout.order = order;
  for (const Channel channel : channels_of(features)) {
    layout.channels.emplace_back(name_of(channel));
  }
  if (features.measures) {
    for (const std::string_view name : measure_names()) layout.measures.emplace_back(name);
    if (features.colour != FeatureColour::kNone) {
      for (const std::string_view name : colour_measure_names()) layout.measures.emplace_back(name);
    }
  }
  return layout;
}

std::string describe(const FeatureSpec& features) {
  std::string text =
      fmt::format("{}, order {}", family_text({features.family, features.weight}), features.order);
  std::string parts;
  const bool has_colour = features.colour == FeatureColour::kLab;
  for (const Channel channel : has_colour ? channels_of(features) : features.channels) {
    parts += (parts.empty() ? "" : ", ") + std::string(name_of(channel));
  }
  if (features.measures) {
    parts += fmt::format("{}{} global measures", parts.empty() ? "" : " and ",
                         kMeasureCount + (has_colour ? kColourMeasureCount : 0));
  }
  return text + ", of " + parts;
}

}  // namespace leafglyph
