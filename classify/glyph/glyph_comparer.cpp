#include "classify/glyph/glyph_comparer.h"

#include <algorithm>
#include <utility>

namespace leafglyph {
namespace {

std::span<const float> part(const std::vector<float>& values, std::size_t number,
                            std::size_t length) {
  return std::span(values).subspan(number * length, length);
}

}  // namespace

GlyphComparer::GlyphComparer(std::vector<FontOptions> fonts, const GlyphProfile& profile)
    : fonts_(std::move(fonts)) {
  for (const FontOptions& font : fonts_) windows_.emplace_back(profile, font.pixel_size);
}

ComparableGlyphs GlyphComparer::prepare(std::u32string_view characters) const {
  ComparableGlyphs glyphs;
  glyphs.count = characters.size();
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphImages images = draw_glyphs(fonts_[f], characters);
    const GlyphWindows& windows = windows_[f];
    glyphs.moved.emplace_back(glyphs.count * windows.dimension() * windows.lanes());
    windows.moved(images.ink, glyphs.moved.back());
  }
  return glyphs;
}

double GlyphComparer::distance(const ComparableGlyphs& a, std::size_t i, const ComparableGlyphs& b,
                               std::size_t j) const {
  double sum = 0.0;
  for (std::size_t f = 0; f < windows_.size(); ++f) {
    const GlyphWindows& windows = windows_[f];
    const std::size_t length = windows.dimension() * windows.lanes();
    sum += windows.distance(part(a.moved[f], i, length), part(b.moved[f], j, length));
  }
  return sum / static_cast<double>(windows_.size());
}

std::size_t GlyphComparer::row_length(int order) const {
  std::size_t length = 0;
  for (const GlyphWindows& windows : windows_) {
    length += windows.windows() * windows.length_to(order);
  }
  return length;
}

std::vector<float> GlyphComparer::index_rows(std::u32string_view characters, int order) const {
  const std::size_t row = row_length(order);
  std::vector<float> rows(characters.size() * row);
  std::size_t column = 0;
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphImages images = draw_glyphs(fonts_[f], characters);
    const GlyphWindows& windows = windows_[f];
    std::vector<float> fixed(images.count() * windows.dimension());
    windows.fixed(images.ink, fixed);
    const std::size_t kept = windows.length_to(order);
    for (std::size_t p = 0; p < images.count() * windows.windows(); ++p) {
      const std::size_t glyph = p / windows.windows();
      const std::size_t window = p % windows.windows();
      std::copy_n(fixed.begin() + p * windows.length(), kept,
                  rows.begin() + glyph * row + column + window * kept);
    }
    column += windows.windows() * kept;
  }
  return rows;
}

}  // namespace leafglyph
