#include "classify/rows/feature_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/base/names.h"
#include "features/leaf/outline_curvature.h"

namespace leafglyph {

std::vector<Channel> image_channels_of(const FeatureSpec& features) {
  std::vector<Channel> channels = features.channels;
  std::erase(channels, Channel::kCurvature);
  if (features.colour == FeatureColour::kNone) return channels;
  channels.insert(channels.end(), colour_channels().begin(), colour_channels().end());
  return channels;
}

bool has_curvature(const FeatureSpec& features) {
  return std::ranges::find(features.channels, Channel::kCurvature) != features.channels.end();
}

FeatureLayout feature_layout(const FeatureSpec& features, int order) {
  const auto named = [](std::string_view name, ColumnKind kind, auto columns) {
    return ColumnGroup{std::string(name), kind, {columns.begin(), columns.end()}};
  };
  FeatureLayout layout;
  layout.family = features.family;
  layout.order = order;
  for (const Channel channel : image_channels_of(features)) {
    layout.groups.push_back({std::string(name_of(channel))});
  }
  if (has_curvature(features)) {
    layout.groups.push_back(
        named(name_of(Channel::kCurvature), ColumnKind::kHistogram, curvature_column_names()));
  }
  if (!features.measures) return layout;
  layout.groups.push_back(named(kMeasuresGroup, ColumnKind::kMeasure, measure_names()));
  if (features.colour != FeatureColour::kNone) {
    layout.groups.push_back(
        named(kColourMeasuresGroup, ColumnKind::kMeasure, colour_measure_names()));
  }
  return layout;
}

std::string describe(const FeatureSpec& features) {
  std::string text =
      fmt::format("{}, order {}", family_text({features.family, features.weight}), features.order);
  std::string parts;
  const bool has_colour = features.colour == FeatureColour::kLab;
  std::vector<Channel> channels = features.channels;
  if (has_colour) {
    channels.insert(channels.end(), colour_channels().begin(), colour_channels().end());
  }
  for (const Channel channel : channels) {
    parts += (parts.empty() ? "" : ", ") + std::string(name_of(channel));
  }
  if (features.measures) {
    parts += fmt::format("{}{} global measures", parts.empty() ? "" : " and ",
                         kMeasureCount + (has_colour ? kColourMeasureCount : 0));
  }
  return text + ", of " + parts;
}

}  // namespace leafglyph
