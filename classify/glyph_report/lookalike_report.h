// Look-alikes as text, JSON and tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph/lookalike_evaluation.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph_report/glyph_drawing.h"
#include "features/base/table.h"

namespace leafglyph {

/// "score 0.999  distance 0.1516"; in the published space, whose compared characters have
/// `published_pairs` pairs, "distance 0.1348  pair 5124563 of 22858941", its place among them.
std::string lookalike_text(const Lookalike& pair, std::uint64_t published_pairs);

/// One line per look-alike: rank, character and lookalike_text.
std::string lookalikes_text(const LookalikeList& list);

/// The query and its look-alikes drawn side by side, as many per line as fit into `columns`.
std::string lookalikes_drawing(const LookalikeList& list, const FontOptions& font,
                               DrawingStyle style, int columns);

/// [{CHARACTER, "similar": [{CHARACTER, "rank", "score", "distance"}]}], in the published space
/// "pair" and "pairs" instead of "score"; CHARACTER is
/// "character", "unicode", "gb2312" and what Unihan says about it: "pinyin" ["jǐ"], "toneless"
/// ["ji"], "strokes", "radical", "frequency", "simplified", "traditional", "variants", "meaning".
std::string lookalikes_json(const std::vector<LookalikeList>& lists);

/// {"text", "characters": [{CHARACTER, "position", "misread": [{CHARACTER, "score",
/// "distance"}]}]}, with an entry for each position of the text whose character has a list.
/// Positions count characters from 0; "misread" has the look-alikes with a score of at least
/// `least_score`.
std::string misreadings_json(std::u32string_view text, const std::vector<LookalikeList>& lists,
                             double least_score);

/// One line per group: its characters and the score of the two least similar.
std::string groups_text(const std::vector<LookalikeGroup>& groups);
/// [{"characters": ["己", "已"], "score"}]
std::string groups_json(const std::vector<LookalikeGroup>& groups);
/// group,character,score: one line per character, with the score of its group.
Table groups_table(const std::vector<LookalikeGroup>& groups);

/// character,rank,similar,score,distance; in the published space pair,pairs instead of score.
std::string lookalikes_csv(const std::vector<LookalikeList>& lists);

/// first,second,score,distance,rank_of_second,rank_of_first; a rank beyond `top` is left empty.
Table pairs_table(const std::vector<ScoredPair>& pairs);

/// A table of the shares found within each number of ranks, of kinds of pairs, and of the
/// shortlist.
std::string evaluation_text(const LookalikeEvaluation& evaluation);
/// kind,by,rank,share,low,high,pairs: one line per share. `kind`: all, or that of the pairs; `by`:
/// leafglyph, blurred or shortlist, which has no rank.
Table evaluation_table(const LookalikeEvaluation& evaluation);
/// The same as a list of objects.
std::string evaluation_json(const LookalikeEvaluation& evaluation);

}  // namespace leafglyph
