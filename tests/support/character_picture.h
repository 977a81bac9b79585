// Pictures of single characters as files, for tests of their recognition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/base/files.h"
#include "features/image_io/encode_image.h"

namespace leafglyph::testing {

/// Writes a PNG of square ink (255 is stroke), grey on grey paper, with a margin.
inline void write_picture(const std::string& file, int size, const std::vector<std::uint8_t>& ink) {
  const int side = size + 16;
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(side) * side, 240);
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      samples[static_cast<std::size_t>((row + 8) * side + column + 8)] =
          static_cast<std::uint8_t>(240 - ink[static_cast<std::size_t>(row * size + column)] * 0.8);
    }
  }
  write_file(file, encode_png({side, side, 1, std::move(samples)}));
}

/// The same of a character as a font draws it.
inline void write_character(const std::string& file, const std::string& font, char32_t character,
                            int size = 40) {
  FontOptions options;
  options.file = font;
  options.pixel_size = size;
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(size) * size);
  GlyphSource(options).render(character, ink);
  write_picture(file, size, ink);
}

}  // namespace leafglyph::testing
