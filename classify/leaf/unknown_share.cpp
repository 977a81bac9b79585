#include "classify/leaf/unknown_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

double UnknownShare::share() const {
  return leaves == 0 ? 0.0 : static_cast<double>(unknown) / static_cast<double>(leaves);
}

namespace {

// Fits one classifier per species, without the leaves of that species.
std::optional<UnknownShare> by_fits(const ClassifierSpec& spec, const FeatureTable& training,
                                    std::span<const int> labels,
                                    std::span<const std::string> classes, const LeafRun& run,
                                    UnknownShare share) {
  share.groups = share.species;
  std::vector<Split> splits = class_folds(labels, share.groups);
  for (Split& split : splits) std::swap(split.test, split.unknown);
  EvaluationSpec evaluation;
  evaluation.classifier = spec;
  try {
    const EvaluationResult result =
        evaluate(training, labels, classes, splits, evaluation, /*done=*/{}, run.search_gpu());
    share.leaves = result.unknown_predictions.size();
    share.unknown = static_cast<std::size_t>(std::ranges::count_if(
        result.unknown_predictions,
        [](const TestPrediction& prediction) { return !prediction.decision.known(); }));
    return share;
  } catch (const UsageError&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<UnknownShare> unknown_share(const NearestClassifier& classifier,
                                          const ClassifierSpec& spec, const FeatureTable& training,
                                          std::span<const std::string> classes,
                                          const LeafRun& run) {
  const std::span<const int> labels = classifier.labels();
  UnknownShare share;
  share.species = static_cast<int>(std::set<int>(labels.begin(), labels.end()).size());
  if (share.species < kFewestForUnknown || spec.answered_share == 1.0) return std::nullopt;
  if (share.species < static_cast<int>(kFewestClasses)) {
    return by_fits(spec, training, labels, classes, run, share);
  }
  const std::optional<LeftOutClasses>& left_out = classifier.left_out_classes();
  if (!left_out) return std::nullopt;
  share.unknown = left_out->unknown;
  share.leaves = left_out->rows;
  share.groups = NearestClassifier::kOutlierFolds;
  return share;
}

std::string in_words(const std::optional<UnknownShare>& share, std::size_t species, bool refuses) {
  if (!refuses) return "leaves of other species are never called unknown: every leaf gets a name";
  if (species < static_cast<std::size_t>(kFewestForUnknown)) {
    return fmt::format(
        "what share of leaves of other species is called unknown cannot be measured with {} "
        "species; add another",
        species);
  }
  if (!share) return "what share of leaves of other species is called unknown was not measured";
  return fmt::format(
      "{} % of {} leaves of other species are called unknown, by leaving out the {} "
      "species {}{}",
      percent(share->share()), share->leaves, share->species,
      share->groups == share->species ? std::string("one by one")
                                      : fmt::format("in {} groups", share->groups),
      share->species < kFewSpecies ? ": a rough guide, with so few species" : "");
}

}  // namespace leafglyph
