// Glyphs drawn with characters, for terminals, and look-alikes as a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "classify/glyph/lookalikes.h"

namespace leafglyph {

enum class DrawingStyle {
  kBraille,  ///< 2 x 4 pixels per cell: a glyph of 24 x 24 takes 12 columns and 6 lines
  kBlocks,   ///< 1 x 2 pixels per cell: 24 columns and 12 lines
};

/// The lines of a drawing of a square glyph of `size` pixels, in which ink of at least half is
/// drawn. Every line has drawing_width(style, size) columns.
std::vector<std::string> draw_lines(std::span<const std::uint8_t> ink, int size,
                                    DrawingStyle style);

/// Columns of such a drawing.
int drawing_width(DrawingStyle style, int size);

/// A query and its look-alikes.
struct LookalikeList {
  char32_t query = 0;
  std::vector<Lookalike> answers;
  /// Pairs of compared characters, if the answers are those of the published space, which have no
  /// score; else 0.
  std::uint64_t published_pairs = 0;
};
/// "0.62", an answer's score, or "0.062", its distance, where there are no scores.
std::string lookalike_label(const LookalikeList& list, const Lookalike& answer);

/// A PNG file with one row per query: the query framed, then its look-alikes with rank and label,
/// ten per line, in glyphs of `font`. Throws what draw_glyphs throws.
std::string sheet_png(const std::vector<LookalikeList>& lists, const FontOptions& font);

}  // namespace leafglyph
