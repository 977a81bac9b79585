#include "classify/evaluation/rejection_curve.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace leafglyph {
namespace {

constexpr int kSteps = 10;
constexpr double kLowestShare = 0.5;

// Top-1 accuracy of the `count` answers of least novelty.
double accuracy(const std::vector<const TestAnswer*>& sorted, std::size_t count) {
  const auto hits =
      std::count_if(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                    [](const TestAnswer* answer) { return answer->hit(1); });
  return static_cast<double>(hits) / static_cast<double>(count);
}

// Share of a split's leaves of classes held back that are farther off than `threshold`.
double rejected_share(const std::vector<TestAnswer>& unknown, std::size_t split, double threshold) {
  std::size_t leaves = 0;
  std::size_t rejected = 0;
  for (const TestAnswer& answer : unknown) {
    if (answer.split != split) continue;
    ++leaves;
    rejected += !decide({{answer.novelty, threshold}}).known();
  }
  return leaves == 0 ? 0.0 : static_cast<double>(rejected) / static_cast<double>(leaves);
}

}  // namespace

std::vector<RejectionPoint> rejection_curve(const EvaluationResult& result) {
  const bool pooled = result.splits.size() == 1;
  std::map<std::size_t, std::vector<const TestAnswer*>> splits;
  for (const TestAnswer& answer : result.answers) {
    splits[pooled ? 0 : answer.split].push_back(&answer);
  }
  for (auto& [split, answers] : splits) {
    std::stable_sort(answers.begin(), answers.end(), [](const TestAnswer* a, const TestAnswer* b) {
      return a->novelty < b->novelty;
    });
  }
  std::vector<RejectionPoint> curve;
  for (int step = 0; step <= kSteps; ++step) {
    const double share = kLowestShare + (1.0 - kLowestShare) * step / kSteps;
    std::vector<double> values;
    std::vector<double> rejected;
    for (const auto& [split, answers] : splits) {
      const auto wanted =
          static_cast<std::size_t>(std::ceil(share * static_cast<double>(answers.size()) - 1e-9));
      values.push_back(accuracy(answers, wanted));
      rejected.push_back(
          rejected_share(result.unknown_answers, split, answers[wanted - 1]->novelty));
    }
    curve.push_back({share, summarise(values), summarise(rejected)});
  }
  return curve;
}

}  // namespace leafglyph
