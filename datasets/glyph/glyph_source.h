// Characters drawn from any font that FreeType reads, as small square bitmaps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace leafglyph {

/// How an outline glyph is placed in its square.
enum class GlyphBox {
  kEm,      ///< at a fixed em; the em box fills the square
  kBounds,  ///< the bounding box of the ink is scaled to fill the square, keeping its proportions
};

/// The font of a glyph source. The default is the Song ti of Debian's package xfonts-base,
/// 24 x 24 pixels, GB2312.1980-0 encoding.
struct FontOptions {
  std::string file = "/usr/share/fonts/X11/misc/gb24st.pcf.gz";
  int face_index = 0;   ///< face in a TTC or OTC collection
  int pixel_size = 24;  ///< N: side of the square; for a bitmap font, the strike to use
  GlyphBox box = GlyphBox::kEm;

  friend bool operator==(const FontOptions&, const FontOptions&) = default;
};

/// A point of a glyph in units of the side of its square, y from the top.
struct GlyphPoint {
  float x = 0;
  float y = 0;
};
/// A closed contour: its corners in order.
using GlyphContour = std::vector<GlyphPoint>;

/// Draws characters of one font. Bitmap fonts (PCF, BDF, also gzipped) are copied pixel for pixel,
/// grey levels included, with the character cell centred in the square. Outlines (TTF, OTF, TTC)
/// are rendered with grey edges and without hinting; ink outside the square is cut off. Use one
/// source per thread. The file stays open, and glyphs of outline fonts are read from it as they are
/// drawn: if someone overwrites it meanwhile, they come from the new content, and a truncated file
/// throws FormatError.
class GlyphSource {
 public:
  /// Throws InputError when the file cannot be read or exceeds 64 MiB unpacked. Throws FormatError
  /// when it is not a font or has neither a Unicode nor a GB2312.1980-0 character map. Throws
  /// UsageError when it has no such face or no bitmaps of that pixel size (names the available
  /// sizes), or when it is a bitmap font and box is kBounds.
  explicit GlyphSource(const FontOptions& options);
  ~GlyphSource();
  GlyphSource(GlyphSource&&) noexcept;
  /// Another source of the same font, for another thread. The file is not read again.
  GlyphSource(const GlyphSource& other);
  GlyphSource& operator=(GlyphSource&&) noexcept;

  const FontOptions& options() const;
  int size() const;  ///< N
  bool is_bitmap() const;
  std::string family() const;  ///< the font's family name, or its file name when it has none

  /// SHA-256 of the font's file on disk. Throws InputError when the file has changed since it was
  /// opened.
  std::string digest() const;
  /// Changes whenever the file does, without reading it (files.h); empty for a file that has just
  /// been changed, for which this cannot be known yet.
  const std::string& stamp() const;

  bool has(char32_t character) const;
  /// Whether it has the character and draws anything for it.
  bool draws(char32_t character) const;

  /// Ink of pixel (j, i) in ink[j * N + i], rows from the top: 0 background, 255 stroke. `ink`
  /// has N * N elements. Throws InputError that names the character and the font when the font
  /// lacks it or draws nothing for it.
  void render(char32_t character, std::span<std::uint8_t> ink) const;

  /// The outline drawn by render(); its inside is where the winding number is not 0. Empty for a
  /// bitmap font. Throws InputError when the font lacks the character.
  std::vector<GlyphContour> outline(char32_t character) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace leafglyph
