#include "classify/leaf/learning_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "classify/leaf/colour_choice.h"
#include "classify/table/folds.h"
#include "features/base/statistics.h"

namespace leafglyph {
namespace {

// Dense where the curve bends, then every 20.
constexpr std::size_t kCounts[] = {2, 3, 5, 10, 15, 20, 30, 40};
constexpr std::size_t kFurtherStep = 20;

// Training rows of the median class over all splits.
std::size_t median_class(std::span<const Split> splits, std::span<const int> labels) {
  std::vector<std::size_t> sizes;
  for (const Split& split : splits) {
    for (const auto& [label, rows] : rows_by_class(select_labels(labels, split.train))) {
      sizes.push_back(rows.size());
    }
  }
  return sizes.empty() ? 0 : quantile(std::move(sizes), 0.5);
}

std::vector<std::size_t> leaf_counts(std::size_t most) {
  std::vector<std::size_t> counts;
  if (most < kCounts[0]) return counts;
  for (const std::size_t n : kCounts) {
    if (n < most) counts.push_back(n);
  }
  for (std::size_t n = std::end(kCounts)[-1] + kFurtherStep; n < most; n += kFurtherStep) {
    counts.push_back(n);
  }
  counts.push_back(most);
  return counts;
}

}  // namespace

std::vector<Split> thinned_splits(std::span<const Split> splits, std::span<const int> labels,
                                  std::size_t leaves, std::uint64_t seed) {
  std::vector<Split> thinned;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    std::map<int, std::vector<std::size_t>> rows;
    for (const std::size_t row : splits[s].train) rows[labels[row]].push_back(row);
    std::mt19937_64 random(seed + s);
    Split split{{}, splits[s].test, splits[s].unknown};
    for (auto& [label, of_class] : rows) {
      // Fisher-Yates, because std::shuffle may differ between machines.
      for (std::size_t i = of_class.size(); i > 1; --i) {
        std::swap(of_class[i - 1], of_class[random() % i]);
      }
      of_class.resize(std::min(leaves, of_class.size()));
      split.train.insert(split.train.end(), of_class.begin(), of_class.end());
    }
    std::sort(split.train.begin(), split.train.end());
    thinned.push_back(std::move(split));
  }
  return thinned;
}

LearningCurve learning_curve(const LeafConfig& config, const LeafData& data,
                             const SavedSplits& splits, const LeafRun& run) {
  LearningCurve curve;
  curve.config = config;
  if (splits.protocol.kind == ProtocolKind::kLeaveOneOut) return curve;
  const Stopwatch watch;
  // Top-1 counts every prediction, so no threshold is learnt, which would fit the pipeline again.
  ClassifierSpec classifier = config.classifier;
  classifier.answered_share = 1.0;
  const FeatureTable table =
      select_columns(data.table, config.features.order, data.table.layout.group_names());
  const TuningSpec tuning = tuning_for(config, table.layout);
  const std::vector<std::size_t> counts = leaf_counts(median_class(splits.splits, data.labels));
  Progress progress("learning curve", counts.size() * splits.splits.size(), run.progress,
                    run.progressed);
  for (const std::size_t leaves : counts) {
    const std::vector<Split> thinned =
        thinned_splits(splits.splits, data.labels, leaves, splits.protocol.seed);
    const EvaluationResult result = evaluate(
        table, data.labels, data.dataset.class_names, thinned,
        {splits.protocol, classifier, tuning}, [&] { progress.advance(); }, run.search_gpu());
    curve.points.push_back({leaves, result.top1, result.interval});
  }
  curve.seconds = watch.seconds();
  return curve;
}

LearningForecast::LearningForecast(std::span<const LearningPoint> points, std::size_t tests) {
  const double least = 0.5 / static_cast<double>(tests);  // error if no prediction was wrong
  std::vector<double> x, y;
  for (const LearningPoint& point : points) {
    x.push_back(std::log(static_cast<double>(point.leaves)));
    y.push_back(std::log(std::max(least, 1.0 - point.top1.mean)));
  }
  const double mean_x = summarise(x).mean, mean_y = summarise(y).mean;
  double xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  exponent_ = xx > 0.0 ? std::max(0.0, -xy / xx) : 0.0;
  // Through the point with the most leaves, which is closest to the extrapolated range.
  const double last = y.back() + exponent_ * x.back();
  error_of_one_ = std::exp(last);
}

double LearningForecast::accuracy(double leaves) const {
  return 1.0 - std::min(1.0, error_of_one_ * std::pow(leaves, -exponent_));
}

}  // namespace leafglyph
