#include "classify/leaf/leaf_evidence.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "classify/leaf/cross_validation.h"

namespace leafglyph {
namespace {

// Thresholds from which a fact speaks for a prediction, and below which it speaks against it.
constexpr double kManyVotes = 0.8;
constexpr double kFarSecond = 2.0, kNearSecond = 1.25;
constexpr double kManyChannels = 0.75, kFewChannels = 0.5;

void add_neighbours(const LeafModel& model, const Prediction& prediction, LeafEvidence& evidence) {
  const RankedClass& first = prediction.ranking.front();
  const auto of_species = std::ranges::count(model.classifier.labels(), first.label);
  const auto of = static_cast<std::ptrdiff_t>(prediction.neighbours.size());
  evidence.votes = first.voters >= kManyVotes * static_cast<double>(std::min(of, of_species));
  if (prediction.ranking.size() < 2 || first.distance <= 0) return;
  evidence.second_times = static_cast<double>(prediction.ranking[1].distance / first.distance);
  if (evidence.second_times >= kFarSecond) evidence.second = true;
  if (evidence.second_times < kNearSecond) evidence.second = false;
}

// Compared with the training leaves that folds left out.
void add_typical(const LeafModel& model, const Prediction& prediction, const FeatureTable& row,
                 LeafEvidence& evidence) {
  if (model.history.classes.empty()) return;
  const int label = prediction.ranking.front().label;
  const std::vector<double>& ratios =
      model.history.classes[static_cast<std::size_t>(label)].typical;
  if (ratios.empty()) return;
  const std::optional<double> ratio = model.classifier.log_ratio(row, label);
  if (!ratio) return;
  const auto passed =
      static_cast<std::size_t>(std::ranges::upper_bound(ratios, *ratio) - ratios.begin());
  if (passed == 0) evidence.typical = false;
  if (passed > 1) evidence.typical = true;
  evidence.typical_share = passed == 0 ? 1 - kTypicalShares.front() : kTypicalShares[passed - 1];
}

void add_channels(const Prediction& prediction, std::span<const PartPrediction> parts,
                  LeafEvidence& evidence) {
  for (const PartPrediction& part : parts) {
    if (!part.prediction) continue;
    ++evidence.asked;
    evidence.agreeing += part.prediction->ranking.front().label == prediction.ranking.front().label;
  }
  if (evidence.asked == 0) return;
  const double share = static_cast<double>(evidence.agreeing) / static_cast<double>(evidence.asked);
  if (share >= kManyChannels) evidence.channels = true;
  if (share < kFewChannels) evidence.channels = false;
}

}  // namespace

bool LeafEvidence::speaks_against() const {
  return votes == false || second == false || typical == false || channels == false;
}

LeafEvidence leaf_evidence(const LeafModel& model, const Prediction& prediction,
                           const FeatureTable& row, std::span<const PartPrediction> parts) {
  LeafEvidence evidence;
  add_neighbours(model, prediction, evidence);
  add_typical(model, prediction, row, evidence);
  add_channels(prediction, parts, evidence);
  return evidence;
}

void weigh_evidence(const LeafModel& model, const LeafEvidence& evidence, Prediction& prediction) {
  if (!prediction.decision.known()) return;
  if (prediction.is_clear && !evidence.speaks_against()) return;
  prediction.decision = decide(
      {{prediction.outlier_score, model.classifier.threshold(), prediction.probability,
        prediction.is_clear ? Against::kEvidence : Against::kUnclear, model.classifier.limits()}});
}

std::vector<std::vector<PartPrediction>> explain(const LeafModel& model,
                                                 const PartClassifiers& parts,
                                                 std::span<ClassifiedLeaf> leaves) {
  std::vector<std::vector<PartPrediction>> all(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].prediction) continue;
    const FeatureTable row{model.features.layout(), leaves[i].features};
    all[i] = std::move(parts.predictions(row).front());
    weigh_evidence(model, leaf_evidence(model, *leaves[i].prediction, row, all[i]),
                   *leaves[i].prediction);
  }
  return all;
}

}  // namespace leafglyph
