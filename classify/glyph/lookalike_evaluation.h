// How well look-alikes find pairs that are known to be confused.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/glyph/character_traits.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalikes.h"

namespace leafglyph {

/// Shares are of the pairs, counted in both directions with their weights, whose partner is among
/// the `rank` first. The intervals are Wilson's for as many trials as there are pairs, since the
/// two directions of a pair depend on each other.
struct LookalikeEvaluation {
  static constexpr std::array<std::size_t, 4> kRanks = {1, 5, 10, 20};
  struct Recall {
    double share = 0.0;
    Interval interval;
  };
  struct Kind {
    PairKind kind = PairKind::kStrokes;
    std::size_t pairs = 0;
    Recall found;    ///< among 10
    Recall blurred;  ///< the same by blurred pixels
  };

  std::size_t pairs = 0;
  std::array<Recall, kRanks.size()> found;
  std::array<Recall, kRanks.size()> blurred;  ///< the baseline: correlation of blurred drawings
  Recall shortlisted;                         ///< bounds what ordering the shortlist can find
  std::vector<Kind> kinds;                    ///< those that occur
};

/// `pairs` are pairs of compared characters, of which there must be at least one.
LookalikeEvaluation evaluate_lookalikes(const LookalikeIndex& index,
                                        const std::vector<ListedPair>& pairs);

/// The rank of each pair's second character among the others of the index, by the correlation with
/// the first one of drawings blurred by a Gaussian of a twentieth of their side, averaged over the
/// fonts.
std::vector<std::size_t> blurred_ranks(const LookalikeIndex& index,
                                       std::span<const std::pair<char32_t, char32_t>> pairs);

}  // namespace leafglyph
