#include "classify/leaf/leaf_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/equal_photographs.h"
#include "classify/leaf/leaf_prior.h"
#include "classify/leaf/store_rows.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::vector<int> labels_of(const LeafDataset& dataset) {
  std::vector<int> labels;
  for (const LeafSample& sample : dataset.samples) labels.push_back(sample.label);
  return labels;
}

std::vector<int> labels_of(const LeafDataset& dataset, std::span<const std::size_t> samples) {
  std::vector<int> labels;
  for (const std::size_t sample : samples) labels.push_back(dataset.samples[sample].label);
  return labels;
}

// Samples that are not in `bad` and that the protocol may use.
std::vector<std::size_t> usable_samples(const LeafDataset& dataset,
                                        const std::optional<ProtocolSpec>& protocol,
                                        const std::set<std::size_t>& bad) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    if (!bad.contains(i)) good.push_back(i);
  }
  if (!protocol) return good;
  std::vector<std::size_t> usable;
  for (const std::size_t i : eligible_samples(*protocol, labels_of(dataset, good))) {
    usable.push_back(good[i]);
  }
  return usable;
}

// The row of each sample that has been prepared.
struct Prepared {
  std::map<std::size_t, std::size_t> row_of_sample;
  FeatureTable table;
  std::vector<LeafMeasures> measures;  // of the rows
  std::vector<double> edge_widths;
  std::vector<LeafWarning> warnings;  // of the samples
  std::set<std::size_t> grey;         // samples without colours
  std::set<std::size_t> unclear;      // samples
};

void append(LeafFeatures features, Prepared& prepared, LeafData& data) {
  const std::size_t first = prepared.table.rows();
  if (first == 0) {
    prepared.table = std::move(features.table);
  } else {
    prepared.table = held(std::move(prepared.table));
    features.table = held(std::move(features.table));
    prepared.table.values.insert(prepared.table.values.end(), features.table.values.begin(),
                                 features.table.values.end());
  }
  prepared.edge_widths.insert(prepared.edge_widths.end(), features.edge_widths.begin(),
                              features.edge_widths.end());
  prepared.measures.insert(prepared.measures.end(), features.measures.begin(),
                           features.measures.end());
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    prepared.row_of_sample[features.samples[i]] = first + i;
  }
  prepared.grey.insert(features.grey.begin(), features.grey.end());
  prepared.unclear.insert(features.unclear.begin(), features.unclear.end());
  data.errors.insert(data.errors.end(), features.errors.begin(), features.errors.end());
  prepared.warnings.insert(prepared.warnings.end(), features.warnings.begin(),
                           features.warnings.end());
  data.times.insert(data.times.end(), features.times.begin(), features.times.end());
}

// Colours become features if every photograph in use has them. If only some have, the user would
// not otherwise learn why colours are not used.
void drop_partial_colour(const LeafDataset& dataset, const std::vector<std::size_t>& usable,
                         LeafConfig& config, Prepared& prepared, LeafData& data) {
  const auto is_grey = [&](std::size_t sample) { return prepared.grey.contains(sample); };
  const auto first = std::ranges::find_if(usable, is_grey);
  if (first == usable.end()) return;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(usable, is_grey));
  if (count < usable.size()) {
    data.warnings.push_back(fmt::format(
        "colours are not used, since {} of {} photographs {} none{} {}; remove {} to train a model "
        "with colours",
        count, usable.size(), count == 1 ? "has" : "have",
        count == 1 ? ":" : "; first:", sample_name(dataset, *first), count == 1 ? "it" : "them"));
  }
  if (config.features.colour != FeatureColour::kAuto) return;
  prepared.table = without_colour(prepared.table);
  config.features.colour = FeatureColour::kNone;
}

void keep(const LeafDataset& dataset, Prepared prepared, const std::vector<std::size_t>& usable,
          bool from_store, LeafData& data) {
  data.dataset = dataset;
  data.dataset.samples.clear();
  std::vector<std::size_t> rows;
  std::vector<LeafMeasures> measures;
  std::map<std::size_t, std::size_t> place;  // position of a sample among those that are kept
  for (const std::size_t sample : usable) {
    place[sample] = rows.size();
    if (prepared.unclear.contains(sample)) data.unclear.push_back(rows.size());
    data.dataset.samples.push_back(dataset.samples[sample]);
    data.labels.push_back(dataset.samples[sample].label);
    data.names.push_back(leaf_name(dataset, sample));
    rows.push_back(prepared.row_of_sample.at(sample));
    measures.push_back(prepared.measures[rows.back()]);
    data.edge_widths.push_back(prepared.edge_widths[rows.back()]);
  }
  for (LeafWarning& warning : prepared.warnings) {
    const auto row = place.find(warning.leaf);
    if (row != place.end()) data.remarks.push_back({row->second, std::move(warning.text)});
  }
  const bool all = rows.size() == prepared.table.rows() && std::ranges::is_sorted(rows);
  data.table = all ? std::move(prepared.table) : select_rows(prepared.table, rows);
  data.photographs =
      from_store ? first_equal_rows(data.table) : first_photographs(measures, data.dataset);
}

// Adds augmented copies of every second leaf of each class, if the configuration uses them. Copies
// in which no leaf is found are skipped.
void add_augmented_copies(const LeafDataset& dataset, const std::vector<std::size_t>& usable,
                          const LeafConfig& config, int order, const LeafRun& run, LeafData& data) {
  if (config.classifier.pipeline.plda.augmentation == 0.0) return;
  std::map<int, std::size_t> seen;
  std::vector<std::size_t> samples;
  std::map<std::size_t, std::size_t> row_of_sample;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (seen[data.labels[i]]++ % 2 != 0) continue;
    samples.push_back(usable[i]);
    row_of_sample[usable[i]] = i;
  }
  LeafFeatures augmented =
      features_of(dataset, samples, config, order, run, TrainingCopies::kAugmented);
  for (const std::size_t sample : augmented.samples) {
    data.table.augmented.of.push_back(row_of_sample.at(sample));
  }
  data.table.augmented.values = std::move(augmented.table.values);
  for (const StageTime& time : augmented.times) {
    data.times.push_back({time.stage + " of augmented copies", time.seconds});
  }
}

// The error of the class's first leaf that could not be prepared.
std::string first_error(const LeafDataset& dataset, int label,
                        const std::vector<std::string>& errors) {
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    if (dataset.samples[i].label != label) continue;
    for (const std::string& error : errors) {
      if (error.starts_with(sample_name(dataset, i))) return error;
    }
  }
  return "it has none";
}

// A class without a usable leaf is refused, because the model would take its leaves for another
// class.
void check_classes(const LeafDataset& dataset, const LeafData& data) {
  const std::set<int> present(data.labels.begin(), data.labels.end());
  std::string empty;
  std::string why;
  for (int label = 0; label < static_cast<int>(dataset.class_names.size()); ++label) {
    if (present.contains(label)) continue;
    if (empty.empty()) why = first_error(dataset, label, data.errors);
    empty += (empty.empty() ? "" : ", ") + dataset.class_names[static_cast<std::size_t>(label)];
  }
  if (empty.empty()) return;
  throw InputError("no leaf of " + empty + " could be prepared; replace its photographs or leave " +
                   "the class out; first: " + why);
}

void check_photographs(const LeafDataset& dataset) {
  std::vector<std::size_t> photographs(dataset.class_names.size(), 0);
  for (const LeafSample& sample : dataset.samples) {
    ++photographs[static_cast<std::size_t>(sample.label)];
  }
  check_can_be_learnt(dataset.class_names, photographs);
}

// Before the first photograph is prepared.
void check_joined(const JoinSpec& join, const LeafDataset& dataset) {
  std::vector<std::string> names;
  for (const std::size_t i : all_samples(dataset)) names.push_back(sample_name(dataset, i));
  JoinedTable(join).check(names);
}

}  // namespace

// Folds that leave out the only leaf of a species must still distinguish two species. Each message
// is made of whole sentences, because the page translates them.
void check_can_be_learnt(std::span<const std::string> species,
                         std::span<const std::size_t> photographs) {
  if (species.empty()) throw InputError("at least one species is needed, but there is none");
  if (species.size() == 1) {
    if (photographs.front() >= kFewestOfOneSpecies) return;
    throw InputError("three photographs of '" + species.front() +
                     "' or more are needed to recognise it; add some, or photographs of another "
                     "species");
  }
  const auto has_two = [](std::size_t count) { return count > 1; };
  const auto enough = std::ranges::count_if(photographs, has_two);
  if (enough > 1) return;
  if (enough == 0) {
    throw InputError(
        "at least two species with two photographs or more are needed to see how leaves of one "
        "species differ, but there is none: add photographs");
  }
  const auto first = std::ranges::find_if(photographs, has_two) - photographs.begin();
  throw InputError(
      "at least two species with two photographs or more are needed to see how leaves of one "
      "species differ, but there is only one, '" +
      species[static_cast<std::size_t>(first)] + "': add photographs of the others");
}

std::string leaf_name(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples[sample];
  if (!leaf.file.empty() && !dataset.root.empty()) {
    const std::filesystem::path root = std::filesystem::absolute(dataset.root).lexically_normal();
    const auto file = std::filesystem::absolute(leaf.file).lexically_normal();
    return part_name(file.lexically_relative(root).string(), leaf.part);
  }
  const std::string file = leaf.file.empty() ? std::to_string(leaf.generated)
                                             : part_name(leaf.file.filename().string(), leaf.part);
  return dataset.class_names[static_cast<std::size_t>(leaf.label)] + "/" + file;
}

bool leaves_out_unclear(std::size_t clear, std::size_t unclear) {
  return clear > unclear && clear >= kFewestOfOneSpecies;
}

std::string left_out_line(const std::string& name) { return name + ": left out: " + kUnclearLeaf; }

std::vector<std::size_t> untrained_rows(const LeafData& data) {
  std::map<int, std::size_t> all, unclear;
  for (const int label : data.labels) ++all[label];
  for (const std::size_t row : data.unclear) ++unclear[data.labels[row]];
  std::vector<std::size_t> rows;
  std::ranges::copy_if(data.unclear, std::back_inserter(rows), [&](std::size_t row) {
    const int label = data.labels[row];
    return leaves_out_unclear(all[label] - unclear[label], unclear[label]);
  });
  return rows;
}

LeafData training_leaves(LeafData data) {
  const std::vector<std::size_t> left_out = untrained_rows(data);
  if (left_out.empty()) return data;
  std::vector<std::size_t> rows;
  std::map<std::size_t, std::size_t> place;  // of the rows that stay
  for (std::size_t row = 0; row < data.labels.size(); ++row) {
    if (std::ranges::binary_search(left_out, row)) {
      data.left_out.push_back(left_out_line(data.names[row]));
      continue;
    }
    place[row] = rows.size();
    rows.push_back(row);
  }
  const auto keep_rows = [&](auto& of_rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != i) of_rows[i] = std::move(of_rows[rows[i]]);
    }
    of_rows.resize(rows.size());
  };
  // The first of equal photographs may be one that is left out.
  std::map<std::size_t, std::size_t> first;
  for (const std::size_t row : rows) {
    const std::size_t same = first.emplace(data.photographs[row], row).first->second;
    data.photographs[row] = place.at(same);
  }
  keep_rows(data.photographs);
  keep_rows(data.dataset.samples);
  keep_rows(data.labels);
  keep_rows(data.names);
  keep_rows(data.edge_widths);
  data.table = select_rows(data.table, rows);
  const auto stays = [&](std::size_t row) { return place.contains(row); };
  std::erase_if(data.unclear, std::not_fn(stays));
  for (std::size_t& row : data.unclear) row = place.at(row);
  std::erase_if(data.remarks, [&](const LeafWarning& remark) { return !stays(remark.leaf); });
  for (LeafWarning& remark : data.remarks) remark.leaf = place.at(remark.leaf);
  return data;
}

std::vector<std::string> LeafData::all_warnings() const {
  std::vector<std::string> lines = warnings;
  for (const LeafWarning& remark : remarks) {
    lines.push_back(sample_name(dataset, remark.leaf) + ": " + remark.text);
  }
  return lines;
}

LeafData load_leaf_data(const LeafConfig& config, const std::optional<ProtocolSpec>& protocol,
                        int order, const LeafRun& run) {
  LeafData data;
  StageClock clock(data.times);
  const bool from_store = !config.data.features.empty();
  std::optional<LeafStores> store;
  if (from_store) store.emplace(config.data.features);
  const LeafDataset dataset = store ? store->dataset() : load_dataset(config.data);
  LeafConfig used = store ? config : with_colour_of(config, dataset);
  clock.finish("data set");
  check_photographs(dataset);
  if (!store && used.features.join.is_used()) check_joined(used.features.join, dataset);
  if (protocol) check_fits(*protocol, labels_of(dataset), dataset.class_names);
  Prepared prepared;
  std::set<std::size_t> bad;
  std::vector<std::size_t> usable = usable_samples(dataset, protocol, bad);
  // A leaf that cannot be prepared is replaced by the next one of its class.
  while (true) {
    std::vector<std::size_t> missing;
    for (const std::size_t sample : usable) {
      if (!prepared.row_of_sample.contains(sample)) missing.push_back(sample);
    }
    if (missing.empty()) break;
    append(store ? store->lying_rows(missing, used, order)
                 : features_of(dataset, missing, used, order, run),
           prepared, data);
    for (const std::size_t sample : missing) {
      if (!prepared.row_of_sample.contains(sample)) bad.insert(sample);
    }
    usable = usable_samples(dataset, protocol, bad);
  }
  if (usable.empty()) {
    throw InputError("no leaf of " + dataset.description + " could be prepared" +
                     (data.errors.empty() ? "" : "; first: " + data.errors.front()));
  }
  if (config.features.colour == FeatureColour::kAuto) {
    drop_partial_colour(dataset, usable, used, prepared, data);
  }
  keep(dataset, std::move(prepared), usable, from_store, data);
  if (!from_store) {
    add_augmented_copies(dataset, usable, used, order, run, data);
  } else if (config.classifier.pipeline.plda.augmentation > 0.0) {
    data.warnings.emplace_back(
        "a feature store has no augmented copies: pipeline.augmentation has no effect; train on "
        "the photographs "
        "for a classifier that is robust to damage, blur and noise");
  }
  if (used.classifier.pipeline.projection == Projection::kPlda) {
    StageClock of_prior(data.times);
    data.table.prior = leaf_prior(used, data.table.layout, run);
    if (used.features.join.is_used()) {
      data.table.prior =
          std::make_shared<RowPrior>(with_joined(*data.table.prior, data.table, data.labels));
    }
    of_prior.finish("prior");
  }
  check_classes(dataset, data);
  warn_of_shared(photographs_of_two_classes(data.photographs, data.labels), "in two classes",
                 data.names, data.warnings);
  data.warnings.insert(data.warnings.begin(), dataset.warnings.begin(), dataset.warnings.end());
  return data;
}

}  // namespace leafglyph
