// Look-alikes of the characters of a set; tables load while the page is already in use.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalikes.h"
#include "datasets/glyph/glyph_source.h"
#include "datasets/glyph/unihan.h"

namespace leafglyph {

/// Characters drawn in one font: outlines, or the pixels of a bitmap font. One entry each; empty if
/// the font does not have the character.
struct FontDrawing {
  std::string family;
  int size = 0;                                ///< pixels per side of a bitmap font
  std::vector<std::vector<std::uint8_t>> ink;  ///< size x size, 0 to 255
  std::vector<std::string> outlines;           ///< SVG paths in a square of kOutlineSide units
};

class GlyphSearch {
 public:
  /// Opens fonts and tables on its own thread, which takes minutes the first time.
  explicit GlyphSearch(const GlyphConfig& config, std::filesystem::path cache_folder);
  ~GlyphSearch();
  GlyphSearch(const GlyphSearch&) = delete;
  GlyphSearch& operator=(const GlyphSearch&) = delete;

  /// Throws BusyError until the tables are loaded, and what LookalikeIndex throws.
  const LookalikeIndex& index() const;

  /// The characters of index() with a reading, in the forms that Unihan::with_pinyin accepts.
  /// Throws what index() throws.
  std::u32string with_pinyin(std::string_view pinyin) const;

  /// The characters in every font. Throws what index() throws.
  std::vector<FontDrawing> drawings(std::u32string_view characters) const;
  static constexpr int kOutlineSide = 1000;

  /// Whether a character occurs at least `frequency` times in the corpus of
  /// CharacterFacts::frequency. Throws what index() throws.
  bool is_frequent(char32_t character, int frequency) const;

 private:
  struct Opened {
    LookalikeIndex index;
    Unihan unihan;
  };
  const Opened& opened() const;

  std::shared_future<std::shared_ptr<const Opened>> opened_;
};

}  // namespace leafglyph
