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
#include "features/base/parallel_for.h"

namespace leafglyph {
namespace {

// Any seed does: the folds only decide which training rows measure the others' novelty together.
constexpr std::uint64_t kNoveltySeed = 1;

// The `rank`-th smallest of the values, from 1; the first or last where there are not as many.
double ranked(std::vector<double> values, double rank) {
  const auto last = static_cast<double>(values.size()) - 1.0;
  const auto at = static_cast<std::ptrdiff_t>(std::clamp(rank - 1.0, 0.0, last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Novelties of the training rows, each against rows without it.
std::vector<double> novelties_by_folds(const FeatureTable& training, std::span<const int> labels,
                                       ClassifierSpec spec, std::span<const Split> folds) {
  spec.answered_share = 1.0;
  std::vector<std::vector<double>> of_fold(folds.size());
  parallel_for(folds.size(), [&](std::size_t f) {
    const Split& fold = folds[f];
    if (fold.test.empty()) return;
    if (fold.train.size() <= static_cast<std::size_t>(spec.k)) {
      throw UsageError(fmt::format(
          "classifier.k = {} leaves too few training leaves to learn the rejection threshold",
          spec.k));
    }
    of_fold[f] = NearestClassifier::fit(select_rows(training, fold.train),
                                        select_labels(labels, fold.train), spec)
                     .novelties(select_rows(training, fold.test));
  });
  std::vector<double> all;
  for (const std::vector<double>& values : of_fold) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<double> leave_one_out_distances(const KnnIndex& index, std::size_t k) {
  const NeighbourLists lists = index.search_others(k);
  std::vector<double> values(lists.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean_distance(lists.of(i));
  return values;
}

double novelty_threshold(const FittedRows& rows, const FeatureTable& training,
                         std::span<const int> labels) {
  const ClassifierSpec& spec = rows.spec;
  if (spec.answered_share >= 1.0) return std::numeric_limits<double>::infinity();
  if (spec.novelty == Novelty::kMahalanobis) {
    std::vector<double> values = distances_left_out(training, labels, rows.pipeline);
    const double new_leaf = static_cast<double>(values.size()) + 1.0;
    return ranked(std::move(values), std::ceil(new_leaf * spec.answered_share));
  }
  const bool by_folds =
      spec.pipeline.projection == Projection::kDiscriminant || spec.novelty == Novelty::kRelative;
  std::vector<double> values =
      by_folds ? novelties_by_folds(
                     training, labels, spec,
                     stratified_folds(labels, NearestClassifier::kNoveltyFolds, kNoveltySeed))
               : leave_one_out_distances(rows.index, static_cast<std::size_t>(spec.k));
  const double count = static_cast<double>(values.size());
  return ranked(std::move(values), std::ceil(spec.answered_share * count));
}

constexpr Names<Novelty, 3> kNovelties = {"novelty",
                                          {{{Novelty::kDistance, "distance"},
                                            {Novelty::kRelative, "relative"},
                                            {Novelty::kMahalanobis, "mahalanobis"}}}};

}  // namespace

std::string_view novelty_name(Novelty novelty) { return name_of(kNovelties, novelty); }
Novelty novelty_from_name(std::string_view name) { return from_name(kNovelties, name); }

double mean_distance(std::span<const Neighbour> neighbours) {
  double sum = 0.0;
  for (const Neighbour& neighbour : neighbours) sum += neighbour.distance;
  return sum / static_cast<double>(neighbours.size());
}

FittedRows fit_rows(const FeatureTable& training, std::span<const int> labels,
                    const ClassifierSpec& spec) {
  ClassifierSpec used = spec;
  FeaturePipeline pipeline = FeaturePipeline::fit(training, labels, spec.pipeline);
  if (spec.metric == Metric::kCosine && pipeline.dimension() < kFewestDirections) {
    used.metric = Metric::kEuclidean;
    if (spec.pipeline.projection == Projection::kDiscriminant &&
        spec.pipeline.channel_discriminants == 0.0) {
      used.pipeline.channel_discriminants = 1.0;
      pipeline = FeaturePipeline::fit(training, labels, used.pipeline);
    }
  }
  if (spec.novelty == Novelty::kDistance && spec.pipeline.projection == Projection::kDiscriminant &&
      pipeline.state().blocks.front().dimensions < kFewestDirections) {
    used.novelty = Novelty::kMahalanobis;
  }
  std::optional<ClassDistance> class_distance;
  if (used.novelty == Novelty::kMahalanobis) {
    class_distance = ClassDistance::fit(training, labels, pipeline);
  }
  KnnIndex index(used.metric, pipeline.dimension());
  index.add(pipeline.transform(training));
  return {std::move(used), std::move(pipeline), std::move(index), std::move(class_distance)};
}

void validate(const ClassifierSpec& spec, const FeatureLayout& layout) {
  validate(spec.pipeline, layout);
  if (spec.k < 1) throw UsageError("classifier.k must be at least 1");
  if (!(spec.answered_share > 0.0 && spec.answered_share <= 1.0)) {
    throw UsageError("classifier.answered_share must be above 0 and at most 1");
  }
}

NearestClassifier NearestClassifier::fit(const FeatureTable& training, std::span<const int> labels,
                                         const ClassifierSpec& spec,
                                         const std::optional<gpu::GpuDevice>& gpu) {
  validate(spec, training.layout);
  if (static_cast<std::size_t>(spec.k) > training.rows()) {
    throw UsageError(fmt::format("classifier.k = {} is larger than the {} training leaves", spec.k,
                                 training.rows()));
  }
  FittedRows rows = fit_rows(training, labels, spec);
  if (gpu) rows.index.use_gpu(*gpu);
  const double threshold = novelty_threshold(rows, training, labels);
  return NearestClassifier(std::move(rows.spec), std::move(rows.pipeline), std::move(rows.index),
                           std::vector<int>(labels.begin(), labels.end()), threshold,
                           std::move(rows.class_distance), "classifier");
}

NearestClassifier::NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, KnnIndex index,
                                     std::vector<int> labels, double threshold,
                                     std::optional<ClassDistance> class_distance,
                                     const std::string& source)
    : spec_(std::move(spec)),
      pipeline_(std::move(pipeline)),
      index_(std::move(index)),
      labels_(std::move(labels)),
      threshold_(threshold),
      class_distance_(std::move(class_distance)),
      class_count_(std::set<int>(labels_.begin(), labels_.end()).size()) {
  if (index_.size() != labels_.size() || index_.dimension() != pipeline_.dimension() ||
      index_.metric() != spec_.metric || static_cast<std::size_t>(spec_.k) > labels_.size() ||
      std::isnan(threshold_) ||
      class_distance_.has_value() != (spec_.novelty == Novelty::kMahalanobis) ||
      (class_distance_ && class_distance_->classes() != class_count_)) {
    throw FormatError(source + ": index, labels and pipeline do not fit together; train again");
  }
  if (spec_.novelty == Novelty::kRelative) learn_spread();
}

void NearestClassifier::learn_spread() {
  const std::size_t others = labels_.size() - 1;
  spread_ = others == 0 ? std::vector<double>(1, 0.0)
                        : leave_one_out_distances(
                              index_, std::min(others, static_cast<std::size_t>(spec_.k)));
  std::map<int, std::size_t> counts;
  for (const int label : labels_) full_classes_ += ++counts[label] == kContestRows;
}

// d_1 / d_2 of Novelty::kRelative; 1 when fewer than two classes have enough rows.
double NearestClassifier::contest_of(std::span<const float> query,
                                     std::span<const Neighbour> nearest) const {
  if (full_classes_ < 2) return 1.0;
  NeighbourLists longer;
  for (std::size_t length = nearest.size();; length = std::min(labels_.size(), 2 * length)) {
    if (length > nearest.size()) {
      longer = index_.search(query, length);
      nearest = longer.entries;
    }
    std::map<int, std::size_t> counts;
    double first = -1.0;
    for (const Neighbour& neighbour : nearest) {
      if (++counts[labels_[static_cast<std::size_t>(neighbour.row)]] != kContestRows) continue;
      if (first >= 0.0) return neighbour.distance > 0.0F ? first / neighbour.distance : 1.0;
      first = neighbour.distance;
    }
  }
}

double NearestClassifier::novelty_of(std::span<const float> query,
                                     std::span<const Neighbour> nearest) const {
  const auto voters = nearest.first(static_cast<std::size_t>(spec_.k));
  const double distance = mean_distance(voters);
  if (spec_.novelty == Novelty::kDistance) return distance;
  double spread = 0.0;
  for (const Neighbour& neighbour : voters) {
    spread += spread_[static_cast<std::size_t>(neighbour.row)];
  }
  spread /= static_cast<double>(voters.size());
  if (distance == 0.0) return 0.0;
  if (spread == 0.0) return std::numeric_limits<double>::infinity();
  return distance / spread * contest_of(query, nearest);
}

std::vector<double> NearestClassifier::novelties(const FeatureTable& rows) const {
  std::vector<double> values;
  for (const Answer& answer : answer(rows, /*top=*/1)) values.push_back(answer.novelty);
  return values;
}

std::vector<RankedClass> NearestClassifier::ranking_of(std::span<const float> query,
                                                       std::span<const Neighbour> nearest,
                                                       std::size_t top) const {
  const auto k = static_cast<std::size_t>(spec_.k);
  std::vector<RankedClass> ranking = rank_classes(nearest, k, spec_.vote, labels_);
  std::size_t length = nearest.size();
  // Rarely a class that is asked for is not yet in the list: lengthen it.
  while (ranking.size() < std::min(top, class_count_)) {
    length = std::min(labels_.size(), 2 * length);
    ranking = rank_classes(index_.search(query, length).entries, k, spec_.vote, labels_);
  }
  return ranking;
}

std::vector<Answer> NearestClassifier::answer(const FeatureTable& rows, std::size_t top) const {
  const std::vector<float> queries = pipeline_.transform(rows);
  const auto k = static_cast<std::size_t>(spec_.k);
  const std::size_t length = std::min(labels_.size(), k * std::max<std::size_t>(top, 1));
  const NeighbourLists lists = index_.search(queries, length);
  const std::vector<double> class_distances =
      class_distance_ ? class_distance_->distances(rows) : std::vector<double>();
  std::vector<Answer> answers(rows.rows());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto nearest = lists.of(i);
    const auto query = std::span(queries).subspan(i * pipeline_.dimension(), pipeline_.dimension());
    Answer& answer = answers[i];
    answer.ranking = ranking_of(query, nearest, top);
    if (answer.ranking.size() > top) answer.ranking.resize(top);
    answer.neighbours.assign(nearest.begin(), nearest.begin() + spec_.k);
    answer.novelty = class_distance_ ? class_distances[i] : novelty_of(query, nearest);
    answer.known = answer.novelty <= threshold_;
  }
  return answers;
}

}  // namespace leafglyph
