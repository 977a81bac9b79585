#include "classify/leaf/same_plant.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Keeps a single leaf from ruling out a class.
constexpr double kLeastProbability = 1e-6;

struct Support {
  double log_probability = 0;
  std::size_t voters = 0;
  float nearest = 0;  // distance of its nearest row among the leaves' neighbours
};

// Whether a leaf by itself is sure or likely to be of another class.
bool contradicts(const Prediction& prediction, int label) {
  const std::optional<Word> word = prediction.decision.word();
  return prediction.ranking.front().label != label &&
         (word == Word::kSure || word == Word::kLikely);
}

}  // namespace

PlantPrediction same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  PlantPrediction plant;
  std::map<int, Support> classes;
  std::size_t unknown = 0, with_probability = 0;
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    ++plant.leaves;
    unknown += !leaf.prediction->decision.known();
    with_probability += leaf.prediction->probability.has_value();
    plant.voters += leaf.prediction->neighbours.size();
    classes.try_emplace(leaf.prediction->ranking.front().label);
    for (const Neighbour& neighbour : leaf.prediction->neighbours) {
      Support& of_class =
          classes[model.classifier.labels()[static_cast<std::size_t>(neighbour.row)]];
      of_class.nearest = of_class.voters == 0 ? neighbour.distance
                                              : std::min(of_class.nearest, neighbour.distance);
      ++of_class.voters;
    }
  }
  if (plant.leaves == 0) throw InputError("no photograph of the plant has a prediction");
  // A model of one class has the alternative that the plant is of another.
  const std::size_t alternatives = std::max<std::size_t>(2, model.class_names.size());
  const double others = static_cast<double>(alternatives) - 1.0;
  const double exponent = 1.0 / std::sqrt(static_cast<double>(plant.leaves));
  const auto log_of = [&](const Prediction& prediction, int label) {
    const double first = prediction.probability.value_or(0.0);
    const double p = prediction.ranking.front().label == label ? first : (1.0 - first) / others;
    return exponent * std::log(std::max(kLeastProbability, p));
  };
  double rest = 0.0;  // log probability of a class without any evidence
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    for (auto& [label, evidence] : classes) {
      evidence.log_probability += log_of(*leaf.prediction, label);
    }
    rest += log_of(*leaf.prediction, /*label=*/-1);
  }
  const bool calibrated = with_probability == plant.leaves;
  std::vector<std::pair<int, Support>> order(classes.begin(), classes.end());
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    if (calibrated && a.second.log_probability != b.second.log_probability) {
      return a.second.log_probability > b.second.log_probability;
    }
    if (a.second.voters != b.second.voters) return a.second.voters > b.second.voters;
    return a.second.nearest < b.second.nearest;
  });
  for (const auto& [label, evidence] : order) plant.ranking.push_back({label, evidence.voters});
  if (calibrated) {
    const double best = order.front().second.log_probability;
    double sum = static_cast<double>(alternatives - order.size()) * std::exp(rest - best);
    for (const auto& [label, evidence] : order) sum += std::exp(evidence.log_probability - best);
    plant.probability = 1.0 / sum;
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].prediction && contradicts(*leaves[i].prediction, order.front().first)) {
      plant.contradicting.push_back(i);
    }
  }
  const double share = static_cast<double>(unknown) / static_cast<double>(plant.leaves);
  plant.decision =
      decide({{share, kMostUnknownLeaves, plant.probability, !plant.contradicting.empty()}});
  return plant;
}

}  // namespace leafglyph
