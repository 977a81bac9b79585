// Look-alikes as text, JSON and CSV.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph_report/glyph_drawing.h"
#include "classify/glyph_report/glyph_sheet.h"

namespace leafglyph {

/// A line for each answer: rank, character, code points, score and distance.
std::string lookalikes_text(const LookalikeList& list);

/// The query and its answers drawn side by side, as many in a line as fit `columns`.
std::string lookalikes_drawing(const LookalikeList& list, const FontOptions& font,
                               DrawingStyle style, int columns);

/// [{"character", "unicode", "gb2312", "similar": [{"rank", "character", "unicode", "gb2312",
/// "score", "distance"}]}]
std::string lookalikes_json(const std::vector<LookalikeList>& lists);

/// character,rank,similar,score,distance
std::string lookalikes_csv(const std::vector<LookalikeList>& lists);

/// first,second,score,distance,rank_of_second,rank_of_first; an empty rank is one beyond `top`.
std::string pairs_csv(const std::vector<ScoredPair>& pairs);

}  // namespace leafglyph
