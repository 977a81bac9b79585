#include "classify/leaf/learning_curve.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <random>

namespace leafglyph {
namespace {

// Dense where a curve bends; beyond, every 20.
constexpr std::size_t kCounts[] = {2, 3, 5, 10, 15, 20, 30, 40};
constexpr std::size_t kFurtherStep = 20;

// Training rows of the class that has fewest, over all splits.
std::size_t smallest_class(std::span<const Split> splits, std::span<const int> labels) {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const Split& split : splits) {
    std::map<int, std::size_t> counts;
    for (const std::size_t row : split.train) ++counts[labels[row]];
    for (const auto& [label, count] : counts) smallest = std::min(smallest, count);
  }
  return smallest;
}

std::vector<std::size_t> leaf_counts(std::size_t most, std::size_t classes, int k) {
  std::vector<std::size_t> counts;
  // The nearest neighbours have to be there; the threshold of a rejection holds rows back.
  const auto enough = [&](std::size_t n) { return n * classes > 2 * static_cast<std::size_t>(k); };
  for (const std::size_t n : kCounts) {
    if (n < most && enough(n)) counts.push_back(n);
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
      // Fisher and Yates; the same on every machine, which std::shuffle need not be.
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
  const auto start = std::chrono::steady_clock::now();
  // Top-1 counts every answer: the threshold, which fits the pipeline again, is of no use here.
  ClassifierSpec classifier = config.classifier;
  classifier.answered_share = 1.0;
  const FeatureTable table =
      select_columns(data.table, config.features.order, data.table.layout.channels);
  const std::vector<std::size_t> counts =
      leaf_counts(smallest_class(splits.splits, data.labels), data.dataset.class_names.size(),
                  config.classifier.k);
  Progress progress("learning curve", counts.size() * splits.splits.size(), run.progress);
  for (const std::size_t leaves : counts) {
    const std::vector<Split> thinned =
        thinned_splits(splits.splits, data.labels, leaves, splits.protocol.seed);
    const EvaluationResult result = evaluate(
        table, data.labels, data.dataset.class_names, thinned,
        {splits.protocol, classifier, config.tuning}, [&] { progress.advance(); },
        run.search_gpu());
    curve.points.push_back({leaves, result.top1, result.interval});
  }
  curve.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return curve;
}

}  // namespace leafglyph
