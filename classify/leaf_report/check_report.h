// What a check of training photographs found, as text, JSON and a page.
#pragma once

#include <cstddef>
#include <string>

#include "classify/leaf/leaf_training.h"

namespace leafglyph {

/// The share named rightly with its interval, the photographs of the species, what more of them
/// would bring where that is known, and at most `most` things to look at.
std::string check_text(const TrainedLeaves& trained, std::size_t most);
std::string check_json(const TrainedLeaves& trained);

/// A page with all of it: the photographs to look at with their pictures, a table of the species,
/// the learning curve.
std::string html_check(const TrainedLeaves& trained);

}  // namespace leafglyph
