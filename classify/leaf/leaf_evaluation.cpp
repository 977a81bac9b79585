#include "classify/leaf/leaf_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/equal_photographs.h"
#include "classify/leaf/leaf_training.h"
#include "features/base/errors.h"
#include "features/base/limits.h"

namespace leafglyph {
namespace {

int highest_order(std::span<const int> orders) {
  if (orders.empty()) throw UsageError("a sweep needs at least one order");
  const int highest = *std::max_element(orders.begin(), orders.end());
  if (*std::min_element(orders.begin(), orders.end()) < 0 || highest > kMaxFeatureOrder) {
    throw UsageError(fmt::format("the orders of a sweep go from 0 to {}", kMaxFeatureOrder));
  }
  return highest;
}

LeafData of_several_species(LeafData data) {
  if (data.dataset.class_names.size() > 1) return data;
  throw InputError("every leaf is of one species, '" + data.dataset.class_names.front() +
                   "', so that there is nothing to mistake it for; add photographs of another");
}

}  // namespace

LeafData load_evaluation_data(const LeafConfig& config, const SplitFiles& files, int order,
                              const LeafRun& run) {
  // Saved splits may refer to any leaf of the data set.
  return of_several_species(load_leaf_data(
      config, files.read.empty() ? std::optional(config.protocol) : std::nullopt, order, run));
}

SavedSplits leaf_splits(const LeafConfig& config, const LeafData& data, const SplitFiles& files) {
  SavedSplits saved;
  if (files.read.empty()) {
    saved.protocol = resolved(config.protocol, data.labels);
    saved.splits = make_splits(config.protocol, data.labels, data.dataset.class_names, data.names);
    const std::vector<std::size_t> left_out = untrained_rows(data);
    for (Split& split : saved.splits) {
      std::erase_if(split.train,
                    [&](std::size_t row) { return std::ranges::binary_search(left_out, row); });
    }
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
  evaluation.warnings = data.all_warnings();
  evaluation.times = data.times;
  StageClock clock(evaluation.times);
  Progress progress("splits", splits.splits.size(), run.progress);
  const TuningSpec tuning = tuning_for(config, data.table.layout);
  evaluation.result = evaluate(
      select_columns(data.table, config.features.order, data.table.layout.group_names()),
      data.labels, data.dataset.class_names, splits.splits,
      {splits.protocol, config.classifier, tuning}, [&] { progress.advance(); }, run.search_gpu());
  clock.finish("training and testing");
  warn_of_shared(photographs_of_both_parts(data.photographs, splits.splits),
                 "in both the training and the test part of a split", data.names,
                 evaluation.warnings);
  warn_of_changes(evaluation.result.classifier, evaluation.result.fitted, evaluation.warnings);
  evaluation.result.scientific_names = data.dataset.scientific_names;
  return evaluation;
}

LeafSweep sweep_leaves(const LeafConfig& config, std::span<const int> orders, const LeafRun& run) {
  const LeafData data =
      of_several_species(load_leaf_data(config, config.protocol, highest_order(orders), run));
  return sweep_leaves(config, data, leaf_splits(config, data, {}), orders, run);
}

LeafSweep sweep_leaves(const LeafConfig& config, const LeafData& data, const SavedSplits& splits,
                       std::span<const int> orders, const LeafRun& run) {
  highest_order(orders);
  // Top-1 counts every prediction, so no threshold is needed. Learning one would fit the pipeline
  // kOutlierFolds more times.
  ClassifierSpec classifier = config.classifier;
  classifier.answered_share = 1.0;
  TuningSpec tuning = tuning_for(config, data.table.layout);
  tuning.orders.clear();
  LeafSweep sweep;
  sweep.config = config;
  sweep.config.protocol = splits.protocol;
  sweep.data_description = data.dataset.description;
  sweep.errors = data.errors;
  sweep.warnings = data.all_warnings();
  sweep.times = data.times;
  if (tuning.asks()) sweep.tuned = describe(tuning, data.table.layout, classifier);
  StageClock clock(sweep.times);
  ClassifierSpec fitted = classifier;
  Progress progress("orders", orders.size() * splits.splits.size(), run.progress);
  for (const int order : orders) {
    const FeatureTable table = select_columns(data.table, order, data.table.layout.group_names());
    const EvaluationResult result = evaluate(
        table, data.labels, data.dataset.class_names, splits.splits,
        {splits.protocol, classifier, tuning}, [&] { progress.advance(); }, run.search_gpu());
    sweep.points.push_back({order, table.layout.columns(), result.top1, result.interval});
    if (fitted == classifier) fitted = result.fitted;
  }
  warn_of_shared(photographs_of_both_parts(data.photographs, splits.splits),
                 "in both the training and the test part of a split", data.names, sweep.warnings);
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

}  // namespace leafglyph
