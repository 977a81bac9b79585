// Identifies a plant from several photographs.
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
  std::size_t voters = 0;  ///< neighbours of this class, over all leaves
};

struct PlantPrediction {
  std::vector<PlantClass> ranking;  ///< best first: classes that are first for a leaf or have votes
  std::size_t leaves = 0;           ///< number of leaves with a prediction
  std::size_t voters = 0;           ///< number of neighbours of all these leaves
  std::optional<double> probability = std::nullopt;  ///< that the first class is correct
  /// Positions of the leaves that by themselves are sure or likely to be another class.
  std::vector<std::size_t> contradicting;
  /// Unknown if more than half of the leaves are; doubtful at best if a leaf contradicts.
  Decision decision = {};
};

/// The result for leaves of one plant. Classes are ranked by P(c), the normalised product over the
/// n leaves of p_i(c)^(1 / sqrt n). p_i is a leaf's probability for its first class; the rest is
/// divided equally among the other classes. For independent leaves the exponent would be 1, but
/// these share plant, light and camera. If a prediction has no probability, classes are ranked by
/// votes. Leaves without a prediction do not count; throws InputError when no leaf has one.
PlantPrediction same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
