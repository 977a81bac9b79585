// Five handmade characters, as a font in which to search for look-alikes.
#pragma once

#include <string>
#include <vector>

#include "classify/glyph/lookalikes.h"
#include "tests/support/bdf_font.h"

namespace leafglyph {

/// 一, 二, 三, 十, 干, drawn by hand.
inline const std::vector<std::string> kOne = {"........", "........", "........", "########",
                                              "........", "........", "........", "........"};
inline const std::vector<std::string> kTwo = {"........", "........", ".######.", "........",
                                              "........", "########", "........", "........"};
inline const std::vector<std::string> kThree = {"........", ".######.", "........", "..####..",
                                                "........", "########", "........", "........"};
inline const std::vector<std::string> kTen = {"...#....", "...#....", "...#....", "########",
                                              "...#....", "...#....", "...#....", "........"};
inline const std::vector<std::string> kDry = {".######.", "...#....", "...#....", "########",
                                              "...#....", "...#....", "...#....", "........"};

inline std::string drawn_font(bool with_dry = true) {
  std::vector<BdfGlyph> glyphs = {{0x4E00, kOne}, {0x4E09, kThree}, {0x4E8C, kTwo}, {0x5341, kTen}};
  if (with_dry) glyphs.push_back({0x5E72, kDry});
  return bdf_font(glyphs);
}

/// A search in these font files by the drawings alone, without a cache.
inline LookalikeOptions options_for(const std::vector<std::string>& fonts) {
  LookalikeOptions options;
  options.selection.fonts.clear();
  for (const std::string& file : fonts) {
    FontOptions font;
    font.file = file;
    font.pixel_size = 8;
    options.selection.fonts.push_back(font);
  }
  options.selection.skip_missing = true;
  options.profile.measure = LookalikeMeasure::kWindows;
  options.cache_folder.clear();
  return options;
}

}  // namespace leafglyph
