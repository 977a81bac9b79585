// Look-alikes of characters; tables load while the page is already in use.
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

/// Characters drawn in one font.
struct FontDrawing {
  std::string family;
  int size = 0;                                ///< pixels per side
  std::vector<std::vector<std::uint8_t>> ink;  ///< size x size each, 0 to 255; empty: not drawn
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

  /// The characters in every font, at kDrawingSide pixels per side for outline fonts, including
  /// fonts that the search does not use. Throws what index() throws.
  std::vector<FontDrawing> drawings(std::u32string_view characters) const;
  static constexpr int kDrawingSide = 96;

 private:
  struct Opened {
    LookalikeIndex index;
    std::vector<GlyphSource> fonts;
    Unihan unihan;
  };
  const Opened& opened() const;

  std::shared_future<std::shared_ptr<const Opened>> opened_;
};

}  // namespace leafglyph
