// How an index finds the pairs of a file.
#pragma once

#include <cstddef>
#include <vector>

#include "classify/glyph/lookalikes.h"
#include "classify/glyph/pair_file.h"

namespace leafglyph {

/// A pair with its distance and score, and the rank of each character among the look-alikes of the
/// other; 0 where it is not among those that were asked for.
struct ScoredPair {
  ListedPair pair;
  Lookalike similarity;
  std::size_t rank_of_second = 0;
  std::size_t rank_of_first = 0;
};

/// Scores pairs whose characters are all compared; ranks up to `top`.
std::vector<ScoredPair> score_pairs(const LookalikeIndex& index,
                                    const std::vector<ListedPair>& pairs, std::size_t top);

/// Of the two directions of every pair, the share in which the partner has a rank <= `rank`; pairs
/// count by their weights.
double share_within(const std::vector<ScoredPair>& pairs, std::size_t rank);

}  // namespace leafglyph
