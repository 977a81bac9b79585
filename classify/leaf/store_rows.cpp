#include "classify/leaf/store_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

LeafConfig config_of(const FeatureStore& store) {
  if (store.header().kind != "leaf") {
    throw UsageError(store.folder().string() +
                     ": holds moments of whole images; classifiers are trained on features that "
                     "were extracted with --config");
  }
  return parse_leaf_config(store.header().settings, (store.folder() / kStoreFile).string());
}

std::string_view bytes_of(std::span<const float> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}

}  // namespace

LeafStore::LeafStore(const std::filesystem::path& folder)
    : store_(FeatureStore::open(folder)), config_(config_of(store_)) {
  if (column_names(feature_layout(config_.features, config_.features.order)) !=
      store_.header().columns) {
    throw FormatError((folder / kStoreFile).string() +
                      ": the columns are not those of the settings; extract the features again");
  }
  store_.check_complete();
}

LeafDataset LeafStore::dataset() const {
  const StoreHeader& header = store_.header();
  LeafDataset dataset;
  dataset.class_names = header.classes;
  dataset.scientific_names = header.scientific_names;
  std::map<std::string, int> label_of;
  for (std::size_t c = 0; c < header.classes.size(); ++c) {
    label_of[header.classes[c]] = static_cast<int>(c);
  }
  for (std::size_t b = 0; b < header.blocks(); ++b) {
    for (StoreRow& row : store_.read_rows(b)) {
      const auto label = label_of.find(row.label);
      if (label == label_of.end()) {
        throw InputError(
            fmt::format("{}: {} has no label; extract with --labels, or from folders "
                        "that are named as the classes",
                        store_.folder().string(), row.path));
      }
      dataset.samples.push_back({std::move(row.path), /*generated=*/-1, label->second});
    }
  }
  dataset.description =
      fmt::format("{} leaves of {} classes, features of {}", dataset.samples.size(),
                  header.classes.size(), store_.folder().string());
  return dataset;
}

FeatureLayout LeafStore::layout_for(const FeatureSpec& features, int order) const {
  FeatureSpec wanted = features;
  if (wanted.colour == FeatureColour::kAuto) wanted.colour = config_.features.colour;
  return feature_layout(wanted, order);
}

void LeafStore::check(const LeafConfig& config, int order) const {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(store_.folder().string() + ": " + what + "; extract the features again");
  };
  const FeatureSpec& own = config_.features;
  const FeatureSpec& wanted = config.features;
  if (config.preparation != config_.preparation) {
    refuse("the leaves were not prepared as the configuration says");
  }
  if (wanted.family != own.family || !(wanted.weight == own.weight) ||
      wanted.precision != own.precision) {
    refuse("holds " + describe(own) + ", the configuration asks for " + describe(wanted));
  }
  if (wanted.colour == FeatureColour::kLab && own.colour != FeatureColour::kLab) {
    refuse("holds no colours, which the configuration asks for (features.colour: lab)");
  }
  if (order > own.order) refuse(fmt::format("holds order {}, not {}", own.order, order));
  if (wanted.measures != own.measures) {
    refuse(own.measures ? "holds measures, which the configuration leaves out"
                        : "holds no measures, which the configuration asks for");
  }
}

LeafFeatures LeafStore::rows(std::span<const std::size_t> samples, const LeafConfig& config,
                             int order) const {
  check(config, order);
  const StoreHeader& header = store_.header();
  const std::size_t width = header.columns.size();
  FeatureTable table{feature_layout(config_.features, config_.features.order), {}};
  LeafFeatures features;
  auto sample = samples.begin();  // in rising order
  for (std::size_t b = 0; b < header.blocks() && sample != samples.end(); ++b) {
    if (*sample >= (b + 1) * header.block) continue;
    const StoreBlock block = store_.read_block(b);
    for (; sample != samples.end() && *sample < b * header.block + block.rows.size(); ++sample) {
      const std::size_t row = *sample - b * header.block;
      const StoreRow& input = block.rows[row];
      if (input.state == RowState::kFailed) {
        features.errors.push_back(input.warnings);
        continue;
      }
      if (!input.warnings.empty()) {
        features.warnings.push_back({*sample, input.warnings});
      }
      features.samples.push_back(*sample);
      const auto values = std::span(block.values).subspan(row * width, width);
      table.values.insert(table.values.end(), values.begin(), values.end());
    }
  }
  features.measures.resize(features.samples.size());
  features.edge_widths.resize(features.samples.size());
  features.table = select_columns(table, order, layout_for(config.features, order).group_names());
  return features;
}

std::vector<std::size_t> first_equal_rows(const FeatureTable& table) {
  std::map<std::string_view, std::size_t> first;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    rows.push_back(first.emplace(bytes_of(table.row(i)), i).first->second);
  }
  return rows;
}

}  // namespace leafglyph
