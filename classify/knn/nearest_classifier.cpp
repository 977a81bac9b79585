#include "classify/knn/nearest_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Any seed works: the folds only decide which training rows are left out together when outlier
// scores are measured.
constexpr std::uint64_t kOutlierSeed = 1;

// The value of rank `rank` in ascending order, counted from 1. Ranks out of range give the first or
// last value.
double ranked(std::vector<double> values, double rank) {
  const auto last = static_cast<double>(values.size()) - 1.0;
  const auto at = static_cast<std::ptrdiff_t>(std::clamp(rank - 1.0, 0.0, last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

ClassFit class_fit(const FeatureTable& training, std::span<const int> labels,
                   const FeaturePipeline& pipeline) {
  return {training, labels, pipeline, TypicalDistance::fit(training, labels, pipeline)};
}

std::vector<int> first_classes(std::span<const Prediction> predictions) {
  std::vector<int> first;
  first.reserve(predictions.size());
  for (const Prediction& prediction : predictions)
    first.push_back(prediction.ranking.front().label);
  return first;
}

// The evidence for the first class of each prediction. Predictions must have at least two classes
// if there are two.
std::vector<Evidence> evidence_of(std::span<const Prediction> predictions, const FeatureTable& rows,
                                  const ClassFit& fit) {
  std::vector<Evidence> all(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const std::vector<RankedClass>& ranking = predictions[i].ranking;
    all[i].outlier_score = predictions[i].outlier_score;
    all[i].votes = ranking.front().score;
    if (ranking.size() < 2) continue;
    const double second = ranking[1].distance;
    all[i].margin = second > 0.0 ? std::min(1.0, ranking[0].distance / second) : 1.0;
  }
  fit.judge(rows, first_classes(predictions), all);
  return all;
}

/// Training leaves as judged by classifiers that were not trained on them.
struct JudgedLeaves {
  std::vector<JudgedEvidence> known;      // of classes in the training: every training row
  std::vector<int> first;                 // the first class of each prediction in `known`
  std::vector<std::size_t> row;           // the training row of each prediction in `known`
  std::vector<JudgedEvidence> augmented;  // copies of the rows in `known`
  std::vector<JudgedEvidence> unknown;    // of classes that were left out of the training
};

// Judges the predictions of a classifier for rows that it was not trained on, whose classes are
// `labels`. Writes their first classes to `first`.
std::vector<JudgedEvidence> judged(const NearestClassifier& classifier, const ClassFit& fit,
                                   const FeatureTable& test_rows, std::span<const int> labels,
                                   std::vector<int>& first) {
  const std::vector<Prediction> predictions = classifier.predict(test_rows, /*top=*/2);
  first = first_classes(predictions);
  const std::vector<Evidence> evidence = evidence_of(predictions, test_rows, fit);
  std::vector<JudgedEvidence> all;
  all.reserve(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    all.push_back({evidence[i], first[i] == labels[i]});
  }
  return all;
}

struct JudgedRows {
  std::vector<JudgedEvidence> rows, augmented;
  std::vector<int> first;  // classes of the rows' predictions
};

// Judges the test rows of a split and their augmented copies.
JudgedRows judged(const FeatureTable& training, std::span<const int> labels,
                  const ClassifierSpec& spec, const Split& split) {
  if (split.test.empty()) return {};
  const FeatureTable learnt = select_rows(training, split.train);
  const std::vector<int> learnt_labels = select_labels(labels, split.train);
  const NearestClassifier classifier = NearestClassifier::fit(learnt, learnt_labels, spec);
  const ClassFit fit = class_fit(learnt, learnt_labels, classifier.pipeline());
  const FeatureTable test_rows = select_rows(training, split.test);
  const std::vector<int> test_labels = select_labels(labels, split.test);
  const FeatureTable augmented{test_rows.layout, test_rows.augmented.values};
  JudgedRows all;
  all.rows = judged(classifier, fit, test_rows, test_labels, all.first);
  std::vector<int> first_of_augmented;
  all.augmented = judged(classifier, fit, augmented,
                         select_labels(test_labels, test_rows.augmented.of), first_of_augmented);
  return all;
}

// Splits that each test a group of classes and train on the others; none if there are too few
// classes.
std::vector<Split> unknown_splits(std::span<const int> labels) {
  const std::set<int> classes(labels.begin(), labels.end());
  if (classes.size() < kFewestClasses) return {};
  return class_folds(labels, NearestClassifier::kOutlierFolds);
}

JudgedLeaves judged_leaves(const FeatureTable& training, std::span<const int> labels,
                           ClassifierSpec spec) {
  spec.answered_share = 1.0;
  std::vector<Split> splits =
      stratified_folds(labels, NearestClassifier::kOutlierFolds, kOutlierSeed);
  const std::size_t folds = splits.size();
  for (Split& split : unknown_splits(labels)) splits.push_back(std::move(split));
  std::vector<JudgedRows> of_split(splits.size());
  parallel_for(splits.size(), [&](std::size_t s) {
    const MemoryReservation memory = memory_to_fit(training, splits[s].train.size());
    of_split[s] = judged(training, labels, spec, splits[s]);
  });
  JudgedLeaves leaves;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const auto& [rows, augmented, first] = of_split[s];
    auto& all = s < folds ? leaves.known : leaves.unknown;
    all.insert(all.end(), rows.begin(), rows.end());
    if (s >= folds) continue;
    leaves.augmented.insert(leaves.augmented.end(), augmented.begin(), augmented.end());
    leaves.first.insert(leaves.first.end(), first.begin(), first.end());
    leaves.row.insert(leaves.row.end(), splits[s].test.begin(), splits[s].test.end());
  }
  return leaves;
}

Calibration calibration_of(const JudgedLeaves& leaves, std::span<const JudgedEvidence> augmented) {
  std::vector<JudgedEvidence> all = leaves.known;
  all.insert(all.end(), augmented.begin(), augmented.end());
  const double weight = NearestClassifier::kUnknownShare *
                        static_cast<double>(leaves.known.size()) /
                        static_cast<double>(std::max<std::size_t>(1, leaves.unknown.size()));
  for (JudgedEvidence leaf : leaves.unknown) {
    leaf.right = false;
    leaf.weight = weight;
    all.push_back(leaf);
  }
  return Calibration::fit(all);
}

std::vector<LeftOutPrediction> left_out_predictions(const JudgedLeaves& leaves,
                                                    const Calibration& calibration) {
  std::vector<LeftOutPrediction> predictions(leaves.known.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predictions[leaves.row[i]] = {leaves.first[i],
                                  calibration.probability(leaves.known[i].evidence)};
  }
  return predictions;
}

std::vector<double> leave_one_out_distances(const KnnIndex& index, std::size_t k) {
  const NeighbourLists lists = index.search_others(k);
  std::vector<double> values(lists.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean_distance(lists.of(i));
  return values;
}

// The class of each row, as its index among the ascending labels.
std::vector<std::uint32_t> class_of_rows(std::span<const int> labels) {
  std::vector<std::uint32_t> classes(labels.size());
  std::uint32_t place = 0;
  for (const auto& [label, rows] : rows_by_class(labels)) {
    for (const std::size_t row : rows) classes[row] = place;
    ++place;
  }
  return classes;
}

// If the pipeline uses labels, training rows lie too close to their own classes.
bool threshold_needs_folds(const ClassifierSpec& spec) {
  if (spec.outlier_score == OutlierScore::kMahalanobis) return false;
  return spec.pipeline.projection == Projection::kDiscriminant ||
         spec.outlier_score != OutlierScore::kDistance;
}

// None if there are too few leaves to train without a fifth of them. Throws then if the threshold
// needs the folds.
std::optional<JudgedLeaves> judged_if_enough(const FeatureTable& training,
                                             std::span<const int> labels,
                                             const ClassifierSpec& configured,
                                             const ClassifierSpec& fitted) {
  try {
    return judged_leaves(training, labels, configured);
  } catch (const UsageError&) {
    if (threshold_needs_folds(fitted)) throw;
    return std::nullopt;
  }
}

// The outlier score of a row that was left out.
double outlier_score_of(const Evidence& evidence, const ClassifierSpec& spec,
                        const std::optional<Confidence>& confidence) {
  return spec.outlier_score == OutlierScore::kCalibrated
             ? 1.0 - confidence->outlier_score.probability(evidence)
             : evidence.outlier_score;
}

std::optional<LeftOutClasses> left_out_classes(const std::optional<JudgedLeaves>& leaves,
                                               const ClassifierSpec& spec,
                                               const std::optional<Confidence>& confidence,
                                               double threshold) {
  if (!leaves || leaves->unknown.empty()) return std::nullopt;
  const auto is_unknown = [&](const JudgedEvidence& leaf) {
    return !decide({{outlier_score_of(leaf.evidence, spec, confidence), threshold}}).known();
  };
  const auto unknown = std::ranges::count_if(leaves->unknown, is_unknown);
  return LeftOutClasses{leaves->unknown.size(), static_cast<std::size_t>(unknown)};
}

double outlier_threshold(const FittedRows& rows, const FeatureTable& training,
                         std::span<const int> labels, const std::optional<JudgedLeaves>& leaves,
                         const std::optional<Confidence>& confidence) {
  const ClassifierSpec& spec = rows.spec;
  if (spec.outlier_score == OutlierScore::kMahalanobis) {
    std::vector<double> values = distances_left_out(training, labels, rows.pipeline);
    const double new_leaf = static_cast<double>(values.size()) + 1.0;
    return ranked(std::move(values), std::ceil(new_leaf * spec.answered_share));
  }
  std::vector<double> values;
  if (threshold_needs_folds(spec)) {
    for (const JudgedEvidence& leaf : leaves->known) {
      values.push_back(outlier_score_of(leaf.evidence, spec, confidence));
    }
  } else {
    const std::size_t others = rows.index.size() - 1;
    values =
        leave_one_out_distances(rows.index, std::min(others, static_cast<std::size_t>(spec.k)));
  }
  const double count = static_cast<double>(values.size());
  return ranked(std::move(values), std::ceil(spec.answered_share * count));
}

}  // namespace

double mean_distance(std::span<const Neighbour> neighbours) {
  double sum = 0.0;
  for (const Neighbour& neighbour : neighbours) sum += neighbour.distance;
  return sum / static_cast<double>(neighbours.size());
}

MemoryReservation memory_to_fit(const FeatureTable& table, std::size_t rows) {
  // Measured. Half of this is for augmented copies of half of the leaves.
  constexpr double kCopies = 4;
  const auto columns = static_cast<double>(table.layout.columns());
  const double values = columns * (kCopies * static_cast<double>(rows) + 2 * columns);
  return MemoryReservation(
      sizeof(double) * values,
      fmt::format("fitting a classifier to {} rows of {} numbers", rows, table.layout.columns()));
}

int median_leaves(std::span<const int> labels) {
  std::vector<std::size_t> sizes;
  for (const auto& [label, rows] : rows_by_class(labels)) sizes.push_back(rows.size());
  return static_cast<int>(quantile(std::move(sizes), 0.5));
}

FittedRows fit_rows(const FeatureTable& training, std::span<const int> labels,
                    const ClassifierSpec& spec) {
  ClassifierSpec used = spec;
  used.k = std::min(spec.k, median_leaves(labels));
  FeaturePipeline pipeline = FeaturePipeline::fit(training, labels, spec.pipeline);
  if (spec.metric == Metric::kCosine && pipeline.dimension() < kFewestDirections) {
    used.metric = Metric::kEuclidean;
    if (spec.pipeline.projection == Projection::kDiscriminant &&
        spec.pipeline.channel_discriminants == 0.0) {
      used.pipeline.channel_discriminants = 1.0;
      pipeline = FeaturePipeline::fit(training, labels, used.pipeline);
    }
  }
  const std::set<int> classes(labels.begin(), labels.end());
  if (spec.outlier_score == OutlierScore::kCalibrated && classes.size() < kFewestClasses) {
    used.outlier_score = OutlierScore::kDistance;
  }
  if (used.outlier_score == OutlierScore::kDistance &&
      spec.pipeline.projection == Projection::kDiscriminant &&
      pipeline.state().blocks.front().dimensions < kFewestDirections) {
    used.outlier_score = OutlierScore::kMahalanobis;
  }
  std::optional<ClassDistance> class_distance;
  if (used.outlier_score == OutlierScore::kMahalanobis) {
    class_distance = ClassDistance::fit(training, labels, pipeline);
  }
  KnnIndex index(used.metric, pipeline.dimension());
  index.add(pipeline.transform(training));
  return {used, std::move(pipeline), std::move(index), std::move(class_distance)};
}

void validate(const ClassifierSpec& spec) {
  validate(spec.pipeline);
  if (spec.k < 1) throw UsageError("classifier.k must be at least 1");
  if (!(spec.answered_share > 0.0 && spec.answered_share <= 1.0)) {
    throw UsageError("classifier.answered_share must be above 0 and at most 1");
  }
}

NearestClassifier NearestClassifier::fit(const FeatureTable& training, std::span<const int> labels,
                                         const ClassifierSpec& spec,
                                         const std::optional<gpu::GpuDevice>& gpu) {
  validate(spec);
  FittedRows rows = fit_rows(training, labels, spec);
  if (gpu) rows.index.use_gpu(*gpu);
  double threshold = std::numeric_limits<double>::infinity();
  std::optional<Confidence> confidence;
  std::vector<LeftOutPrediction> left_out;
  std::optional<LeftOutClasses> left_out_classes;
  if (spec.answered_share < 1.0) {
    const auto leaves = judged_if_enough(training, labels, spec, rows.spec);
    if (leaves) {
      confidence =
          Confidence{class_fit(training, labels, rows.pipeline),
                     calibration_of(*leaves, leaves->augmented), calibration_of(*leaves, {})};
      left_out = left_out_predictions(*leaves, confidence->calibration);
    }
    threshold = outlier_threshold(rows, training, labels, leaves, confidence);
    left_out_classes = leafglyph::left_out_classes(leaves, rows.spec, confidence, threshold);
  }
  NearestClassifier classifier(rows.spec, std::move(rows.pipeline), std::move(rows.index),
                               std::vector<int>(labels.begin(), labels.end()), threshold,
                               std::move(rows.class_distance), std::move(confidence), "classifier");
  classifier.left_out_ = std::move(left_out);
  classifier.left_out_classes_ = left_out_classes;
  return classifier;
}

NearestClassifier::NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, KnnIndex index,
                                     std::vector<int> labels, double threshold,
                                     std::optional<ClassDistance> class_distance,
                                     std::optional<Confidence> confidence,
                                     const std::string& source)
    : spec_(spec),
      pipeline_(std::move(pipeline)),
      index_(std::move(index)),
      labels_(std::move(labels)),
      threshold_(threshold),
      class_distance_(std::move(class_distance)),
      confidence_(std::move(confidence)),
      classes_(class_of_rows(labels_)),
      class_count_(std::set<int>(labels_.begin(), labels_.end()).size()) {
  if (index_.size() != labels_.size() || index_.dimension() != pipeline_.dimension() ||
      index_.metric() != spec_.metric || static_cast<std::size_t>(spec_.k) > labels_.size() ||
      std::isnan(threshold_) ||
      class_distance_.has_value() != (spec_.outlier_score == OutlierScore::kMahalanobis) ||
      (class_distance_ && class_distance_->classes() != class_count_) ||
      (confidence_ && confidence_->fit.typical().state().labels.size() != class_count_) ||
      (spec_.outlier_score == OutlierScore::kCalibrated && !confidence_ &&
       !std::isinf(threshold_))) {
    throw FormatError(source + ": index, labels and pipeline do not match each other; train again");
  }
}

std::vector<double> NearestClassifier::outlier_scores(const FeatureTable& rows) const {
  std::vector<double> values;
  for (const Prediction& prediction : predict(rows, /*top=*/1))
    values.push_back(prediction.outlier_score);
  return values;
}

// The ranked classes of each query: at least `top`, or all if there are fewer. If the neighbours in
// a query's list have too few classes, all classes are ranked.
std::vector<std::vector<RankedClass>> NearestClassifier::rankings(std::span<const float> queries,
                                                                  const NeighbourLists& lists,
                                                                  std::size_t top) const {
  const auto k = static_cast<std::size_t>(spec_.k);
  std::vector<std::vector<RankedClass>> all(lists.count());
  std::vector<std::size_t> lacking;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = rank_classes(lists.of(i), k, labels_);
    if (all[i].size() < std::min(top, class_count_)) lacking.push_back(i);
  }
  if (!lacking.empty()) rank_all_classes(queries, lists, lacking, all);
  return all;
}

// Ranks all classes for the queries `which`. A class without a neighbour in the list gets the
// distance of its nearest row.
void NearestClassifier::rank_all_classes(std::span<const float> queries,
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
  query_rows = index_.prepared_queries(query_rows);
  const NearestRow nearest = index_.nearest_of_groups(classes_, which.size());
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
      std::vector<Neighbour> list(voters.begin(), voters.end());
      list.insert(list.end(), of_classes.begin(), of_classes.end());
      rankings[which[first + q]] = rank_classes(list, k, labels_);
    }
  });
}

std::vector<Prediction> NearestClassifier::predict(const FeatureTable& rows,
                                                   std::size_t top) const {
  const std::vector<float> queries = pipeline_.transform(rows);
  const auto k = static_cast<std::size_t>(spec_.k);
  // The margin compares two classes.
  const std::size_t ranked = std::max<std::size_t>(top, confidence_ ? 2 : 1);
  const std::size_t length = std::min(labels_.size(), k * ranked);
  const NeighbourLists lists = index_.search(queries, length);
  const std::vector<double> class_distances =
      class_distance_ ? class_distance_->distances(rows) : std::vector<double>();
  std::vector<std::vector<RankedClass>> ranking = rankings(queries, lists, ranked);
  std::vector<Prediction> predictions(rows.rows());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto nearest = lists.of(i);
    Prediction& prediction = predictions[i];
    prediction.ranking = std::move(ranking[i]);
    prediction.neighbours.assign(nearest.begin(), nearest.begin() + spec_.k);
    prediction.outlier_score =
        class_distance_ ? class_distances[i] : mean_distance(prediction.neighbours);
  }
  if (confidence_) judge(rows, predictions);
  for (Prediction& prediction : predictions) {
    if (prediction.ranking.size() > top) prediction.ranking.resize(std::max<std::size_t>(top, 1));
    prediction.decision = decide({{prediction.outlier_score, threshold_, prediction.probability}});
  }
  return predictions;
}

void NearestClassifier::judge(const FeatureTable& rows,
                              std::vector<Prediction>& predictions) const {
  const std::vector<Evidence> evidence = evidence_of(predictions, rows, confidence_->fit);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    predictions[i].probability = confidence_->calibration.probability(evidence[i]);
    if (spec_.outlier_score == OutlierScore::kCalibrated) {
      predictions[i].outlier_score = 1.0 - confidence_->outlier_score.probability(evidence[i]);
    }
  }
}

}  // namespace leafglyph
