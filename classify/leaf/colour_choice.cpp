#include "classify/leaf/colour_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

bool is_of_colour(const std::string& group) {
  if (is_beside_channels(group)) return group == kColourMeasuresGroup;
  return is_of_colour(channel_from_name(group));
}

std::vector<std::string> colour_groups(const FeatureLayout& layout) {
  std::vector<std::string> groups;
  std::ranges::copy_if(layout.group_names(), std::back_inserter(groups),
                       [](const std::string& name) { return is_of_colour(name); });
  return groups;
}

}  // namespace

LeafConfig with_colour_of(const LeafConfig& config, const LeafDataset& dataset) {
  LeafConfig known = config;
  if (config.features.colour != FeatureColour::kAuto) return known;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    try {
      if (!sample_photograph(dataset, i, /*source_aspect=*/0).has_colour()) {
        known.features.colour = FeatureColour::kNone;
      }
      return known;
    } catch (const InputError&) {
      // If this photograph cannot be read, its preparation will report why.
    }
  }
  return known;
}

LeafConfig without_choice(LeafConfig config) {
  if (config.features.colour == FeatureColour::kAuto) config.features.colour = FeatureColour::kNone;
  return config;
}

FeatureTable without_colour(const FeatureTable& table) {
  std::vector<std::string> groups = table.layout.group_names();
  std::erase_if(groups, [](const std::string& name) { return is_of_colour(name); });
  return select_columns(table, table.layout.order, groups);
}

TuningSpec tuning_for(const LeafConfig& config, const FeatureLayout& layout) {
  TuningSpec tuning = config.tuning;
  const std::vector<std::string> colour = colour_groups(layout);
  for (std::vector<std::string>& channels : tuning.channels) {
    std::ranges::remove_copy(colour, std::back_inserter(channels), kColourMeasuresGroup);
  }
  if (config.features.colour == FeatureColour::kAuto) tuning.optional = colour;
  return tuning;
}

std::string in_words(const OptionalGain& colour) {
  return fmt::format(
      "{:.2f} % of the leaves are identified correctly with colours, {:.2f} % without",
      100 * colour.with, 100 * colour.without);
}

void settle(const LeafSettings& chosen, LeafConfig& config) {
  config.features.order = chosen.order;
  config.features.channels.clear();
  config.features.colour = FeatureColour::kNone;
  for (const std::string& name : chosen.groups) {
    if (is_of_colour(name)) {
      config.features.colour = FeatureColour::kLab;
    } else if (!is_beside_channels(name)) {
      config.features.channels.push_back(channel_from_name(name));
    }
  }
  config.classifier = chosen.classifier;
  config.tuning = {};
}

void settle_colour(const FeatureLayout& layout, LeafConfig& config) {
  config.features.colour =
      colour_groups(layout).empty() ? FeatureColour::kNone : FeatureColour::kLab;
}

}  // namespace leafglyph
