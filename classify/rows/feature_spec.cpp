#include "classify/rows/feature_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/text.h"
#include "features/leaf/outline_curvature.h"

namespace leafglyph {

namespace {

std::vector<Channel> channels_of(const std::vector<std::string>& names) {
  std::vector<Channel> channels;
  for (const std::string& name : names) {
    const auto channel = channel_from_name(name);
    if (is_of_colour(channel)) {
      throw UsageError("'" + name + "' is a channel of colour; features.colour adds those");
    }
    if (std::ranges::count(channels, channel) > 0) {
      throw UsageError("'" + name + "' is listed twice");
    }
    channels.push_back(channel);
  }
  return channels;
}

std::vector<std::string> names_of(std::span<const Channel> channels) {
  std::vector<std::string> names;
  for (const Channel channel : channels) {
    if (!is_of_colour(channel)) names.emplace_back(name_of(channel));
  }
  return names;
}

ColumnGroup group_of(const NetworkSpec& network) {
  ColumnGroup group{std::string(kNetworkGroup), ColumnKind::kNetwork, {}};
  for (int i = 0; i < network.values; ++i) {
    group.columns.push_back(fmt::format("{}_{}", kNetworkGroup, i));
  }
  return group;
}

ColumnGroup group_of(const JoinSpec& join) {
  ColumnGroup group{std::string(kJoinedGroup), ColumnKind::kJoined, {}};
  for (const std::string& column : join.columns) {
    group.columns.push_back(fmt::format("{}_{}", kJoinedGroup, column));
  }
  return group;
}

constexpr Names<Precision, 2> kPrecisions = {
    "precision", {{{Precision::kFloat, "fast"}, {Precision::kDouble, "exact"}}}};

}  // namespace

void declare(Keys& keys, FeatureSpec& spec) {
  declare_family(keys, spec.family, spec.weight);
  keys.number("order", spec.order, {1.0 * spec.family.row().lowest_order, kMaxFeatureOrder},
              "Highest order of the moments");
  std::vector<std::string> names = names_of(spec.channels);
  const std::string sentence = fmt::format(
      "Images whose moments are features, and curvature, histograms of the outline's: {}",
      fmt::join(names_of(all_channels()), ", "));
  keys.key({"channels", &names, sentence});
  keys.check("channels", [&] { spec.channels = channels_of(names); });
  keys.flag("measures", spec.measures,
            "Log area, mean and spread of grey and mean gradient, and of colours mean and spread, "
            "as features");
  keys.check("channels", [&] {
    if (!spec.channels.empty() || spec.measures) return;
    throw UsageError(fmt::format("at least one of {}", fmt::join(names_of(all_channels()), ", ")));
  });
  keys.choice("colour", spec.colour,
              "lab: a* and b* in white light are channels, too; auto: where every training "
              "photograph has colours and cross-validation inside the training leaves identifies "
              "more leaves with them");
  declare(keys, spec.network);
  declare(keys, spec.join);
  keys.choice("precision", spec.precision, kPrecisions, "fast: float products; exact: double");
}

std::vector<Channel> image_channels_of(const FeatureSpec& features) {
  std::vector<Channel> channels = features.channels;
  std::erase(channels, Channel::kCurvature);
  if (features.colour == FeatureColour::kNone) return channels;
  std::ranges::copy(colour_channels(), std::back_inserter(channels));
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
  if (features.measures) {
    layout.groups.push_back(named(kMeasuresGroup, ColumnKind::kMeasure, measure_names()));
    if (features.colour != FeatureColour::kNone) {
      layout.groups.push_back(
          named(kColourMeasuresGroup, ColumnKind::kMeasure, colour_measure_names()));
    }
  }
  if (features.network.is_used()) layout.groups.push_back(group_of(features.network));
  if (features.join.is_used()) layout.groups.push_back(group_of(features.join));
  return layout;
}

std::string describe(const FeatureSpec& features) {
  std::string text =
      fmt::format("{}, order {}", family_text({features.family, features.weight}), features.order);
  std::string parts;
  const bool has_colour = features.colour == FeatureColour::kLab;
  std::vector<Channel> channels = features.channels;
  if (has_colour) {
    std::ranges::copy(colour_channels(), std::back_inserter(channels));
  }
  for (const Channel channel : channels) {
    parts += (parts.empty() ? "" : ", ") + std::string(name_of(channel));
  }
  if (features.measures) {
    parts += fmt::format("{}{} global measures", parts.empty() ? "" : " and ",
                         kMeasureCount + (has_colour ? kColourMeasureCount : 0));
  }
  text += ", of " + parts;
  if (features.network.is_used()) {
    text += fmt::format(", and {} values of {}", features.network.values,
                        features.network.file.filename().string());
  }
  if (features.join.is_used()) {
    const std::size_t columns = features.join.columns.size();
    text += fmt::format(", and {} of a table", counted(columns, "column", "columns"));
  }
  return text;
}

}  // namespace leafglyph
