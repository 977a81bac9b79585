#include "classify/knn/nearest_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Any seed works: the folds only decide which training rows are left out together when outlier
// scores are measured.
constexpr std::uint64_t kOutlierSeed = 1;

bool is_plda(const ClassifierSpec& spec) { return spec.pipeline.projection == Projection::kPlda; }

// The value of rank `rank` in ascending order, counted from 1. Ranks out of range give the first or
// last value.
double ranked(std::vector<double> values, double rank) {
  const auto last = static_cast<double>(values.size()) - 1.0;
  const auto at = static_cast<std::ptrdiff_t>(std::clamp(rank - 1.0, 0.0, last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

std::vector<double> leave_one_out_distances(const KnnIndex& index, std::size_t k) {
  const NeighbourLists lists = index.search_others(k);
  std::vector<double> values(lists.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean_distance(lists.of(i));
  return values;
}

/// The classes of rows.
struct RowClasses {
  std::map<int, std::size_t> counts;   // rows of each class, by label
  std::vector<std::uint32_t> of_rows;  // as an index among the ascending labels
};

RowClasses classes_of(std::span<const int> labels) {
  RowClasses classes;
  // Rows of a class mostly follow one another: each is looked up if it is not of the last one.
  auto last = classes.counts.end();
  for (const int label : labels) {
    if (last == classes.counts.end() || last->first != label) {
      last = classes.counts.try_emplace(label).first;
    }
    ++last->second;
  }
  std::map<int, std::uint32_t> places;
  for (const auto& [label, rows] : classes.counts) {
    places.emplace(label, static_cast<std::uint32_t>(places.size()));
  }
  classes.of_rows.reserve(labels.size());
  auto place = places.end();
  for (const int label : labels) {
    if (place == places.end() || place->first != label) place = places.find(label);
    classes.of_rows.push_back(place->second);
  }
  return classes;
}

// The rows of Plda::transform whose compared() rows have these directions.
std::vector<float> transformed(std::span<const float> compared, std::span<const double> spread) {
  const std::size_t p = spread.size();
  std::vector<float> rows(compared.begin(), compared.end());
  for (std::size_t first = 0; first < rows.size(); first += p) {
    double square = 0;
    for (std::size_t j = 0; j < p; ++j) {
      rows[first + j] /= static_cast<float>(std::sqrt(spread[j] / (1 + spread[j])));
      square += static_cast<double>(rows[first + j]) * rows[first + j];
    }
    const double factor = square > 0 ? std::sqrt(static_cast<double>(p) / square) : 0;
    for (std::size_t j = 0; j < p; ++j) rows[first + j] *= static_cast<float>(factor);
  }
  return rows;
}

std::vector<double> means_of(const ClassLikelihood& likelihood) {
  const std::span<const double> means = likelihood.means();
  return {means.begin(), means.end()};
}

// The means of the rows of an index, in the directions of the spread.
std::vector<double> means_of(const KnnIndex& index, std::span<const int> labels,
                             std::span<const double> spread) {
  const std::size_t together = kRowsHeld * spread.size();
  const std::span<const float> rows = index.rows();
  ClassTotals totals;
  for (std::size_t i = 0; i < rows.size(); i += together) {
    const std::size_t length = std::min(together, rows.size() - i), first = i / spread.size();
    add_to(totals, transformed(rows.subspan(i, length), spread),
           labels.subspan(first, length / spread.size()), spread.size());
  }
  return means_of(ClassLikelihood(spread, totals));
}

/// Splits that leave out training rows: first folds of rows, then groups of classes.
struct CalibrationSplits {
  std::vector<Split> all;
  std::size_t folds = 0;
};

// There are no groups of a single class.
CalibrationSplits calibration_splits(std::span<const int> labels) {
  CalibrationSplits splits{
      stratified_folds(labels, NearestClassifier::kOutlierFolds, kOutlierSeed)};
  std::erase_if(splits.all, [](const Split& split) { return split.test.empty(); });
  splits.folds = splits.all.size();
  const std::set<int> classes(labels.begin(), labels.end());
  if (classes.size() < 2) return splits;
  const int groups = std::min(NearestClassifier::kOutlierFolds, static_cast<int>(classes.size()));
  for (Split& split : class_folds(labels, groups)) splits.all.push_back(std::move(split));
  return splits;
}

// Ranks the classes of the voters before the others of nearest rows of classes, which are in order.
std::vector<RankedClass> rank_with(std::span<const Neighbour> voters,
                                   std::span<const Neighbour> of_classes,
                                   std::span<const int> labels) {
  std::vector<Neighbour> list(voters.begin(), voters.end());
  list.insert(list.end(), of_classes.begin(), of_classes.end());
  return rank_classes(list, voters.size(), labels);
}

// The smallest threshold that finds `share` of the scores known.
double threshold_of(std::vector<double> scores, double share) {
  const double count = static_cast<double>(scores.size());
  return ranked(std::move(scores), std::ceil(share * count));
}

// The probability that a row is of no class, and the largest of those of the classes.
struct Certainty {
  double unknown, best;
};
Certainty certainty_of(const JudgedRow& row, const OpenSetCalibration& calibration) {
  Certainty certainty{1, 0};
  for (const double p : calibration.probabilities(row.evidence)) {
    certainty.unknown -= p;
    certainty.best = std::max(certainty.best, p);
  }
  return certainty;
}

/// What a classifier of fitted rows is made of.
struct FittedRows {
  NearestClassifier::Rows rows;
  std::vector<double> means;
};

FittedRows fitted_rows(const FeatureTable& training, std::span<const int> labels,
                       const ClassifierSpec& spec, const SplitPipelines& fitted) {
  const FeaturePipeline& pipeline = fitted.all;
  const std::size_t p = pipeline.dimension();
  const RowClasses classes = classes_of(labels);
  const std::span<const double> spread =
      is_plda(spec) ? pipeline.state().plda->spread() : std::span<const double>();
  if (!NearestClassifier::is_probed(spec, classes.counts.size())) {
    KnnIndex index(spec.metric, p);
    index.add(compared(
        fitted.scaled.empty() ? pipeline.transform(training) : pipeline.project(fitted.scaled),
        pipeline));
    std::vector<double> means;
    if (is_plda(spec)) means = means_of(index, labels, spread);
    return {std::move(index), std::move(means)};
  }
  HalfRowsMaker rows(classes.of_rows, p);
  ClassTotals totals;
  std::vector<float> copy;
  for (std::size_t first = 0; first < labels.size(); first += kRowsHeld) {
    const std::size_t count = std::min(kRowsHeld, labels.size() - first);
    const std::vector<float> projected =
        pipeline.project(pipeline.scaled(training.part(first, count, copy)));
    add_to(totals, projected, labels.subspan(first, count), p);
    rows.add(compared(projected, pipeline));
  }
  return {rows.finish(), means_of(ClassLikelihood(spread, totals))};
}

}  // namespace

double mean_distance(std::span<const Neighbour> neighbours) {
  double sum = 0.0;
  for (const Neighbour& neighbour : neighbours) sum += neighbour.distance;
  return sum / static_cast<double>(neighbours.size());
}

MemoryReservation memory_to_fit(const FeatureTable& table, std::size_t copied,
                                const ClassifierSpec& spec) {
  const auto columns = static_cast<double>(table.layout.columns());
  double bytes = 2 * sizeof(float) * static_cast<double>(copied) * columns;
  if (is_plda(spec)) {
    // In double the sums of the rows and their parts; in float those of the folds.
    constexpr double kDouble = 3, kFloat = 3;
    const double folds = spec.answered_share < 1 ? 2.0 * NearestClassifier::kOutlierFolds : 0.0;
    bytes += columns * columns * (sizeof(double) * kDouble + sizeof(float) * (kFloat + folds));
  }
  return MemoryReservation(bytes,
                           fmt::format("fitting a classifier to rows of {} numbers", columns));
}

int median_leaves(std::span<const int> labels) {
  std::vector<std::size_t> sizes;
  for (const auto& [label, rows] : rows_by_class(labels)) sizes.push_back(rows.size());
  return static_cast<int>(quantile(std::move(sizes), 0.5));
}

void validate(const ClassifierSpec& spec) {
  validate(spec.pipeline);
  if (spec.k < 1) throw UsageError("classifier.k must be at least 1");
  if (!(spec.answered_share > 0.0 && spec.answered_share <= 1.0)) {
    throw UsageError("classifier.answered_share must be above 0 and at most 1");
  }
  if (is_plda(spec) && spec.metric != Metric::kCosine) {
    throw UsageError("pipeline.projection: plda needs classifier.metric: cosine");
  }
}

NearestClassifier NearestClassifier::fit(const FeatureTable& training, std::span<const int> labels,
                                         const ClassifierSpec& spec,
                                         const std::optional<gpu::GpuDevice>& gpu,
                                         const ClassSums* sums) {
  validate(spec);
  const MemoryReservation memory = memory_to_fit(training, /*copied=*/0, spec);
  const bool judges = is_plda(spec) && spec.answered_share < 1.0;
  const CalibrationSplits splits = judges ? calibration_splits(labels) : CalibrationSplits{};
  const SplitPipelines fitted =
      FeaturePipeline::fit(training, labels, spec.pipeline, splits.all, sums);
  ClassifierSpec used = spec;
  used.k =
      std::min(spec.k, is_plda(spec) ? static_cast<int>(labels.size()) : median_leaves(labels));
  FittedRows rows = fitted_rows(training, labels, used, fitted);
  if (auto* index = std::get_if<KnnIndex>(&rows.rows); index != nullptr && gpu)
    index->use_gpu(*gpu);
  NearestClassifier classifier(
      used, fitted.all, std::move(rows.rows), {labels.begin(), labels.end()},
      std::numeric_limits<double>::infinity(), std::nullopt, std::move(rows.means), "classifier");
  if (judges) {
    const JudgeSpec judge{static_cast<std::size_t>(used.k), kMostJudged / kOutlierFolds};
    classifier.calibrate(judge_splits(training, labels, splits.all, fitted, judge), splits.folds);
  } else if (spec.answered_share < 1.0) {
    const auto others = labels.size() - 1;
    classifier.threshold_ =
        threshold_of(leave_one_out_distances(std::get<KnnIndex>(classifier.index_),
                                             std::min(others, static_cast<std::size_t>(used.k))),
                     spec.answered_share);
  }
  return classifier;
}

// Fits calibration and threshold to training rows as judged by models without them. The first
// `folds` splits left out rows, the others classes.
void NearestClassifier::calibrate(std::span<const JudgedRows> of_split, std::size_t folds) {
  std::vector<JudgedRow> judged_rows;
  for (const JudgedRows& of : of_split) {
    judged_rows.insert(judged_rows.end(), of.rows.begin(), of.rows.end());
  }
  // With a single class no rows of others can be left out: the usual slope and even odds.
  calibration_ = class_count_ > 1 ? OpenSetCalibration::fit(judged_rows, kUnknownShare)
                                  : OpenSetCalibration(OpenSetCalibration::kUsualSlope, 0);
  std::vector<double> scores;
  left_out_.resize(labels_.size());
  for (std::size_t s = 0; s < folds; ++s) {
    for (std::size_t i = 0; i < of_split[s].rows.size(); ++i) {
      const Certainty certainty = certainty_of(of_split[s].rows[i], *calibration_);
      scores.push_back(certainty.unknown);
      left_out_[of_split[s].which[i]] = {of_split[s].first[i], certainty.best,
                                         of_split[s].typical[i]};
    }
  }
  threshold_ = threshold_of(std::move(scores), spec_.answered_share);
  if (folds == of_split.size()) return;
  left_out_classes_ = LeftOutClasses{};
  for (std::size_t s = folds; s < of_split.size(); ++s) {
    for (const JudgedRow& row : of_split[s].rows) {
      const Certainty certainty = certainty_of(row, *calibration_);
      ++left_out_classes_->rows;
      left_out_classes_->unknown += !decide({{certainty.unknown, threshold_}}).known();
    }
  }
}

NearestClassifier::NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, Rows rows,
                                     std::vector<int> labels, double threshold,
                                     std::optional<OpenSetCalibration> calibration,
                                     std::vector<double> means, const std::string& source)
    : spec_(spec),
      pipeline_(std::move(pipeline)),
      labels_(std::move(labels)),
      threshold_(threshold),
      calibration_(calibration),
      index_(KnnIndex(spec.metric, pipeline_.dimension())) {
  RowClasses classes = classes_of(labels_);
  classes_ = std::move(classes.of_rows);
  class_count_ = classes.counts.size();
  const auto* index = std::get_if<KnnIndex>(&rows);
  const std::size_t dimension = pipeline_.dimension();
  if ((index == nullptr) != is_probed(spec_, class_count_) ||
      (index != nullptr && (index->size() != labels_.size() || index->dimension() != dimension ||
                            index->metric() != spec_.metric)) ||
      means.size() != (is_plda(spec_) ? class_count_ * dimension : 0) ||
      static_cast<std::size_t>(spec_.k) > labels_.size() || std::isnan(threshold_) ||
      (calibration_ && !is_plda(spec_)) ||
      (is_plda(spec_) && !calibration_ && !std::isinf(threshold_))) {
    throw FormatError(source + ": index, labels and pipeline do not match each other; train again");
  }
  if (is_plda(spec_)) {
    likelihood_.emplace(pipeline_.state().plda->spread(), classes.counts, std::move(means));
  }
  if (index != nullptr) {
    index_ = std::get<KnnIndex>(std::move(rows));
    return;
  }
  const std::span<const double> centres = likelihood_->means();
  index_.emplace<ProbedIndex>(classes_, compared({centres.begin(), centres.end()}, pipeline_),
                              dimension, std::get<HalfRows>(std::move(rows)));
}

std::vector<double> NearestClassifier::outlier_scores(const FeatureTable& rows) const {
  std::vector<double> values;
  for (const Prediction& prediction : predict(rows, /*top=*/1))
    values.push_back(prediction.outlier_score);
  return values;
}

// The ranked classes of each query: at least `top`, or all if there are fewer. If the neighbours in
// a query's list have too few classes, all classes are ranked.
std::vector<std::vector<RankedClass>> NearestClassifier::rankings(const KnnIndex& index,
                                                                  std::span<const float> queries,
                                                                  const NeighbourLists& lists,
                                                                  std::size_t top) const {
  const auto k = static_cast<std::size_t>(spec_.k);
  std::vector<std::vector<RankedClass>> all(lists.count());
  std::vector<std::size_t> lacking;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = rank_classes(lists.of(i), k, labels_);
    if (all[i].size() < std::min(top, class_count_)) lacking.push_back(i);
  }
  if (!lacking.empty()) rank_all_classes(index, queries, lists, lacking, all);
  return all;
}

// Ranks all classes for the queries `which`. A class without a neighbour in the list gets the
// distance of its nearest row.
void NearestClassifier::rank_all_classes(const KnnIndex& index, std::span<const float> queries,
                                         const NeighbourLists& lists,
                                         std::span<const std::size_t> which,
                                         std::span<std::vector<RankedClass>> rankings) const {
  const std::size_t dimension = pipeline_.dimension();
  const auto k = static_cast<std::size_t>(spec_.k);
  std::vector<float> query_rows;
  query_rows.reserve(which.size() * dimension);
  for (const std::size_t i : which) {
    const auto query = queries.subspan(i * dimension, dimension);
    query_rows.insert(query_rows.end(), query.begin(), query.end());
  }
  query_rows = index.prepared_queries(query_rows);
  const NearestRow nearest = index.nearest_of_groups(classes_, which.size());
  // Queries per matrix product. Each product runs on one thread.
  constexpr std::size_t kTogether = 32;
  parallel_for((which.size() + kTogether - 1) / kTogether, [&](std::size_t part) {
    const std::size_t first = part * kTogether, count = std::min(kTogether, which.size() - first);
    const std::vector<NearestRow::Gap> none(count);
    const auto found =
        nearest.of(std::span(query_rows).subspan(first * dimension, count * dimension), none);
    for (std::size_t q = 0; q < count; ++q) {
      const auto voters = lists.of(which[first + q]).first(k);
      std::vector<Neighbour> of_classes;
      for (const auto& [distance, row] : std::span(found).subspan(q * class_count_, class_count_)) {
        of_classes.push_back({static_cast<std::int64_t>(row), distance});
      }
      std::ranges::sort(of_classes, nearer);
      rankings[which[first + q]] = rank_with(voters, of_classes, labels_);
    }
  });
}

NeighbourLists NearestClassifier::nearest(const FeatureTable& rows, std::size_t count) const {
  const std::vector<float> sought = compared(pipeline_.transform(rows), pipeline_);
  if (const auto* index = std::get_if<KnnIndex>(&index_)) return index->search(sought, count);
  return std::get<ProbedIndex>(index_).search(sought, count).nearest;
}

std::optional<double> NearestClassifier::log_ratio(const FeatureTable& row, int label) const {
  if (!likelihood_) return std::nullopt;
  return likelihood_->log_ratio(likelihood_->place_of(label), pipeline_.transform(row));
}

// The candidates before all other classes, each by its likelihood; distances and votes are those of
// the ranking by neighbours.
void NearestClassifier::rank_by_likelihood(std::span<const float> queries,
                                           const NeighbourLists& lists,
                                           std::vector<Prediction>& predictions) const {
  const auto k = static_cast<std::size_t>(spec_.k);
  const auto candidates = candidates_of(lists, k, queries, *likelihood_, labels_);
  const std::size_t p = pipeline_.dimension();
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    Prediction& prediction = predictions[i];
    std::vector<RankedClass> others = std::move(prediction.ranking);
    std::erase_if(others, [](const RankedClass& ranked) { return ranked.voters > 0; });
    for (RankedClass& ranked : others) ranked.score = 0;
    prediction.ranking = candidates[i];
    prediction.outlier_score = -prediction.ranking.front().score;
    if (calibration_) {
      JudgedRow row;
      for (const RankedClass& ranked : candidates[i]) row.evidence.push_back(ranked.score);
      const Certainty certainty = certainty_of(row, *calibration_);
      const std::vector<double> probabilities = calibration_->probabilities(row.evidence);
      for (std::size_t c = 0; c < probabilities.size(); ++c) {
        prediction.ranking[c].score = probabilities[c];
      }
      prediction.outlier_score = certainty.unknown;
      prediction.probability = probabilities.front();
    }
    if (!calibration_) sort_by_evidence(others, queries.subspan(i * p, p), *likelihood_);
    prediction.ranking.insert(prediction.ranking.end(), others.begin(), others.end());
  }
}

std::vector<Prediction> NearestClassifier::predict(const FeatureTable& rows,
                                                   std::size_t top) const {
  const std::vector<float> queries = pipeline_.transform(rows);
  const std::vector<float> sought = compared(queries, pipeline_);
  const auto k = static_cast<std::size_t>(spec_.k);
  const std::size_t ranked = std::max<std::size_t>(top, 1);
  NeighbourLists lists;
  std::vector<std::vector<RankedClass>> ranking;
  if (const auto* index = std::get_if<KnnIndex>(&index_)) {
    lists = index->search(sought, std::min(labels_.size(), k * ranked));
    ranking = rankings(*index, sought, lists, ranked);
  } else {
    ProbedIndex::Found found = std::get<ProbedIndex>(index_).search(sought, k, ranked);
    lists = std::move(found.nearest);
    for (std::size_t i = 0; i < found.of_classes.size(); ++i) {
      ranking.push_back(rank_with(lists.of(i), found.of_classes[i], labels_));
    }
  }
  std::vector<Prediction> predictions(rows.rows());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto nearest = lists.of(i);
    predictions[i].ranking = std::move(ranking[i]);
    predictions[i].neighbours.assign(nearest.begin(), nearest.begin() + spec_.k);
    predictions[i].outlier_score = mean_distance(predictions[i].neighbours);
  }
  if (likelihood_) rank_by_likelihood(queries, lists, predictions);
  for (Prediction& prediction : predictions) {
    if (prediction.ranking.size() > ranked) prediction.ranking.resize(ranked);
    prediction.decision = decide({{prediction.outlier_score, threshold_, prediction.probability}});
  }
  return predictions;
}

}  // namespace leafglyph
