#include "classify/leaf/leaf_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "classify/leaf/changed_settings.h"
#include "classify/leaf/colour_choice.h"
#include "classify/leaf/equal_photographs.h"
#include "classify/leaf/leaf_answers.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

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

int highest_order(std::span<const int> orders) {
  if (orders.empty()) throw UsageError("a sweep needs at least one order");
  const int highest = *std::max_element(orders.begin(), orders.end());
  if (*std::min_element(orders.begin(), orders.end()) < 0 || highest > kMaxFeatureOrder) {
    throw UsageError(fmt::format("the orders of a sweep go from 0 to {}", kMaxFeatureOrder));
  }
  return highest;
}

}  // namespace

LeafData load_evaluation_data(const LeafConfig& config, const SplitFiles& files, int order,
                              const LeafRun& run) {
  // Saved splits may speak of any leaf of the data set.
  return load_leaf_data(config, files.read.empty() ? std::optional(config.protocol) : std::nullopt,
                        order, run);
}

SavedSplits leaf_splits(const LeafConfig& config, const LeafData& data, const SplitFiles& files) {
  SavedSplits saved;
  if (files.read.empty()) {
    saved.protocol = resolved(config.protocol, data.labels);
    saved.splits = make_splits(config.protocol, data.labels, data.dataset.class_names, data.names);
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
      select_columns(data.table, config.features.order, data.table.layout.channels), data.labels,
      data.dataset.class_names, splits.splits, {splits.protocol, config.classifier, tuning},
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

std::string shown_name(const ClassifiedLeaf& leaf) {
  return leaf.file.string() + (leaf.number == 0 ? "" : fmt::format(" #{}", leaf.number));
}

void answer_prepared(const LeafModel& model, LeafFeatureExtractor& extractor,
                     std::span<const PreparedLeaf* const> leaves, std::size_t top,
                     std::span<ClassifiedLeaf* const> results) {
  FeatureTable rows{extractor.layout(), {}};
  std::vector<LeafWarning> warnings;
  rows.values = extractor.rows(leaves, warnings);
  std::vector<Answer> answers = answers_of(model, rows, top);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i]->answer = std::move(answers[i]);
    const auto row = rows.row(i);
    results[i]->features.assign(row.begin(), row.end());
  }
  for (LeafWarning& warning : warnings) {
    results[warning.leaf]->warnings.push_back(std::move(warning.text));
  }
}

void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take) {
  const PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  std::size_t square = 0;
  LeafFeatureExtractor extractor(model.config, model.config.features.order, run);
  Progress progress("images", files.size(), run.progress);
  for (std::size_t first = 0; first < files.size(); first += extractor.batch()) {
    throw_if_interrupted();
    const auto names = files.subspan(first, std::min(extractor.batch(), files.size() - first));
    const std::vector<std::filesystem::path> part(names.begin(), names.end());
    const std::vector<PrepareOutcome> outcomes = prepare_files(part, preparation);
    std::vector<ClassifiedLeaf> results(part.size());
    std::vector<const PreparedLeaf*> leaves;
    std::vector<ClassifiedLeaf*> answered;
    for (std::size_t i = 0; i < part.size(); ++i) {
      results[i].file = part[i];
      results[i].error = outcomes[i].error;
      results[i].source_aspect = source_aspect.value_or(0.0);
      if (!outcomes[i].leaf) continue;
      square += outcomes[i].leaf->from_square;
      leaves.push_back(&*outcomes[i].leaf);
      answered.push_back(&results[i]);
    }
    answer_prepared(model, extractor, leaves, top, answered);
    take(std::move(results));
    progress.advance(part.size());
  }
  if (!source_aspect) warn_of_squares(model.config, square, run);
}

std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::filesystem::path& file : files) names.push_back(file.string());
  std::vector<ClassifiedLeaf> all;
  classify_leaves(model, names, top, run, source_aspect, [&](std::vector<ClassifiedLeaf> part) {
    std::ranges::move(part, std::back_inserter(all));
  });
  return all;
}

namespace {

/// What was found in a photograph before it is asked about.
struct PreparedSheet {
  std::vector<FoundLeaf> leaves;
  LeafSheet sheet;
};

PreparedSheet prepared_sheet(const std::filesystem::path& file, const PrepareSpec& spec) {
  PreparedSheet result;
  result.sheet.file = file;
  const auto failed = [&](const std::string& why) {
    ClassifiedLeaf& leaf = result.sheet.leaves.emplace_back();
    leaf.file = file;
    leaf.error = why;
  };
  try {
    MemoryTurn memory;
    const Photograph photograph = read_photograph(file, request_of(spec, memory));
    result.leaves = prepare_leaves(photograph, file.string(), spec);
    std::vector<PictureBox> boxes;
    for (const FoundLeaf& found : result.leaves) {
      boxes.push_back({found.left, found.top, found.width, found.height});
      ClassifiedLeaf& leaf = result.sheet.leaves.emplace_back();
      leaf.file = file;
      leaf.source_aspect = spec.source_aspect;
      leaf.number = static_cast<int>(boxes.size());
      leaf.box = boxes.back();
      leaf.picture = small_picture(photograph, leaf.box, kSheetLeafSide);
    }
    result.sheet.numbered = numbered_picture(photograph, boxes, kSheetSide);
  } catch (const InputError& error) {
    failed(error.what());
  }
  return result;
}

}  // namespace

void classify_every_leaf(const LeafModel& model, std::span<const std::string> files,
                         std::size_t top, const LeafRun& run, std::optional<double> source_aspect,
                         const std::function<void(LeafSheet)>& take) {
  const PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  LeafFeatureExtractor extractor(model.config, model.config.features.order, run);
  // A sheet does not say how much of a picture of its own a leaf would fill.
  const double area_share = usual_area_share(model);
  Progress progress("images", files.size(), run.progress);
  // A sheet has many leaves, so that few sheets fill a batch.
  const auto batch = static_cast<std::size_t>(thread_count());
  for (std::size_t first = 0; first < files.size(); first += batch) {
    throw_if_interrupted();
    const auto part = files.subspan(first, std::min(batch, files.size() - first));
    std::vector<PreparedSheet> prepared(part.size());
    parallel_for(part.size(),
                 [&](std::size_t i) { prepared[i] = prepared_sheet(part[i], preparation); });
    for (PreparedSheet& one : prepared) {
      if (one.leaves.size() > 1) {
        for (FoundLeaf& found : one.leaves) found.leaf.measures.area_share = area_share;
      }
      for (std::size_t i = 0; i < one.leaves.size(); i += extractor.batch()) {
        const std::size_t end = std::min(one.leaves.size(), i + extractor.batch());
        std::vector<const PreparedLeaf*> leaves;
        std::vector<ClassifiedLeaf*> results;
        for (std::size_t j = i; j < end; ++j) {
          leaves.push_back(&one.leaves[j].leaf);
          results.push_back(&one.sheet.leaves[j]);
        }
        answer_prepared(model, extractor, leaves, top, results);
      }
      take(std::move(one.sheet));
    }
    progress.advance(part.size());
  }
}

}  // namespace leafglyph
