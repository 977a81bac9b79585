// A handmade bitmap font: the oracle for everything that draws characters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace leafglyph {

struct BdfGlyph {
  int code;                       ///< code in the font's encoding
  std::vector<std::string> rows;  ///< '#' is ink; may be smaller than the cell
  int left = 0;                   ///< column of the first pixel
  int bottom = -1;                ///< row of the last line above the baseline
};

/// A BDF font of square cells, with one row of each below the baseline.
inline std::string bdf_font(const std::vector<BdfGlyph>& glyphs,
                            const std::string& registry = "ISO10646",
                            const std::string& encoding = "1", int side = 8) {
  const std::string size = std::to_string(side);
  std::string text =
      "STARTFONT 2.1\nFONT -test-drawn-medium-r-normal--" + size + "-" + size + "0-75-75-c-" +
      size + "0-" + registry + "-" + encoding + "\nSIZE " + size + " 75 75\nFONTBOUNDINGBOX " +
      size + " " + size + " 0 -1\nSTARTPROPERTIES 6\nFAMILY_NAME \"Drawn\"\nPIXEL_SIZE " + size +
      "\nFONT_ASCENT " + std::to_string(side - 1) + "\nFONT_DESCENT 1\nCHARSET_REGISTRY \"" +
      registry + "\"\nCHARSET_ENCODING \"" + encoding + "\"\nENDPROPERTIES\nCHARS " +
      std::to_string(glyphs.size()) + "\n";
  for (const BdfGlyph& glyph : glyphs) {
    const std::size_t width = glyph.rows.empty() ? 0 : glyph.rows.front().size();
    text += "STARTCHAR c" + std::to_string(glyph.code) + "\nENCODING " +
            std::to_string(glyph.code) + "\nSWIDTH 1000 0\nDWIDTH " + size + " 0\nBBX " +
            std::to_string(width) + " " + std::to_string(glyph.rows.size()) + " " +
            std::to_string(glyph.left) + " " + std::to_string(glyph.bottom) + "\nBITMAP\n";
    for (const std::string& row : glyph.rows) {
      for (std::size_t first = 0; first < row.size(); first += 8) {
        unsigned bits = 0;
        for (std::size_t i = first; i < std::min(first + 8, row.size()); ++i) {
          bits |= (row[i] == '#' ? 0x80U : 0U) >> (i - first);
        }
        char byte[8];
        std::snprintf(byte, sizeof byte, "%02X", bits);
        text += byte;
      }
      text += '\n';
    }
    text += "ENDCHAR\n";
  }
  return text + "ENDFONT\n";
}

/// Ink as a glyph source returns it (0 or 255) from a drawing with '#' for ink.
inline std::vector<std::uint8_t> drawn_ink(const std::vector<std::string>& rows) {
  std::vector<std::uint8_t> ink;
  for (const std::string& row : rows) {
    for (const char pixel : row) ink.push_back(pixel == '#' ? 255 : 0);
  }
  return ink;
}

}  // namespace leafglyph
