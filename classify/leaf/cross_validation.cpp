#include "classify/leaf/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classify/table/folds.h"
#include "features/base/statistics.h"

namespace leafglyph {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kFewestForTypical = 5;  // leaves of a class

}  // namespace

CrossValidation cross_validate(const NearestClassifier& classifier, const ClassifierSpec& spec,
                               const FeatureTable& training, std::span<const std::string> classes,
                               const LeafRun& run) {
  CrossValidation validation;
  validation.folds = NearestClassifier::kOutlierFolds;
  for (const std::optional<LeftOutPrediction>& prediction : classifier.left_out()) {
    validation.predictions.push_back(prediction ? std::optional(prediction->label) : std::nullopt);
    validation.probabilities.push_back(prediction ? prediction->probability : 0.0);
    validation.log_ratios.push_back(prediction ? prediction->log_ratio : std::nullopt);
  }
  if (!validation.predictions.empty()) return validation;
  EvaluationSpec evaluation;
  evaluation.protocol.kind = ProtocolKind::kFolds;
  evaluation.protocol.repeats = 1;
  evaluation.protocol.folds = validation.folds;
  evaluation.classifier = spec;
  evaluation.classifier.answered_share = 1.0;  // every prediction counts
  const std::span<const int> labels = classifier.labels();
  std::vector<Split> folds = stratified_folds(labels, validation.folds, kSeed);
  std::erase_if(folds, [](const Split& fold) { return fold.test.empty(); });
  const EvaluationResult result =
      evaluate(training, labels, classes, folds, evaluation, /*done=*/{}, run.search_gpu());
  validation.predictions.resize(labels.size());
  for (const TestPrediction& prediction : result.predictions) {
    validation.predictions[prediction.sample] = prediction.predicted();
  }
  return validation;
}

double CrossValidatedShare::share() const {
  return tested == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(tested);
}

Interval CrossValidatedShare::interval() const {
  if (tested == 0) return {0.0, 1.0, "nothing was tested"};
  return wilson_interval(share(), static_cast<double>(tested),
                         fmt::format("{} predictions", tested));
}

CrossValidatedShare right_share(const CrossValidation& validation, std::span<const int> labels) {
  CrossValidatedShare share;
  share.folds = validation.folds;
  std::map<int, std::size_t> leaves;
  for (const int label : labels) ++leaves[label];
  if (leaves.size() < 2) return share;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (leaves.at(labels[i]) < 2 || !validation.predictions[i]) continue;
    ++share.tested;
    share.right += validation.predictions[i] == labels[i];
  }
  return share;
}

std::vector<CheckedClass> checked_classes(const CrossValidation& validation,
                                          std::span<const int> labels, std::size_t classes) {
  std::vector<CheckedClass> checked(classes);
  std::vector<std::map<int, std::size_t>> taken(classes);
  std::vector<std::vector<double>> ratios(classes);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    ++checked[label].leaves;
    const std::optional<int> prediction = validation.predictions[row];
    if (!prediction) continue;
    ++checked[label].tested;
    if (!validation.log_ratios.empty() && validation.log_ratios[row]) {
      ratios[label].push_back(*validation.log_ratios[row]);
    }
    checked[label].right += *prediction == labels[row];
    if (*prediction != labels[row]) ++taken[label][*prediction];
  }
  for (std::size_t c = 0; c < classes; ++c) {
    const auto most = std::ranges::max_element(
        taken[c], {}, [](const auto& prediction) { return prediction.second; });
    if (most != taken[c].end()) checked[c].taken_for = most->first;
    if (ratios[c].size() < kFewestForTypical) continue;
    for (const double share : kTypicalShares) {
      checked[c].typical.push_back(quantile(ratios[c], share));
    }
  }
  return checked;
}

}  // namespace leafglyph
