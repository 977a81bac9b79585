// Answers for images as a page that explains them.
#pragma once

#include <span>
#include <string>

#include "classify/leaf_task.h"

namespace leafglyph {

/// For each image: the leaf, the classes by their share of the vote, the nearest training leaves
/// with their pictures and distances, and which channels agree with the answer. The training
/// leaves' pictures come from the data set that the model's configuration names; where it cannot be
/// opened the page says so.
std::string html_explanation(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
