// Writes images as BMP files, to serve as photographs in tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "features/image/image.h"

namespace leafglyph {

/// Writes an 8-bit BMP with a grey palette.
inline void write_grey_bmp(const std::filesystem::path& file, const Image<std::uint8_t>& image) {
  constexpr std::uint32_t kHeader = 54;
  constexpr std::uint32_t kPalette = 4 * 256;
  const auto stride = static_cast<std::uint32_t>((image.width() + 3) / 4 * 4);
  const std::uint32_t pixels = stride * static_cast<std::uint32_t>(image.height());
  std::string bytes = "BM";
  const auto add = [&bytes](std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 255U);
  };
  add(kHeader + kPalette + pixels, 4);
  add(0, 4);
  add(kHeader + kPalette, 4);
  add(40, 4);
  add(static_cast<std::uint32_t>(image.width()), 4);
  add(static_cast<std::uint32_t>(image.height()), 4);
  add(1, 2);
  add(8, 2);
  add(0, 4);
  add(pixels, 4);
  add(2835, 4);
  add(2835, 4);
  add(256, 4);
  add(0, 4);
  for (std::uint32_t grey = 0; grey < 256; ++grey) add(grey * 0x010101U, 4);
  for (int row = image.height() - 1; row >= 0; --row) {
    for (std::uint32_t column = 0; column < stride; ++column) {
      const int c = static_cast<int>(column);
      add(c < image.width() ? image.at(row, c) : 0U, 1);
    }
  }
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace leafglyph
