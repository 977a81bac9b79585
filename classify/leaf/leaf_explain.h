// Why a leaf got its answer: what each part of its features says by itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"

namespace leafglyph {

/// What one channel, or the global measures, answers by itself.
struct PartAnswer {
  std::string part;              ///< the channel's name, or "measures"
  std::optional<Answer> answer;  ///< none where the part is constant in the training leaves
};

/// For each leaf that has an answer, in order: the answer of a classifier of the model's kind that
/// learnt from the same training leaves, but from one part's columns only, and answers everything.
/// Leaves without an answer get an empty list.
std::vector<std::vector<PartAnswer>> part_answers(const LeafModel& model,
                                                  std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
