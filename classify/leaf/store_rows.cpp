#include "classify/leaf/store_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_set>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

LeafConfig config_of(const FeatureStore& store) {
  if (store.header().kind != "leaf") {
    throw UsageError(store.folder().string() +
                     ": holds moments of whole images; classifiers are trained on features that "
                     "were extracted with --config");
  }
  return parse_leaf_config(store.header().settings, (store.folder() / kStore.facts).string());
}

// Adds a row of a store to a table, which is left where it lies, or its error, which names the path
// as those of photographs do.
void features_of_row(const StoreRow& row, std::size_t sample, std::span<const float> values,
                     FeatureTable& table, LeafFeatures& features) {
  if (!has_numbers(row.state)) {
    features.errors.push_back(row.path + ": " + row.warnings);
    return;
  }
  if (!row.warnings.empty()) features.warnings.push_back({sample, row.warnings});
  features.samples.push_back(sample);
  table.lying.rows.push_back(values.data());
}

std::string_view bytes_of(std::span<const float> row) {
  return {reinterpret_cast<const char*>(row.data()), row.size_bytes()};
}

// Whether the row is a leaf, or should have been one.
bool is_sample(const StoreRow& row) {
  return is_one_leaf(row.state) || row.state == RowState::kFailed;
}

// Blocks that are mapped at the same time: Linux allows 65,530 mappings of a process.
constexpr std::size_t kMostMapped = 16384;

// Blocks that are read at a time, since their checksums take long; some of them are in memory.
constexpr std::size_t kReadTogether = 16;

struct ReadBlock {
  std::vector<StoreRow> rows;
  std::size_t first = 0;                 // sample of the block
  std::span<const std::size_t> samples;  // that are wanted, in rising order
  FeatureStore::MappedValues values;     // if any sample is wanted
};

// Reads kReadTogether blocks from `begin` on. Takes their samples off the front of those that are
// wanted; `next` is the number of the first, and then of the one behind them.
std::vector<ReadBlock> read_blocks(const FeatureStore& store, std::size_t begin,
                                   std::span<const std::size_t>& wanted, std::size_t& next) {
  std::vector<ReadBlock> blocks(std::min(kReadTogether, store.header().blocks() - begin));
  parallel_for(blocks.size(), [&](std::size_t i) { blocks[i].rows = store.read_rows(begin + i); });
  for (ReadBlock& block : blocks) {
    block.first = next;
    next += static_cast<std::size_t>(std::ranges::count_if(block.rows, is_sample));
    const auto end = std::ranges::lower_bound(wanted, next);
    block.samples = wanted.first(static_cast<std::size_t>(end - wanted.begin()));
    wanted = wanted.subspan(block.samples.size());
  }
  parallel_for(blocks.size(), [&](std::size_t i) {
    if (!blocks[i].samples.empty()) blocks[i].values = store.map_values(begin + i);
  });
  return blocks;
}

// The wanted samples of a block, whose rows are left where they lie.
LeafFeatures features_of_block(const ReadBlock& block, const FeatureLayout& layout,
                               std::size_t width) {
  LeafFeatures features;
  features.table = {layout, {}};
  if (block.values.file) features.table.lying.files.files.push_back(block.values.file);
  if (block.values.memory) features.table.lying.memory.push_back(block.values.memory);
  auto sample = block.samples.begin();
  std::size_t number = block.first;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    if (!is_sample(block.rows[r])) continue;
    if (sample == block.samples.end() || *sample != number++) continue;
    features_of_row(block.rows[r], *sample++, block.values.values.subspan(r * width, width),
                    features.table, features);
  }
  features.measures.resize(features.samples.size());
  features.edge_widths.resize(features.samples.size());
  return features;
}

}  // namespace

LeafStores::LeafStores(std::span<const std::filesystem::path> folders) {
  if (folders.empty()) throw UsageError("there is no feature store");
  for (const std::filesystem::path& folder : folders) {
    stores_.push_back(FeatureStore::open(folder));
  }
  config_ = config_of(stores_.front());
  header_ = joined_header(stores_);
  if (!header_.projection.empty()) {
    throw UsageError(folders.front().string() +
                     ": holds projected columns, and classifiers are trained on all of them: name "
                     "the store that they were made of, or extract without --projection");
  }
  if (column_names(feature_layout(config_.features, config_.features.order)) != header_.columns) {
    throw FormatError((folders.front() / kStore.facts).string() +
                      ": the columns are not those of the settings; extract the features again");
  }
}

std::string LeafStores::folders() const {
  std::vector<std::string> names;
  for (const FeatureStore& store : stores_) names.push_back(store.folder().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

LeafDataset LeafStores::dataset() const {
  std::vector<std::size_t> leaves;
  return dataset(leaves);
}

LeafDataset LeafStores::dataset(std::vector<std::size_t>& leaves) const {
  LeafDataset dataset;
  leaves.clear();
  dataset.class_names = header_.classes;
  dataset.scientific_names = header_.scientific_names;
  dataset.chinese_names = header_.chinese_names;
  std::map<std::string, int> label_of;
  for (std::size_t c = 0; c < header_.classes.size(); ++c) {
    label_of[header_.classes[c]] = static_cast<int>(c);
  }
  for (const FeatureStore& store : stores_) {
    const std::size_t before = dataset.samples.size();
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      for (StoreRow& row : store.read_rows(b)) {
        if (!is_sample(row)) continue;
        const auto label = label_of.find(row.label);
        if (label == label_of.end()) {
          throw InputError(
              fmt::format("{}: {} has no label; extract with --labels, or from folders "
                          "that are named as the classes",
                          store.folder().string(), row.path));
        }
        dataset.samples.push_back({std::move(row.path), /*generated=*/-1, label->second, row.part});
      }
    }
    leaves.push_back(dataset.samples.size() - before);
  }
  dataset.description =
      fmt::format("{} of {}, features of {}", counted(dataset.samples.size(), "leaf", "leaves"),
                  counted(header_.classes.size(), "class", "classes"), folders());
  return dataset;
}

FeatureLayout LeafStores::layout_for(const FeatureSpec& features, int order) const {
  FeatureSpec wanted = features;
  if (wanted.colour == FeatureColour::kAuto) wanted.colour = config_.features.colour;
  return feature_layout(wanted, order);
}

void LeafStores::check(const LeafConfig& config, int order) const {
  const auto refuse = [&](const std::string& what, const std::string& instead = {}) {
    throw UsageError(folders() + ": " + what + "; extract the features again" + instead);
  };
  const FeatureSpec& own = config_.features;
  const FeatureSpec& wanted = config.features;
  PrepareSpec with_own_finder = config.preparation;
  with_own_finder.finder = config_.preparation.finder;
  if (config.preparation != config_.preparation && with_own_finder == config_.preparation) {
    const std::string finder(name_of(config_.preparation.finder));
    refuse("the leaves were found by finder: " + finder + ", the configuration says " +
               std::string(name_of(config.preparation.finder)),
           ", or use --set preparation.finder=" + finder);
  }
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
  if (!same_values(wanted.network, own.network)) {
    refuse("holds " + describe(own) + ", the configuration asks for " + describe(wanted) +
           " (or for the same of another file, layer or size of the network)");
  }
  if (wanted.join.columns != own.join.columns) {
    refuse("holds " + describe(own) + ", the configuration asks for " + describe(wanted) +
           (wanted.join.columns.size() == own.join.columns.size() ? " with other columns" : ""));
  }
  if (order > own.order) refuse(fmt::format("holds order {}, not {}", own.order, order));
  if (wanted.measures != own.measures) {
    refuse(own.measures ? "holds measures, which the configuration leaves out"
                        : "holds no measures, which the configuration asks for");
  }
}

FeatureLayout LeafStores::layout(const LeafConfig& config) const {
  check(config, config.features.order);
  return layout_for(config.features, config.features.order);
}

void LeafStores::each_block(std::span<const std::size_t> samples, const LeafConfig& config,
                            int order, const std::function<void(LeafFeatures)>& take) const {
  check(config, order);
  const FeatureLayout own = feature_layout(config_.features, config_.features.order);
  const FeatureLayout wanted = layout_for(config.features, order);
  std::size_t next = 0;  // sample in the stores
  for (const FeatureStore& store : stores_) {
    for (std::size_t b = 0; b < store.header().blocks(); b += kReadTogether) {
      if (samples.empty()) return;
      for (const ReadBlock& block : read_blocks(store, b, samples, next)) {
        if (block.samples.empty()) continue;
        LeafFeatures features = features_of_block(block, own, header_.columns.size());
        if (own != wanted) {
          features.table = select_columns(features.table, order, wanted.group_names());
        }
        take(std::move(features));
        if (block.values.file) block.values.file->check();
      }
    }
  }
}

LeafFeatures LeafStores::rows(std::span<const std::size_t> samples, const LeafConfig& config,
                              int order) const {
  LeafFeatures all = lying_rows(samples, config, order);
  all.table = held(std::move(all.table));
  return all;
}

LeafFeatures LeafStores::lying_rows(std::span<const std::size_t> samples, const LeafConfig& config,
                                    int order) const {
  LeafFeatures all;
  all.table.layout = layout_for(config.features, order);
  std::size_t blocks = 0;
  for (const FeatureStore& store : stores_) blocks += store.header().blocks();
  const auto append = [](auto& list, auto& more) {
    list.insert(list.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  each_block(samples, config, order, [&](LeafFeatures part) {
    if (blocks > kMostMapped) part.table = held(std::move(part.table));
    append(all.table.values, part.table.values);
    append(all.table.lying.rows, part.table.lying.rows);
    append(all.table.lying.files.files, part.table.lying.files.files);
    append(all.table.lying.memory, part.table.lying.memory);
    append(all.samples, part.samples);
    append(all.errors, part.errors);
    append(all.warnings, part.warnings);
  });
  all.measures.resize(all.samples.size());
  all.edge_widths.resize(all.samples.size());
  return all;
}

void use_stores(LeafConfig& config, std::span<const std::filesystem::path> stores) {
  config.data = LeafStores(stores).config().data;
  config.data.features.assign(stores.begin(), stores.end());
}

std::vector<std::size_t> first_equal_rows(const FeatureTable& table) {
  std::vector<std::size_t> hashes(table.rows());
  parallel_for({hashes.size(), /*at_a_time=*/256, /*serial=*/256}, [&](std::size_t i) {
    hashes[i] = std::hash<std::string_view>()(bytes_of(table.row(i)));
  });
  const auto hash_of = [&](std::size_t i) { return hashes[i]; };
  const auto are_equal = [&](std::size_t i, std::size_t j) {
    return hashes[i] == hashes[j] && bytes_of(table.row(i)) == bytes_of(table.row(j));
  };
  std::unordered_set<std::size_t, decltype(hash_of), decltype(are_equal)> first(hashes.size(),
                                                                                hash_of, are_equal);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) rows.push_back(*first.insert(i).first);
  return rows;
}

}  // namespace leafglyph
