// Pairs of characters from a file, how an index finds them, and groups that all look alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph/lookalikes.h"

namespace leafglyph {

/// A pair from a file, with its line number.
struct ListedPair {
  char32_t first = 0;
  char32_t second = 0;
  int line = 0;
  double weight = 1.0;
};

/// The pairs in a file, and the lines that could not be read.
struct PairFile {
  std::vector<ListedPair> pairs;
  std::vector<std::string> refused;  ///< a message with file and line for each
  std::string note;                  ///< ForeignText::note
};
/// The pairs of a text in any encoding of foreign_text. A line has two characters, or a group of up
/// to 32, which stands for all its pairs; they may be codes (character_code.h). Blanks, commas,
/// semicolons, colons, tabs, bars and quotes, also Chinese ones, may stand between them. A number
/// of more than 0 behind them is their weight. Empty lines, lines that begin with # and a first
/// line that names columns are skipped.
PairFile parse_pairs(std::string bytes, const std::string& file);

/// A pair with its distance and score, and the rank of each character among the look-alikes of the
/// other; 0 if it is beyond the requested ranks.
struct ScoredPair {
  ListedPair pair;
  Lookalike similarity;
  std::size_t rank_of_second = 0;
  std::size_t rank_of_first = 0;
};

/// Scores pairs of compared characters; ranks up to `top`.
std::vector<ScoredPair> score_pairs(const LookalikeIndex& index,
                                    const std::vector<ListedPair>& pairs, std::size_t top);

/// The share of pairs, counted in both directions, whose partner has a rank <= `rank`. Pairs count
/// with their weights.
double share_within(const std::vector<ScoredPair>& pairs, std::size_t rank);

/// Characters that all look like each other.
struct LookalikeGroup {
  std::u32string characters;  ///< in the order of the codes
  double score = 0.0;         ///< of the two least similar ones
};

/// Groups of characters by complete linkage; `answers` are the look-alikes of each character.
/// Starting with the most similar, two groups are joined if every pair of their characters has at
/// least `least_score` and each is among the look-alikes of the other. Characters that join no
/// group are left out. The largest groups come first; among equally large ones, the most similar.
std::vector<LookalikeGroup> lookalike_groups(std::u32string_view characters,
                                             const std::vector<std::vector<Lookalike>>& answers,
                                             double least_score);

}  // namespace leafglyph
