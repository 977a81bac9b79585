// Pages of text drawn in a font, for tests of their recognition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/image/image.h"

namespace leafglyph::testing {

inline const std::string kPageFonts = "/usr/share/fonts/truetype/";

struct PageForm {
  std::string font = kPageFonts + "arphic/uming.ttc";
  int size = 32;      // of the characters, in pixels
  double lead = 1.7;  // from line to line, in characters
  bool vertical = false;
  double tilt = 0;   // degrees counterclockwise: what straightens it
  double noise = 0;  // standard deviation in grey values
  bool light_on_dark = false;
};

/// The text drawn line by line. Columns are moved up in proportion to their place, and rows to the
/// right, which is what a turn by a small angle does.
inline Image<std::uint8_t> page_of(const std::vector<std::u32string>& text, const PageForm& form) {
  FontOptions options;
  options.file = form.font;
  options.pixel_size = form.size;
  const GlyphSource source(options);
  const int side = form.size, lead = static_cast<int>(form.lead * side);
  std::size_t longest = 0;
  for (const auto& line : text) longest = std::max(longest, line.size());
  const int along = static_cast<int>(longest) * side + 4 * side,
            across = static_cast<int>(text.size()) * lead + 4 * side;
  Image<double> ink(form.vertical ? across : along, form.vertical ? along : across);
  const double slope = std::tan(form.tilt * std::numbers::pi / 180);
  std::vector<std::uint8_t> drawn(static_cast<std::size_t>(side * side));
  for (std::size_t l = 0; l < text.size(); ++l) {
    for (std::size_t c = 0; c < text[l].size(); ++c) {
      source.render(text[l][c], drawn);
      const int here = 2 * side + static_cast<int>(c) * side,
                there = 2 * side + static_cast<int>(l) * lead;
      const int left = form.vertical ? ink.width() - there - side : here,
                top = form.vertical ? here : there;
      for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
          const int x = left + column, y = top + row;
          const int moved_x = x + static_cast<int>(std::lround(slope * (y - ink.height() / 2.0))),
                    moved_y = y - static_cast<int>(std::lround(slope * (x - ink.width() / 2.0)));
          if (moved_x < 0 || moved_y < 0 || moved_x >= ink.width() || moved_y >= ink.height()) {
            continue;
          }
          double& pixel = ink.at(moved_y, moved_x);
          pixel = std::max(pixel, drawn[static_cast<std::size_t>(row * side + column)] / 255.0);
        }
      }
    }
  }
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, std::max(form.noise, 1e-9));
  Image<std::uint8_t> page(ink.width(), ink.height());
  for (std::size_t i = 0; i < page.size(); ++i) {
    const double share = form.light_on_dark ? 1 - ink.pixels()[i] : ink.pixels()[i];
    page.pixels()[i] =
        static_cast<std::uint8_t>(std::clamp(215 - 170 * share + noise(random), 0.0, 255.0));
  }
  return page;
}

}  // namespace leafglyph::testing
