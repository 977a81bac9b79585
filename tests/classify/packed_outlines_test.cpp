// Outlines sent with a page.
#include "classify/glyph_report/glyph_explorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>

namespace leafglyph {
namespace {

// As on the page.
std::vector<std::vector<GlyphContour>> unpacked(const std::string& bytes, std::size_t characters) {
  std::vector<std::vector<GlyphContour>> glyphs(characters);
  std::size_t at = 0;
  const auto next = [&] {
    return static_cast<unsigned>(static_cast<std::uint8_t>(bytes.at(at++)));
  };
  for (auto& glyph : glyphs) {
    glyph.resize(next());
    for (GlyphContour& contour : glyph) {
      const unsigned low = next();
      contour.resize(low + 256 * next());
      for (GlyphPoint& corner : contour) {
        corner.x = static_cast<float>(next());
        corner.y = static_cast<float>(next());
      }
    }
  }
  EXPECT_EQ(at, bytes.size());
  return glyphs;
}

double distance_to_line(const GlyphPoint& p, const GlyphPoint& a, const GlyphPoint& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// invariant: every corner of a font's outline is near the line that is sent, which has far fewer
// corners.
TEST(PackedOutlines, StayNearTheOutlines) {
  FontOptions options;
  options.file = "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc";
  if (!std::filesystem::exists(options.file)) GTEST_SKIP() << "fonts-wqy-zenhei is not installed";
  const GlyphSource font(options);
  const std::u32string characters = U"一己国龘";
  const auto glyphs = unpacked(packed_outlines(font, characters), characters.size());
  std::size_t corners = 0, given = 0;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    const std::vector<GlyphContour> outline = font.outline(characters[c]);
    ASSERT_EQ(glyphs[c].size(), outline.size());
    for (std::size_t k = 0; k < outline.size(); ++k) {
      const GlyphContour& sent = glyphs[c][k];
      corners += sent.size();
      given += outline[k].size();
      for (const GlyphPoint& point : outline[k]) {
        // Points outside the square are drawn on its border.
        const GlyphPoint on_grid{kOutlineGrid * std::clamp(point.x, 0.0F, 1.0F),
                                 kOutlineGrid * std::clamp(point.y, 0.0F, 1.0F)};
        double nearest = kOutlineGrid;
        for (std::size_t i = 0; i < sent.size(); ++i) {
          const GlyphPoint& end = sent[(i + 1) % sent.size()];
          nearest = std::min(nearest, distance_to_line(on_grid, sent[i], end));
        }
        EXPECT_LT(nearest, 1.0 + 0.75);  // the tolerance, plus half a diagonal from rounding
      }
    }
  }
  EXPECT_LT(corners, given);
}

}  // namespace
}  // namespace leafglyph
