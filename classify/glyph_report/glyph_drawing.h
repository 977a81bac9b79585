// Glyphs drawn with characters, for terminals.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace leafglyph {

enum class DrawingStyle {
  kBraille,  ///< 2 x 4 pixels a cell: a glyph of 24 x 24 takes 12 columns and 6 lines
  kBlocks,   ///< 1 x 2 pixels a cell: 24 columns and 12 lines
};

/// The lines of a drawing of a square glyph of `size` pixels; ink of half or more is drawn. Every
/// line has drawing_width(style, size) columns.
std::vector<std::string> draw_lines(std::span<const std::uint8_t> ink, int size,
                                    DrawingStyle style);

/// Columns of such a drawing.
int drawing_width(DrawingStyle style, int size);

}  // namespace leafglyph
