// One identification from several photographs of a plant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "classify/leaf/leaf_classify.h"

namespace leafglyph {

/// A class in the result for a plant.
struct PlantClass {
  int label = 0;
  std::size_t voters = 0;  ///< neighbours of this class of all leaves
};

struct PlantPrediction {
  std::vector<PlantClass> ranking;  ///< best first: classes that come first or have votes
  std::size_t leaves = 0;           ///< that have a prediction
  std::size_t voters = 0;           ///< neighbours of all of these
  std::optional<double> probability = std::nullopt;  ///< that the first class is correct
  Decision decision = {};  ///< if more than half of the leaves are unknown
};

/// The result for leaves of one plant. P(c), the normalised product over the n leaves of p_i(c)^(1
/// / sqrt n), ranks the classes; p_i is a leaf's probability for its first class, and the rest is
/// shared among the others. For independent leaves the exponent would be 1; these share plant,
/// light and camera. Without probabilities the votes rank. Leaves without a prediction do not
/// count; throws InputError when none has one.
PlantPrediction same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
