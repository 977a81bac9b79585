// Several photographs of one plant, one answer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "classify/leaf/leaf_classify.h"

namespace leafglyph {

/// A class in the answer for a plant.
struct PlantClass {
  int label = 0;
  std::size_t voters = 0;  ///< neighbours of all leaves that are of the class
};

struct PlantAnswer {
  std::vector<PlantClass> ranking;  ///< best first: classes that lead or are voted for
  std::size_t leaves = 0;           ///< that have an answer
  std::size_t voters = 0;           ///< neighbours of all of these
  std::optional<double> probability = std::nullopt;  ///< that the first class is right
  Decision decision = {};  ///< by the share of the leaves that are unknown
};

/// The answer for leaves of one plant. P(c), the product over the n leaves of p_i(c)^(1 / sqrt n),
/// made to add up to 1, ranks the classes; p_i is a leaf's probability for its first class, and the
/// rest of it shared among the others. Were the leaves independent the exponent would be 1; they
/// share plant, light and camera. Without probabilities votes rank. Leaves without an answer do not
/// count; throws InputError when none has one.
PlantAnswer same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
