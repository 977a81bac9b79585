// What speaks for or against a prediction, beside its probability.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "classify/leaf/leaf_explain.h"

namespace leafglyph {

/// A fact speaks for the first class (true), against it (false), or neither (none).
struct LeafEvidence {
  std::optional<bool> votes;     ///< how many of the nearest training leaves are of the class
  std::optional<bool> second;    ///< how much farther the second class is
  double second_times = 0;       ///< its distance / the first one's
  std::optional<bool> typical;   ///< among the class's own training leaves
  double typical_share = 0;      ///< of these that are less typical; if `typical` is false, more
  std::optional<bool> channels;  ///< how many predict the class, each by itself
  std::size_t agreeing = 0, asked = 0;  ///< channels

  bool speaks_against() const;
};

/// The evidence of one prediction; `row` is the leaf's row in the model's layout, `parts` the
/// predictions of its channels if they were asked.
LeafEvidence leaf_evidence(const LeafModel& model, const Prediction& prediction,
                           const FeatureTable& row, std::span<const PartPrediction> parts = {});

/// A prediction that is sure becomes likely if the evidence speaks against it: a calibrated
/// probability is right on average over leaves of the training species, of which few look like
/// this. One of a leaf that is not seen clearly becomes doubtful.
void weigh_evidence(const LeafModel& model, const LeafEvidence& evidence, Prediction& prediction);

/// Asks the channels about each leaf with a prediction, and weighs what they say. Returns their
/// predictions, in the order of the leaves; none for the others.
std::vector<std::vector<PartPrediction>> explain(const LeafModel& model,
                                                 const PartClassifiers& parts,
                                                 std::span<ClassifiedLeaf> leaves);

}  // namespace leafglyph
