// Distances between characters drawn in one or several fonts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "classify/glyph/glyph_images.h"
#include "classify/glyph/glyph_windows.h"

namespace leafglyph {

/// Two characters by their indices in a list.
struct PlacePair {
  std::uint32_t first;
  std::uint32_t second;

  friend auto operator<=>(const PlacePair&, const PlacePair&) = default;
};

/// A glyph that does not come from a font, such as a hand-drawn one.
struct DrawnGlyph {
  int size = 0;                   ///< pixels per side
  std::vector<std::uint8_t> ink;  ///< size x size, rows from the top, 0 background, 255 stroke
};

/// Unmoved windows of the characters in every font, as moments of low orders: component c of
/// character i is values[c * stride + i], where stride is search_stride(count).
struct SearchRows {
  std::size_t count = 0;
  std::size_t stride = 0;
  std::span<const float> values;
  std::shared_ptr<const void> keeper;  ///< owns the values
};

/// The count rounded up to a multiple of 16, the vector length of the search kernel.
constexpr std::size_t search_stride(std::size_t count) { return (count + 15) / 16 * 16; }

/// Draws characters and compares them. Distances are means over the fonts. Works font by font and
/// character by character, so that memory holds at most the unmoved windows of one font.
class GlyphComparer {
 public:
  /// Opens the fonts. Throws what GlyphSource and validate(profile) throw.
  GlyphComparer(const std::vector<FontOptions>& fonts, const GlyphProfile& profile);

  std::span<const GlyphSource> fonts() const { return fonts_; }

  /// Whether every font draws a character.
  bool draws(char32_t character) const { return font_without(character) == nullptr; }
  /// The first font that does not draw a character; null if all do.
  const GlyphSource* font_without(char32_t character) const;

  /// The distance of every pair of characters. Throws what draw_glyphs throws; Ctrl-C throws
  /// Interrupted.
  std::vector<double> distances(std::u32string_view characters,
                                std::span<const PlacePair> pairs) const;

  /// edge_difference (glyph_edges.h) of every pair of characters, averaged over the fonts. Throws
  /// what distances() throws.
  std::vector<double> edge_differences(std::u32string_view characters,
                                       std::span<const PlacePair> pairs) const;

  /// The distance of every character from the drawing, averaged over the fonts of its size. Throws
  /// what distances() throws, and UsageError when no font has the size of the drawing, or it has no
  /// ink.
  std::vector<double> distances(const DrawnGlyph& drawing, std::u32string_view characters) const;

  /// The rows for a search, in moments of orders n <= shortlist_order.
  SearchRows rows(std::u32string_view characters) const;
  /// Whether `rows` has as many components as the result of rows().
  bool fits(const SearchRows& rows) const;

  /// An approximation of the distance of each query, with its windows moved, from each of these
  /// rows: the mean of GlyphWindows::search() over windows and fonts. Row i of query q is at [q *
  /// rows.stride + i]. Throws what distances() throws.
  std::vector<float> search(std::u32string_view queries, const SearchRows& rows) const;
  /// The same for a drawing, over the fonts of its size. Throws what distances() of a
  /// drawing throws.
  std::vector<float> search(const DrawnGlyph& drawing, const SearchRows& rows) const;

 private:
  /// Glyphs in a font; none if the font is left out.
  using ImagesOf = std::function<GlyphImages(std::size_t font)>;
  std::vector<double> distances(std::size_t characters, std::span<const PlacePair> pairs,
                                const ImagesOf& images_of) const;
  std::vector<float> search(std::size_t queries, const SearchRows& rows,
                            const ImagesOf& images_of) const;
  void require_comparable(const DrawnGlyph& drawing) const;
  std::size_t row_length() const;
  GlyphImages draw(std::size_t font, std::u32string_view characters) const;

  int shortlist_order_;
  std::vector<GlyphSource> fonts_;
  mutable std::mutex drawing_;                                // a source takes one thread at a time
  std::vector<std::shared_ptr<const GlyphWindows>> windows_;  // one per font; shared by equal sizes
};

}  // namespace leafglyph
