#include "classify/leaf/leaf_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include "classify/leaf/equal_photographs.h"
#include "classify/leaf/store_rows.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

class StageClock {
 public:
  explicit StageClock(std::vector<StageTime>& times) : times_(times) {}
  void finish(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    times_.push_back({stage, std::chrono::duration<double>(now - start_).count()});
    start_ = now;
  }

 private:
  std::vector<StageTime>& times_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<int> labels_of(const LeafDataset& dataset, std::span<const std::size_t> samples) {
  std::vector<int> labels;
  for (const std::size_t sample : samples) labels.push_back(dataset.samples[sample].label);
  return labels;
}

// Samples not in `bad`, as the protocol may use them.
std::vector<std::size_t> usable_samples(const LeafDataset& dataset, const ProtocolSpec& protocol,
                                        const std::set<std::size_t>& bad) {
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    if (!bad.contains(i)) good.push_back(i);
  }
  std::vector<std::size_t> usable;
  for (const std::size_t i : eligible_samples(protocol, labels_of(dataset, good))) {
    usable.push_back(good[i]);
  }
  return usable;
}

// Row of the features of each sample that has been prepared.
struct Prepared {
  std::map<std::size_t, std::size_t> row_of_sample;
  FeatureTable table;
  std::vector<LeafMeasures> measures;  // of the rows
};

void append(LeafFeatures features, Prepared& prepared, LeafData& data) {
  const std::size_t first = prepared.table.rows();
  if (first == 0) {
    prepared.table = std::move(features.table);
  } else {
    prepared.table.values.insert(prepared.table.values.end(), features.table.values.begin(),
                                 features.table.values.end());
  }
  prepared.measures.insert(prepared.measures.end(), features.measures.begin(),
                           features.measures.end());
  for (std::size_t i = 0; i < features.samples.size(); ++i) {
    prepared.row_of_sample[features.samples[i]] = first + i;
  }
  data.errors.insert(data.errors.end(), features.errors.begin(), features.errors.end());
  data.warnings.insert(data.warnings.end(), features.warnings.begin(), features.warnings.end());
  data.times.insert(data.times.end(), features.times.begin(), features.times.end());
}

void keep(const LeafDataset& dataset, Prepared prepared, const std::vector<std::size_t>& usable,
          bool from_store, LeafData& data) {
  data.dataset = dataset;
  data.dataset.samples.clear();
  std::vector<std::size_t> rows;
  std::vector<LeafMeasures> measures;
  for (const std::size_t sample : usable) {
    data.dataset.samples.push_back(dataset.samples[sample]);
    data.labels.push_back(dataset.samples[sample].label);
    data.names.push_back(leaf_name(dataset, sample));
    rows.push_back(prepared.row_of_sample.at(sample));
    measures.push_back(prepared.measures[rows.back()]);
  }
  const bool all = rows.size() == prepared.table.rows() && std::ranges::is_sorted(rows);
  data.table = all ? std::move(prepared.table) : select_rows(prepared.table, rows);
  data.photographs =
      from_store ? first_equal_rows(data.table) : first_photographs(measures, data.dataset);
}

// Adds worn copies of every second leaf of each class, where the configuration uses them. Copies in
// which no leaf is found are left out.
void add_worn_copies(const LeafDataset& dataset, const std::vector<std::size_t>& usable,
                     const LeafConfig& config, int order, const LeafRun& run, LeafData& data) {
  if (config.classifier.pipeline.wear == 0.0) return;
  std::map<int, std::size_t> seen;
  std::vector<std::size_t> samples;
  std::map<std::size_t, std::size_t> row_of_sample;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (seen[data.labels[i]]++ % 2 != 0) continue;
    samples.push_back(usable[i]);
    row_of_sample[usable[i]] = i;
  }
  LeafFeatures worn = extract_features(dataset, samples, config, order, run, Wear::kWornCopies);
  for (const std::size_t sample : worn.samples) {
    data.table.worn.of.push_back(row_of_sample.at(sample));
  }
  data.table.worn.values = std::move(worn.table.values);
  for (const StageTime& time : worn.times) {
    data.times.push_back({time.stage + " of worn copies", time.seconds});
  }
}

// Says, before what is about single leaves, where fit_rows did not do as configured.
void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings) {
  const bool compared = fitted.metric != configured.metric;
  const bool told = fitted.novelty != configured.novelty;
  if (!compared && !told) return;
  const bool few_classes = told && fitted.novelty == Novelty::kDistance;
  const auto key = [](const char* name, std::string_view value) {
    return fmt::format("classifier.{}: {}", name, value);
  };
  const std::string metric = key("metric", metric_name(configured.metric));
  const std::string novelty = key("novelty", novelty_name(configured.novelty));
  std::string text;
  if (few_classes) {
    text =
        fmt::format("there are fewer than {} species, too few for {}; ", kFewestClasses, novelty);
  } else {
    text = "there are only one or two directions, too few for " + (compared ? metric : novelty) +
           (compared && told ? " and " + novelty : "") + "; ";
  }
  if (!(fitted.pipeline == configured.pipeline)) {
    text += "each channel's own discriminant is added, ";
  }
  if (compared) {
    text += "rows are compared by " + std::string(metric_name(fitted.metric)) + " distance";
  }
  if (compared && told) text += ", and ";
  if (told) {
    text += few_classes ? "what is unknown is told by the distance of its neighbours"
                        : "what is unknown is told by the Mahalanobis distance in all features";
  }
  warnings.insert(warnings.begin(), std::move(text));
}

// Says that `square` images were not stretched though the model's own square files are.
void warn_of_squares(const LeafConfig& config, std::size_t square, const LeafRun& run) {
  const double own = preparation_for(config, config.data.source_aspect).source_aspect;
  if (square == 0 || own == 0.0) return;
  run.warn((square == 1 ? "1 image is square and was"
                        : fmt::format("{} images are square and were", square)) +
           std::string(" taken as ") + (square == 1 ? "it is" : "they are") +
           "; if squeezed from " + aspect_text(own) + ", as the model's photographs, say " +
           "--source-aspect " + aspect_text(own));
}

// The line about the first leaf of the class that could not be prepared.
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

// A class without a leaf is refused: the model would name its leaves as another's.
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
  throw InputError("no leaf of " + empty + " could be prepared; mend its photographs or leave " +
                   "the class out; first: " + why);
}

// One line about photographs that stand `where` only one of them should.
void warn_of_shared(const SharedPhotographs& shared, const std::string& where,
                    std::span<const std::string> names, std::vector<std::string>& warnings) {
  if (shared.count == 0) return;
  warnings.insert(warnings.begin(),
                  fmt::format("{}{}{}; first: {} is {}", shared.count,
                              shared.count == 1 ? " photograph stands " : " photographs stand ",
                              where, names[shared.first], names[shared.second]));
}

int highest_order(std::span<const int> orders) {
  if (orders.empty()) throw UsageError("a sweep needs at least one order");
  const int highest = *std::max_element(orders.begin(), orders.end());
  if (*std::min_element(orders.begin(), orders.end()) < 0 || highest > kHighestLeafOrder) {
    throw UsageError(fmt::format("the orders of a sweep go from 0 to {}", kHighestLeafOrder));
  }
  return highest;
}

// Saved splits may speak of any leaf of the data set.
ProtocolSpec all_leaves() {
  ProtocolSpec protocol;
  protocol.kind = ProtocolKind::kLeaveOneOut;
  return protocol;
}

// The configuration with chosen settings in the place of their choice.
void settle(const LeafSettings& chosen, LeafConfig& config) {
  config.features.order = chosen.order;
  config.features.channels.clear();
  for (const std::string& name : chosen.channels) {
    config.features.channels.push_back(channel_from_name(name));
  }
  config.classifier = chosen.classifier;
  config.tuning = {};
}

}  // namespace

std::string leaf_name(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples[sample];
  if (!leaf.file.empty() && !dataset.root.empty()) {
    const std::filesystem::path root = std::filesystem::absolute(dataset.root).lexically_normal();
    return std::filesystem::absolute(leaf.file)
        .lexically_normal()
        .lexically_relative(root)
        .string();
  }
  const std::string file =
      leaf.file.empty() ? std::to_string(leaf.generated) : leaf.file.filename().string();
  return dataset.class_names[static_cast<std::size_t>(leaf.label)] + "/" + file;
}

LeafData load_leaf_data(const LeafConfig& config, const ProtocolSpec& protocol, int order,
                        const LeafRun& run) {
  LeafData data;
  StageClock clock(data.times);
  const bool from_store = !config.data.features.empty();
  std::optional<LeafStore> store;
  if (from_store) store.emplace(config.data.features);
  const LeafDataset dataset = store ? store->dataset() : load_dataset(config.data);
  clock.finish("data set");
  Prepared prepared;
  std::set<std::size_t> bad;
  std::vector<std::size_t> usable = usable_samples(dataset, protocol, bad);
  // A leaf that cannot be prepared makes room for the next one of its class.
  while (true) {
    std::vector<std::size_t> missing;
    for (const std::size_t sample : usable) {
      if (!prepared.row_of_sample.contains(sample)) missing.push_back(sample);
    }
    if (missing.empty()) break;
    append(store ? store->rows(dataset, missing, config, order)
                 : extract_features(dataset, missing, config, order, run),
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
  keep(dataset, std::move(prepared), usable, from_store, data);
  if (!from_store) {
    add_worn_copies(dataset, usable, config, order, run, data);
  } else if (config.classifier.pipeline.wear > 0.0) {
    data.warnings.emplace_back(
        "a feature store has no worn copies: pipeline.wear has no effect; train on the photographs "
        "for a classifier that stands damage, blur and noise");
  }
  check_classes(dataset, data);
  warn_of_shared(photographs_of_two_classes(data.photographs, data.labels), "in two classes",
                 data.names, data.warnings);
  data.warnings.insert(data.warnings.begin(), dataset.warnings.begin(), dataset.warnings.end());
  return data;
}

LeafData load_evaluation_data(const LeafConfig& config, const SplitFiles& files, int order,
                              const LeafRun& run) {
  return load_leaf_data(config, files.read.empty() ? config.protocol : all_leaves(), order, run);
}

SavedSplits leaf_splits(const LeafConfig& config, const LeafData& data, const SplitFiles& files) {
  SavedSplits saved;
  if (files.read.empty()) {
    saved.protocol = config.protocol;
    saved.splits = make_splits(config.protocol, data.labels, data.dataset.class_names);
  } else {
    saved = load_splits(files.read, data.names);
  }
  if (!files.write.empty()) save_splits(saved, data.names, files.write);
  return saved;
}

LeafEvaluation evaluate_leaves(const LeafConfig& config, const SplitFiles& files,
                               const LeafRun& run) {
  const LeafData data = load_evaluation_data(config, files, config.features.order, run);
  return evaluate_leaves(config, data, leaf_splits(config, data, files), run);
}

LeafEvaluation evaluate_leaves(const LeafConfig& config, const LeafData& data,
                               const SavedSplits& splits, const LeafRun& run) {
  LeafEvaluation evaluation;
  evaluation.config = config;
  evaluation.data_description = data.dataset.description;
  evaluation.dataset = data.dataset;
  evaluation.sample_names = data.names;
  evaluation.errors = data.errors;
  evaluation.warnings = data.warnings;
  evaluation.times = data.times;
  StageClock clock(evaluation.times);
  Progress progress("splits", splits.splits.size(), run.progress);
  evaluation.result = evaluate(
      select_columns(data.table, config.features.order, data.table.layout.channels), data.labels,
      data.dataset.class_names, splits.splits, {splits.protocol, config.classifier, config.tuning},
      [&] { progress.advance(); }, run.search_gpu());
  clock.finish("training and testing");
  warn_of_shared(photographs_of_both_parts(data.photographs, splits.splits),
                 "in training and test part of a split", data.names, evaluation.warnings);
  warn_of_changes(evaluation.result.classifier, evaluation.result.fitted, evaluation.warnings);
  evaluation.result.scientific_names = data.dataset.scientific_names;
  return evaluation;
}

LeafSweep sweep_leaves(const LeafConfig& config, std::span<const int> orders, const LeafRun& run) {
  const LeafData data = load_leaf_data(config, config.protocol, highest_order(orders), run);
  return sweep_leaves(config, data, leaf_splits(config, data, {}), orders, run);
}

LeafSweep sweep_leaves(const LeafConfig& config, const LeafData& data, const SavedSplits& splits,
                       std::span<const int> orders, const LeafRun& run) {
  highest_order(orders);
  // Top-1 counts every answer: there is no use in learning the threshold, which fits the pipeline
  // kNoveltyFolds times more.
  ClassifierSpec classifier = config.classifier;
  classifier.answered_share = 1.0;
  TuningSpec tuning = config.tuning;
  tuning.orders.clear();
  LeafSweep sweep;
  sweep.config = config;
  sweep.data_description = data.dataset.description;
  sweep.errors = data.errors;
  sweep.warnings = data.warnings;
  sweep.times = data.times;
  if (tuning.asks()) sweep.tuned = describe(tuning, data.table.layout, classifier);
  StageClock clock(sweep.times);
  ClassifierSpec fitted = classifier;
  Progress progress("orders", orders.size() * splits.splits.size(), run.progress);
  for (const int order : orders) {
    const FeatureTable table = select_columns(data.table, order, data.table.layout.channels);
    const EvaluationResult result = evaluate(
        table, data.labels, data.dataset.class_names, splits.splits,
        {splits.protocol, classifier, tuning}, [&] { progress.advance(); }, run.search_gpu());
    sweep.points.push_back({order, table.layout.columns(), result.top1, result.interval});
    if (fitted == classifier) fitted = result.fitted;
  }
  warn_of_shared(photographs_of_both_parts(data.photographs, splits.splits),
                 "in training and test part of a split", data.names, sweep.warnings);
  warn_of_changes(classifier, fitted, sweep.warnings);
  clock.finish("training and testing");
  return sweep;
}

std::span<const PublishedPoint> published_sweep() {
  static constexpr std::array<PublishedPoint, 8> kPublished = {{{6, 64.38},
                                                                {8, 75.00},
                                                                {10, 79.06},
                                                                {15, 85.00},
                                                                {20, 89.06},
                                                                {30, 97.19},
                                                                {40, 95.31},
                                                                {50, 94.06}}};
  return kPublished;
}

const PublishedPoint* published_for(const LeafConfig& config) {
  if (config.data.source != DataSource::kFlavia) return nullptr;
  const std::vector<int> orders =
      config.tuning.orders.empty() ? std::vector<int>{config.features.order} : config.tuning.orders;
  const PublishedPoint* best = nullptr;
  for (const PublishedPoint& point : published_sweep()) {
    if (std::find(orders.begin(), orders.end(), point.order) == orders.end()) continue;
    if (best == nullptr || point.percent > best->percent) best = &point;
  }
  return best;
}

TrainedLeaves train_leaves(const LeafConfig& config, const LeafRun& run) {
  LeafData data = load_leaf_data(config, all_leaves(), config.features.order, run);
  StageClock clock(data.times);
  LeafConfig settled = config;
  std::string tuned;
  if (config.tuning.asks()) {
    const TunedSettings best = tune(data.table, data.labels, config.tuning, config.classifier);
    tuned = describe(config.tuning, data.table.layout, config.classifier) +
            "; chosen: " + describe(best, config.tuning);
    settle(best.settings, settled);
    data.table = select_columns(data.table, best.settings.order, best.settings.channels);
    clock.finish("tuning");
  }
  NearestClassifier classifier =
      NearestClassifier::fit(data.table, data.labels, settled.classifier, run.search_gpu());
  clock.finish("training");
  warn_of_changes(settled.classifier, classifier.spec(), data.warnings);
  settled.classifier = classifier.spec();
  return {{std::move(settled), std::move(data.dataset.class_names),
           std::move(data.dataset.scientific_names), std::move(data.names), std::move(data.table),
           std::move(classifier)},
          std::move(data.dataset.description),
          std::move(tuned),
          std::move(data.errors),
          std::move(data.warnings),
          std::move(data.times)};
}

std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect) {
  const PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  std::size_t square = 0;
  LeafFeatureExtractor extractor(model.config, model.config.features.order, run);
  std::vector<ClassifiedLeaf> results;
  Progress progress("images", files.size(), run.progress);
  for (std::size_t first = 0; first < files.size(); first += extractor.batch()) {
    throw_if_interrupted();
    const auto part = files.subspan(first, std::min(extractor.batch(), files.size() - first));
    const std::vector<PrepareOutcome> outcomes = prepare_files(part, preparation);
    std::vector<const PreparedLeaf*> leaves;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < part.size(); ++i) {
      results.push_back(
          {part[i], std::nullopt, {}, {}, outcomes[i].error, source_aspect.value_or(0.0)});
      if (!outcomes[i].leaf) continue;
      square += outcomes[i].leaf->from_square;
      leaves.push_back(&*outcomes[i].leaf);
      positions.push_back(first + i);
    }
    FeatureTable rows{extractor.layout(), {}};
    std::vector<LeafWarning> warnings;
    rows.values = extractor.rows(leaves, warnings);
    std::vector<Answer> answers = model.classifier.answer(rows, top);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      results[positions[i]].answer = std::move(answers[i]);
      const auto row = rows.row(i);
      results[positions[i]].features.assign(row.begin(), row.end());
    }
    for (LeafWarning& warning : warnings) {
      results[positions[warning.leaf]].warnings.push_back(std::move(warning.text));
    }
    progress.advance(part.size());
  }
  if (!source_aspect) warn_of_squares(model.config, square, run);
  return results;
}

}  // namespace leafglyph
