#include "classify/leaf/colour_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

bool is_colour_channel(const std::string& name) { return is_of_colour(from_name<Channel>(name)); }

bool is_colour_measure(std::string_view name) {
  const auto names = colour_measure_names();
  return std::ranges::find(names, name) != names.end();
}

OptionalParts colour_parts(const FeatureLayout& layout) {
  OptionalParts parts;
  std::ranges::copy_if(layout.channels, std::back_inserter(parts.channels), is_colour_channel);
  std::ranges::copy_if(layout.measures, std::back_inserter(parts.measures), is_colour_measure);
  return parts;
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
  const FeatureLayout& layout = table.layout;
  std::vector<std::string> channels, measures;
  std::ranges::remove_copy_if(layout.channels, std::back_inserter(channels), is_colour_channel);
  std::ranges::remove_copy_if(layout.measures, std::back_inserter(measures), is_colour_measure);
  return select_columns(table, layout.order, channels, measures);
}

TuningSpec tuning_for(const LeafConfig& config, const FeatureLayout& layout) {
  TuningSpec tuning = config.tuning;
  const OptionalParts colour = colour_parts(layout);
  for (std::vector<std::string>& channels : tuning.channels) {
    channels.insert(channels.end(), colour.channels.begin(), colour.channels.end());
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
  for (const std::string& name : chosen.channels) {
    const Channel channel = from_name<Channel>(name);
    if (is_of_colour(channel)) {
      config.features.colour = FeatureColour::kLab;
    } else {
      config.features.channels.push_back(channel);
    }
  }
  config.classifier = chosen.classifier;
  config.tuning = {};
}

void settle_colour(const FeatureLayout& layout, LeafConfig& config) {
  config.features.colour = colour_parts(layout).any() ? FeatureColour::kLab : FeatureColour::kNone;
}

}  // namespace leafglyph
