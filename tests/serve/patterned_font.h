// A font of eleven characters that is quick to search.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/bdf_font.h"

namespace leafglyph::testing {

inline constexpr std::u32string_view kCharacters = U"一丁二十三上下大天土己";

// Glyphs of 8 x 8 pixels, each with its own pattern.
inline std::string patterned_font() {
  std::vector<BdfGlyph> glyphs;
  for (const char32_t character : kCharacters) {
    BdfGlyph glyph{static_cast<int>(character), {}};
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned bits = character * (row + 3) * 37 >> 3;
      std::string& line = glyph.rows.emplace_back();
      for (unsigned column = 0; column < 8; ++column) line += bits >> column & 1U ? '#' : '.';
    }
    glyphs.push_back(glyph);
  }
  return bdf_font(glyphs);
}

}  // namespace leafglyph::testing
