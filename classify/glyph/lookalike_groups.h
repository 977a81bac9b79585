// Groups of characters that all look alike.
#pragma once

#include <string>
#include <vector>

#include "classify/glyph/lookalikes.h"

namespace leafglyph {

/// Characters each of which looks like every other one of its group.
struct LookalikeGroup {
  std::u32string characters;  ///< in the order of the codes
  double score = 0.0;         ///< of the two least alike
};

/// Groups of the characters whose look-alikes are `answers`: beginning with the most alike, two
/// groups become one where every pair of their characters has `least_score` at least and each is
/// among the answers of the other (complete linkage). Characters that are in no group of two are
/// left out. The largest groups come first, then the most alike.
std::vector<LookalikeGroup> lookalike_groups(std::u32string_view characters,
                                             const std::vector<std::vector<Lookalike>>& answers,
                                             double least_score);

}  // namespace leafglyph
