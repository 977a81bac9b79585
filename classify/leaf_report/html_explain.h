// Answers for images as a page that explains them.
#pragma once

#include <span>
#include <string>

#include "classify/leaf/leaf_classify.h"

namespace leafglyph {

/// Throws UsageError when a page of so many images would be too large: above kMaxExplainedImages.
void check_explainable(std::size_t images);

/// For each image: the leaf, the classes by their share of the vote, the nearest training leaves
/// with their pictures and distances, and which channels agree with the answer. The pictures are
/// those in the model; leaves of which a version before kept none have those of the data set that
/// the configuration names, and where it cannot be opened the page says so. Throws what
/// check_explainable throws.
std::string html_explanation(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
