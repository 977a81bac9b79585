#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "classify/classifier/nearest_classifier.h"
#include "classify/classifier/plda_leave_one_out.h"
#include "classify/table/folds.h"
#include "features/base/aligned_vector.h"
#include "features/base/statistics.h"

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

std::vector<double> leave_one_out_distances(const KnnIndex& index, std::size_t k) {
  const NeighbourLists lists = index.search_others(k);
  std::vector<double> values(lists.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mean_distance(lists.of(i));
  return values;
}

// The rows of Plda::transform whose compared() rows have these directions.
std::vector<float> transformed(std::span<const float> compared, std::span<const double> spread) {
  const std::size_t p = spread.size();
  const std::vector<float> roots = roots_of_beta(spread);
  std::vector<float> rows(compared.begin(), compared.end());
  for (std::size_t first = 0; first < rows.size(); first += p) {
    double square = 0;
    for (std::size_t j = 0; j < p; ++j) {
      rows[first + j] /= roots[j];
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

// The smallest threshold that finds `share` of the scores known.
double threshold_of(std::vector<double> scores, double share) {
  const double count = static_cast<double>(scores.size());
  return ranked(std::move(scores), std::ceil(share * count));
}

// The smallest probability from `least` on that at most `share` of the strangers have.
double limit_for(std::vector<double> of_strangers, double share, double least) {
  const auto count = static_cast<double>(of_strangers.size());
  const double first_too_many = count - std::floor(share * count);
  return std::max(least, std::nextafter(ranked(std::move(of_strangers), first_too_many), 2.0));
}

/// What a classifier of fitted rows is made of.
struct FittedRows {
  NearestClassifier::Rows rows;
  std::vector<double> means;
};

// `rows` are those that the pipeline transformed.
FittedRows indexed_rows(std::vector<float> rows, std::span<const int> labels,
                        const ClassifierSpec& spec, const FeaturePipeline& pipeline) {
  KnnIndex index(spec.metric, pipeline.dimension());
  index.add(compared(std::move(rows), pipeline));
  std::vector<double> means;
  if (spec.is_plda()) means = means_of(index, labels, pipeline.state().plda->spread());
  return {std::move(index), std::move(means)};
}

FittedRows fitted_rows(const FeatureTable& training, std::span<const int> labels,
                       const ClassifierSpec& spec, const SplitPipelines& fitted,
                       const FitWork& work) {
  const FeaturePipeline& pipeline = fitted.all;
  const std::size_t p = pipeline.dimension();
  const RowClasses classes = classes_of(labels);
  if (!NearestClassifier::is_probed(spec, classes.counts.size())) {
    FittedRows rows = indexed_rows(
        fitted.scaled.empty() ? pipeline.transform(training) : pipeline.project(fitted.scaled),
        labels, spec, pipeline);
    work.indexed(labels.size());
    return rows;
  }
  HalfRowsMaker rows(classes.of_rows, p);
  ClassTotals totals;
  LargeVector<float> copy;
  LargeVector<float> scaled;
  for (std::size_t first = 0; first < labels.size(); first += kRowsHeld) {
    const std::size_t count = std::min(kRowsHeld, labels.size() - first);
    const auto part = training.part(first, count, copy);
    scaled.resize(part.size());
    pipeline.scaled(part, scaled);
    const std::vector<float> projected = pipeline.project(scaled);
    add_to(totals, projected, labels.subspan(first, count), p);
    rows.add(compared(projected, pipeline));
    work.indexed(count);
  }
  return {rows.finish(), means_of(ClassLikelihood(pipeline.state().plda->spread(), totals))};
}

// Whether leave_out() can do without fits; the pipeline then decides for each row.
bool leaves_out_at_once(const ClassifierSpec& spec, std::size_t rows, std::size_t classes) {
  return spec.is_plda() && spec.answered_share == 1.0 && rows > 2 && classes > 1 &&
         !NearestClassifier::is_probed(spec, classes) &&
         PldaLeaveOneOut::is_possible(spec.pipeline.plda);
}

}  // namespace

MemoryReservation memory_to_fit(const FeatureTable& table, std::size_t copied,
                                const ClassifierSpec& spec) {
  const auto columns = static_cast<double>(table.layout.columns());
  double bytes = 2 * sizeof(float) * static_cast<double>(copied) * columns;
  if (spec.is_plda()) {
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

NearestClassifier NearestClassifier::fit(const FeatureTable& training, std::span<const int> labels,
                                         const ClassifierSpec& spec,
                                         const std::optional<gpu::GpuDevice>& gpu,
                                         const ClassSums* sums, const FitWork::Listener& done) {
  validate(spec);
  const MemoryReservation memory = memory_to_fit(training, /*copied=*/0, spec);
  const bool judges = spec.is_plda() && spec.answered_share < 1.0;
  const CalibrationSplits splits = judges ? calibration_splits(labels) : CalibrationSplits{};
  const std::size_t classes = spec.is_plda() ? classes_of(labels).counts.size() : 0;
  const FitWork work({labels.size(), classes, training.layout.columns(), splits.all.size(),
                      std::min(labels.size(), kMostJudged), sums != nullptr},
                     spec.is_plda() ? done : FitWork::Listener());
  const SplitPipelines fitted =
      FeaturePipeline::fit(training, labels, spec.pipeline, splits.all, sums, work);
  ClassifierSpec used = spec;
  used.k =
      std::min(spec.k, spec.is_plda() ? static_cast<int>(labels.size()) : median_leaves(labels));
  FittedRows rows = fitted_rows(training, labels, used, fitted, work);
  if (auto* index = std::get_if<KnnIndex>(&rows.rows); index != nullptr && gpu)
    index->use_gpu(*gpu);
  NearestClassifier classifier(used, fitted.all, std::move(rows.rows),
                               {labels.begin(), labels.end()},
                               std::numeric_limits<double>::infinity(), std::nullopt, WordLimits{},
                               std::move(rows.means), "classifier");
  if (judges) {
    const JudgeSpec judge{static_cast<std::size_t>(used.k), kMostJudged / kOutlierFolds};
    classifier.calibrate(judge_splits(training, labels, splits.all, fitted, judge, work),
                         splits.folds);
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
      const OpenSetCalibration::Certainty certainty = OpenSetCalibration::certainty_of(
          calibration_->probabilities(of_split[s].rows[i].evidence));
      scores.push_back(certainty.unknown);
      left_out_[of_split[s].which[i]] = {of_split[s].first[i], certainty.best,
                                         of_split[s].typical[i]};
    }
  }
  threshold_ = threshold_of(std::move(scores), spec_.answered_share);
  if (folds == of_split.size()) return;
  left_out_classes_ = LeftOutClasses{};
  std::vector<double> of_strangers;
  for (std::size_t s = folds; s < of_split.size(); ++s) {
    for (const JudgedRow& row : of_split[s].rows) {
      const OpenSetCalibration::Certainty certainty =
          OpenSetCalibration::certainty_of(calibration_->probabilities(row.evidence));
      ++left_out_classes_->rows;
      const bool known = decide({{certainty.unknown, threshold_}}).known();
      left_out_classes_->unknown += !known;
      of_strangers.push_back(known ? certainty.best : 0);
    }
  }
  limits_.sure = limit_for(of_strangers, kStrangersSure, limits_.sure);
  limits_.likely = limit_for(std::move(of_strangers), kStrangersLikely, limits_.likely);
}

std::vector<std::size_t> NearestClassifier::leave_out(
    const FeatureTable& training, std::span<const int> labels, const ClassifierSpec& spec,
    const ClassSums& sums, std::span<const std::size_t> which,
    const std::function<void(std::size_t, const NearestClassifier&)>& take) {
  validate(spec);
  if (!leaves_out_at_once(spec, labels.size(), sums.classes().size())) {
    std::vector<std::size_t> all(which.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const MemoryReservation memory = memory_to_fit(training, /*copied=*/labels.size(), spec);
  ClassifierSpec used = spec;
  used.k = std::min(spec.k, static_cast<int>(labels.size()) - 1);
  return FeaturePipeline::leave_out(
      training, labels, spec.pipeline, sums, which,
      [&](std::size_t i, const FeaturePipeline& pipeline, std::vector<float> rows) {
        const auto row = static_cast<std::ptrdiff_t>(which[i]);
        const auto p = static_cast<std::ptrdiff_t>(pipeline.dimension());
        rows.erase(rows.begin() + row * p, rows.begin() + (row + 1) * p);
        std::vector<int> of_others(labels.begin(), labels.end());
        of_others.erase(of_others.begin() + row);
        FittedRows fitted = indexed_rows(std::move(rows), of_others, used, pipeline);
        take(i, NearestClassifier(used, pipeline, std::move(fitted.rows), std::move(of_others),
                                  std::numeric_limits<double>::infinity(), std::nullopt,
                                  WordLimits{}, std::move(fitted.means), "classifier"));
      });
}

}  // namespace leafglyph
