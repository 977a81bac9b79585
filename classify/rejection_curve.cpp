#include "classify/rejection_curve.h"

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
    for (const auto& [split, answers] : splits) {
      const double wanted = std::ceil(share * static_cast<double>(answers.size()) - 1e-9);
      values.push_back(accuracy(answers, static_cast<std::size_t>(wanted)));
    }
    curve.push_back({share, summarise(values)});
  }
  return curve;
}

}  // namespace leafglyph
