// A contact sheet of look-alikes as a picture.
#pragma once

#include <string>
#include <vector>

#include "classify/glyph/lookalikes.h"

namespace leafglyph {

/// One query and its answers.
struct LookalikeList {
  char32_t query = 0;
  std::vector<Lookalike> answers;
};

/// A PNG file with a row for each query: the query framed, then its answers with rank and score.
/// Ten answers a line; glyphs of `font`. Errors as draw_glyphs.
std::string sheet_png(const std::vector<LookalikeList>& lists, const FontOptions& font);

}  // namespace leafglyph
