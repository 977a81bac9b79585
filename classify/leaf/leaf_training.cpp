#include "classify/leaf/leaf_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "classify/evaluation/tuning.h"
#include "classify/leaf/colour_choice.h"
#include "classify/leaf/leaf_data.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/store_rows.h"
#include "classify/support/progress.h"
#include "datasets/leaf/class_folders.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

/// A model before the fit.
struct TrainingSet {
  LeafConfig requested;
  std::vector<std::string> class_names, scientific_names, chinese_names;
  std::vector<std::string> names;  // of the leaves
  std::vector<int> labels;
  FeatureTable table;
  std::vector<SmallPicture> pictures;
  ModelHistory history;
  std::vector<std::size_t> unclear = {};  // rows
  std::vector<LookAt> seen = {};          // in photographs that were added
};

// The model, and its leaves as the folds judged them. `sums` are those of the rows, if they are
// known.
std::pair<LeafModel, CrossValidation> fitted(TrainingSet set, const LeafRun& run,
                                             std::vector<std::string>& warnings,
                                             const ClassSums* sums = nullptr) {
  LeafConfig config = set.requested;
  constexpr std::size_t kPercent = 100;
  Progress progress("training", kPercent, run.progress, run.progressed);
  std::size_t shown = 0;
  const auto show = [&](double share) {
    const auto percent = static_cast<std::size_t>(share * kPercent);
    progress.advance(percent - shown);
    shown = percent;
  };
  NearestClassifier classifier = NearestClassifier::fit(set.table, set.labels, config.classifier,
                                                        run.search_gpu(), sums, show);
  warn_of_changes(config.classifier, classifier.spec(), warnings);
  CrossValidation validation =
      cross_validate(classifier, config.classifier, set.table, set.class_names, run);
  set.history.accuracy = right_share(validation, set.labels);
  set.history.unknown = unknown_share(classifier);
  set.history.classes = checked_classes(validation, set.labels, set.class_names.size());
  config.classifier = classifier.spec();
  return {LeafModel{std::move(config), std::move(set.class_names), std::move(set.scientific_names),
                    std::move(set.chinese_names), std::move(set.names), std::move(set.table),
                    std::move(classifier), std::move(set.requested), std::move(set.pictures),
                    std::move(set.history)},
          std::move(validation)};
}

// Gives a class of the model a name that it lacks.
void add_name(const std::string& species, const std::string& name, std::string& known) {
  if (name.empty() || name == known) return;
  if (!known.empty()) {
    throw UsageError("the model calls " + species + " '" + known + "', not '" + name + "'");
  }
  known = name;
}

// The class with that name; a new one at the end if there is none.
int class_of(const NewLeaves& leaves, TrainingSet& set) {
  if (leaves.species.empty()) throw UsageError("the species has no name");
  const auto found = std::ranges::find(set.class_names, leaves.species);
  if (found != set.class_names.end()) {
    const auto label = static_cast<std::size_t>(found - set.class_names.begin());
    add_name(leaves.species, leaves.scientific_name, set.scientific_names[label]);
    add_name(leaves.species, leaves.chinese_name, set.chinese_names[label]);
    return static_cast<int>(label);
  }
  set.class_names.push_back(leaves.species);
  set.scientific_names.push_back(leaves.scientific_name);
  set.chinese_names.push_back(leaves.chinese_name);
  return static_cast<int>(set.class_names.size()) - 1;
}

// The photographs of the folder, after the leaves of the model, whose files are not read. This
// continues the numbering of samples, which seeds their augmented copies.
LeafDataset with_new_samples(const TrainingSet& set, const NewLeaves& leaves, int label,
                             std::vector<std::string>& warnings) {
  LeafDataset dataset;
  dataset.class_names = set.class_names;
  dataset.scientific_names = set.scientific_names;
  dataset.chinese_names = set.chinese_names;
  for (std::size_t i = 0; i < set.names.size(); ++i) {
    dataset.samples.push_back({set.names[i], /*generated=*/-1, set.labels[i]});
  }
  for (const std::string& file : images_in(leaves.folder, &warnings)) {
    dataset.samples.push_back({file, /*generated=*/-1, label});
  }
  return dataset;
}

// Whether those of the new photographs that are not seen clearly are left out, as a training on all
// photographs of their class would.
bool leaves_out_new(const LeafFeatures& features, int label, const TrainingSet& set) {
  const auto known = static_cast<std::size_t>(std::ranges::count(set.labels, label));
  const auto unclear = static_cast<std::size_t>(std::ranges::count_if(
      set.unclear, [&](std::size_t row) { return set.labels[row] == label; }));
  return leaves_out_unclear(known - unclear + features.samples.size() - features.unclear.size(),
                            unclear + features.unclear.size());
}

// Adds the rows of photographs that the table does not yet have, and returns their samples.
std::vector<std::size_t> append_new(const LeafFeatures& features, const LeafDataset& dataset,
                                    std::span<const std::size_t> left_out, TrainingSet& set,
                                    std::vector<std::string>& warnings) {
  const std::size_t known = set.table.rows();
  set.table.values.insert(set.table.values.end(), features.table.values.begin(),
                          features.table.values.end());
  const std::vector<std::size_t> first = first_equal_rows(set.table);
  std::vector<std::size_t> kept, rows(known);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    const std::size_t row = known + i, sample = features.samples[i];
    if (std::ranges::binary_search(left_out, sample)) continue;
    if (first[row] == row) {
      kept.push_back(sample);
      rows.push_back(row);
      continue;
    }
    const std::string same = first[row] < known
                                 ? set.names[first[row]]
                                 : sample_name(dataset, features.samples[first[row] - known]);
    warnings.push_back(sample_name(dataset, sample) + ": left out, the same photograph as " + same);
  }
  set.table = select_rows(set.table, rows);
  return kept;
}

// Adds augmented copies of every second leaf of the class, counted from its first leaf. The new
// rows start at `first_row`.
void append_augmented(const LeafDataset& dataset, const std::vector<std::size_t>& kept,
                      std::size_t first_row, const LeafConfig& config, const LeafRun& run,
                      TrainingSet& set) {
  if (config.classifier.pipeline.plda.augmentation == 0.0) return;
  const int label = dataset.samples[kept.front()].label;
  auto seen = static_cast<std::size_t>(std::ranges::count(set.labels, label));
  std::vector<std::size_t> samples;
  std::map<std::size_t, std::size_t> row_of_sample;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (seen++ % 2 != 0) continue;
    samples.push_back(kept[i]);
    row_of_sample[kept[i]] = first_row + i;
  }
  const LeafFeatures augmented =
      features_of(dataset, samples, config, config.features.order, run, TrainingCopies::kAugmented);
  for (const std::size_t sample : augmented.samples) {
    set.table.augmented.of.push_back(row_of_sample.at(sample));
  }
  set.table.augmented.values.insert(set.table.augmented.values.end(),
                                    augmented.table.values.begin(), augmented.table.values.end());
}

// What was seen in the photographs of `features`, of which `kept` became rows from `first` on.
void append_seen(const LeafFeatures& features, const std::vector<std::size_t>& kept,
                 std::size_t first, TrainingSet& set) {
  for (const std::string& error : features.errors) {
    set.seen.push_back({Look::kNoLeaf, std::nullopt, error});
  }
  for (const LeafWarning& warning : features.warnings) {
    const auto found = std::ranges::find(kept, warning.leaf);
    if (found == kept.end()) continue;
    const std::size_t row = first + static_cast<std::size_t>(found - kept.begin());
    set.seen.push_back({look_of(warning), row, set.names[row] + ": " + warning.text});
  }
}

void append_leaves(const NewLeaves& leaves, const std::string& date, const LeafRun& run,
                   TrainingSet& set, std::vector<std::string>& errors,
                   std::vector<std::string>& warnings) {
  const std::size_t known = set.names.size();
  const int label = class_of(leaves, set);
  LeafConfig config = set.requested;
  config.data.source_aspect = leaves.source_aspect;
  LeafDataset dataset = with_new_samples(set, leaves, label, warnings);
  dataset.bits = leaves.bits;
  std::vector<std::size_t> samples = all_samples(dataset);
  samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(known));
  const LeafFeatures features = features_of(dataset, samples, config, config.features.order, run);
  errors.insert(errors.end(), features.errors.begin(), features.errors.end());
  for (const LeafWarning& warning : features.warnings) {
    warnings.push_back(sample_name(dataset, warning.leaf) + ": " + warning.text);
  }
  const auto name = [&](std::size_t sample) {
    const std::filesystem::path& file = dataset.samples[sample].file;
    return leaves.species + "/" + file.lexically_relative(leaves.folder).string();
  };
  std::vector<std::size_t> left_out;
  if (leaves_out_new(features, label, set)) left_out = features.unclear;
  for (const std::size_t sample : left_out) {
    set.seen.push_back({Look::kUnclear, std::nullopt, left_out_line(name(sample))});
  }
  const std::vector<std::size_t> kept = append_new(features, dataset, left_out, set, warnings);
  if (!kept.empty()) append_augmented(dataset, kept, known, config, run, set);
  for (const std::size_t sample : kept) {
    set.history.drawn = set.history.drawn && is_drawn_leaf(dataset.samples[sample]);
    if (std::ranges::binary_search(features.unclear, sample)) {
      set.unclear.push_back(set.labels.size());
    }
    set.names.push_back(name(sample));
    set.labels.push_back(label);
  }
  append_seen(features, kept, known, set);
  if (kept.empty()) return;
  const std::vector<SmallPicture> pictures =
      small_pictures(dataset, kept, leaves.source_aspect, kModelPictureSide);
  set.pictures.insert(set.pictures.end(), pictures.begin(), pictures.end());
  set.history.added.push_back(
      {date, leaves.species, kept.size(), std::filesystem::absolute(leaves.folder).string()});
}

// Removes the new classes, those from number `known` on, that received no photograph.
void drop_empty_classes(std::size_t known, TrainingSet& set) {
  for (std::size_t c = set.class_names.size(); c-- > known;) {
    if (std::ranges::count(set.labels, static_cast<int>(c)) > 0) continue;
    for (int& label : set.labels) label -= label > static_cast<int>(c);
    set.class_names.erase(set.class_names.begin() + static_cast<std::ptrdiff_t>(c));
    set.scientific_names.erase(set.scientific_names.begin() + static_cast<std::ptrdiff_t>(c));
    set.chinese_names.erase(set.chinese_names.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

TrainedLeaves trained_on(LeafData all, const LeafConfig& config, const LeafRun& run,
                         Forecast forecast) {
  if (all.dataset.class_names.size() == 1 && config.classifier.answered_share == 1.0) {
    throw UsageError(
        "classifier.answered_share: 1 gives every leaf the name of a species; a model of one "
        "species needs less, to say which leaves are not of it");
  }
  LeafData data = training_leaves(std::move(all));
  StageClock clock(data.times);
  LeafConfig requested = config;
  std::string tuned;
  const TuningSpec tuning = tuning_for(config, data.table.layout);
  std::optional<ClassSums> sums;
  if (!config.data.sums.empty()) {
    check_sums_suffice(config, data.table.layout);
    sums = joined_sums(config.data.sums, config.data.features, data.table, data.labels,
                       data.dataset.class_names, config.classifier.pipeline);
  }
  std::optional<OptionalGain> colour;
  if (tuning.asks()) {
    const TunedSettings best = tune(data.table, data.labels, tuning, config.classifier);
    tuned = describe(tuning, data.table.layout, config.classifier) +
            "; chosen: " + describe(best, tuning);
    colour = best.gain;
    if (colour) tuned += "; " + in_words(*colour);
    settle(best.settings, requested);
    data.table = select_columns(data.table, best.settings);
    clock.finish("tuning");
  } else {
    settle_colour(data.table.layout, requested);
  }
  std::vector<SmallPicture> pictures = small_pictures(data.dataset, all_samples(data.dataset),
                                                      config.data.source_aspect, kModelPictureSide);
  clock.finish("pictures");
  std::optional<MorePhotographs> more;
  const bool few = forecast == Forecast::kWhereFew && median_leaves(data.labels) <= kFewLeaves;
  if (forecast == Forecast::kAlways || few) {
    more = more_photographs(requested, data, run);
    clock.finish("learning curve");
  }
  TrainingSet set{std::move(requested),
                  data.dataset.class_names,
                  data.dataset.scientific_names,
                  data.dataset.chinese_names,
                  data.names,
                  data.labels,
                  std::move(data.table),
                  std::move(pictures),
                  {date_now(), data.dataset.description}};
  // Photographs to identify come with a table of their own.
  set.requested.features.join.file.clear();
  set.history.colour = colour;
  set.history.drawn = std::ranges::all_of(
      data.dataset.samples, [](const LeafSample& sample) { return is_drawn_leaf(sample); });
  auto [model, validation] = fitted(std::move(set), run, data.warnings, sums ? &*sums : nullptr);
  LeafCheck check = check_leaves(data, validation);
  check.more = std::move(more);
  model.check = [check = std::move(check)] { return check; };
  clock.finish("training");
  return {std::move(model), std::move(tuned), std::move(data.errors), std::move(data.warnings),
          std::move(data.times)};
}

}  // namespace

TrainedLeaves train_leaves(const LeafConfig& config, const LeafRun& run, Forecast forecast) {
  LeafData data = load_leaf_data(config, std::nullopt, config.features.order, run);
  const MappedFiles files = data.table.lying.files;
  return checked_use(files, [&] { return trained_on(std::move(data), config, run, forecast); });
}

LeafModel shared_model(LeafModel model, std::string data) {
  std::shared_ptr<const RowPrior> prior = model.features.table().prior;
  model.features =
      TrainingRows::withheld(model.features.layout(), model.features.log_area(), std::move(prior));
  model.pictures = std::vector<SmallPicture>(model.sample_names.size());
  model.check = nullptr;
  model.history.data = std::move(data);
  for (AddedLeaves& added : model.history.added) added.data.clear();
  for (LeafConfig* config : {&model.config, &model.requested}) {
    if (!config->data.path.empty()) config->data.path = "/";  // some sources must have one
    NetworkSpec& network = config->features.network;
    if (network.is_used()) network.file = "/" / network.file.filename();
  }
  return model;
}

GrownModel add_leaves(LeafModel model, std::span<const NewLeaves> leaves, const LeafRun& run) {
  if (model.features.are_withheld()) {
    throw UsageError(
        "the model was made to be given away, without the features of its training leaves, so that "
        "nothing can be added to it; add to the model that it was made from");
  }
  const double augmentation = model.requested.classifier.pipeline.plda.augmentation;
  if (augmentation > 0.0 && model.features.table().augmented.of.empty()) {
    throw UsageError(
        "the model has no augmented copies of its leaves, because an older LeafGlyph wrote it or "
        "it "
        "was trained from a feature store; train it again on all photographs");
  }
  const std::span<const int> labels = model.classifier.labels();
  TrainingSet set{std::move(model.requested),
                  std::move(model.class_names),
                  std::move(model.scientific_names),
                  std::move(model.chinese_names),
                  model.sample_names.all(),
                  {labels.begin(), labels.end()},
                  held(std::move(model.features).take()),
                  model.pictures.all(),
                  std::move(model.history)};
  const std::size_t classes = set.class_names.size(), known = set.names.size();
  const LeafCheck before = model.check ? model.check() : LeafCheck{};
  for (const LookAt& at : before.look) {
    if (at.look == Look::kUnclear && at.row) set.unclear.push_back(*at.row);
  }
  const std::string date = date_now();
  std::vector<std::string> errors, warnings;
  for (const NewLeaves& of_species : leaves) {
    append_leaves(of_species, date, run, set, errors, warnings);
  }
  const std::size_t added = set.names.size() - known;
  if (added == 0) {
    throw InputError(leaves.front().folder.string() +
                     ": no photograph is new to the model; first: " +
                     (errors.empty() ? warnings.front() : errors.front()));
  }
  drop_empty_classes(classes, set);
  const bool new_species = set.class_names.size() != classes;
  std::vector<LookAt> seen = std::move(set.seen);
  auto [grown, validation] = fitted(std::move(set), run, warnings);
  LeafCheck check = check_grown(
      before, std::move(seen),
      {grown.sample_names.all(), grown.classifier.labels(), grown.class_names, validation});
  grown.check = [check = std::move(check)] { return check; };
  return {std::move(grown), added, new_species, std::move(errors), std::move(warnings)};
}

GrownModel add_leaves(LeafModel model, const NewLeaves& leaves, const LeafRun& run) {
  return add_leaves(std::move(model), std::span(&leaves, 1), run);
}

void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings) {
  if (fitted.k == configured.k || fitted.pipeline.projection == Projection::kPlda) return;
  warnings.insert(warnings.begin(),
                  fmt::format("half of the species have {} training leaves or fewer, so that many "
                              "neighbours vote instead of classifier.k = {}",
                              fitted.k, configured.k));
}

}  // namespace leafglyph
