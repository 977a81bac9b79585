#include "classify/classifier/nearest_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "classify/table/folds.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Ranks the classes of the voters before the others of nearest rows of classes, which are in order.
std::vector<RankedClass> rank_with(std::span<const Neighbour> voters,
                                   std::span<const Neighbour> of_classes,
                                   std::span<const int> labels) {
  std::vector<Neighbour> list(voters.begin(), voters.end());
  list.insert(list.end(), of_classes.begin(), of_classes.end());
  return rank_classes(list, voters.size(), labels);
}

}  // namespace

double mean_distance(std::span<const Neighbour> neighbours) {
  double sum = 0.0;
  for (const Neighbour& neighbour : neighbours) sum += neighbour.distance;
  return sum / static_cast<double>(neighbours.size());
}

void declare(Keys& keys, ClassifierSpec& spec) {
  keys.number("k", spec.k, kNeighbours,
              "The species of the k nearest training leaves are the candidates, of which the "
              "likeliest is the prediction; without plda the k nearest vote");
  keys.choice("metric", spec.metric, "Of the distance between leaves; plda needs cosine");
  keys.number("answered_share", spec.answered_share, {0.01, 1},
              "Share of the leaves of known species that get a name; what is as unlikely to be "
              "known as the others is unknown");
}

void validate(const ClassifierSpec& spec) {
  validate(spec.pipeline);
  check_keys(spec, "classifier.");
  if (spec.is_plda() && spec.metric != Metric::kCosine) {
    throw UsageError("pipeline.projection: plda needs classifier.metric: cosine");
  }
}

NearestClassifier::NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, Rows rows,
                                     std::vector<int> labels, double threshold,
                                     std::optional<OpenSetCalibration> calibration,
                                     const WordLimits& limits, std::vector<double> means,
                                     const std::string& source)
    : spec_(spec),
      pipeline_(std::move(pipeline)),
      labels_(std::move(labels)),
      threshold_(threshold),
      calibration_(calibration),
      limits_(limits),
      index_(KnnIndex(spec.metric, pipeline_.dimension())) {
  RowClasses classes = classes_of(labels_);
  classes_ = std::move(classes.of_rows);
  class_count_ = classes.counts.size();
  const auto* index = std::get_if<KnnIndex>(&rows);
  const std::size_t dimension = pipeline_.dimension();
  if ((index == nullptr) != is_probed(spec_, class_count_) ||
      (index != nullptr && (index->size() != labels_.size() || index->dimension() != dimension ||
                            index->metric() != spec_.metric)) ||
      means.size() != (spec_.is_plda() ? class_count_ * dimension : 0) ||
      static_cast<std::size_t>(spec_.k) > labels_.size() || std::isnan(threshold_) ||
      (calibration_ && !spec_.is_plda()) ||
      (spec_.is_plda() && !calibration_ && !std::isinf(threshold_))) {
    throw FormatError(source + ": index, labels and pipeline do not match each other; train again");
  }
  if (spec_.is_plda()) {
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
      std::vector<double> evidence;
      for (const RankedClass& ranked : candidates[i]) evidence.push_back(ranked.score);
      const std::vector<double> probabilities = calibration_->probabilities(evidence);
      for (std::size_t c = 0; c < probabilities.size(); ++c) {
        prediction.ranking[c].score = probabilities[c];
      }
      prediction.outlier_score = OpenSetCalibration::certainty_of(probabilities).unknown;
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
    prediction.decision = decide({{prediction.outlier_score, threshold_, prediction.probability,
                                   Against::kNothing, limits_}});
  }
  return predictions;
}

}  // namespace leafglyph
