// Generated photographs for the tests of the preparation, and folders that are removed after a
// test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/photograph.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph::testing {

/// A white photograph with a dark filled ellipse whose grey values rise from left to right.
inline Image<std::uint8_t> ellipse_photograph(int width, int height, double centre_x,
                                              double centre_y, double radius_x, double radius_y) {
  Image<std::uint8_t> image(width, height, 240);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const double x = (column - centre_x) / radius_x, y = (row - centre_y) / radius_y;
      if (x * x + y * y <= 1) {
        image.at(row, column) = static_cast<std::uint8_t>(80 + 30 * x + ((row / 4) % 2) * 8);
      }
    }
  }
  return image;
}

/// A photograph of such an ellipse on paper of 240, and its mask.
struct EllipseScene {
  static constexpr int kWidth = 200, kHeight = 120;
  Photograph photograph{ellipse_photograph(kWidth, kHeight, 100, 60, 70, 30)};
  Image<std::uint8_t> mask{kWidth, kHeight};  ///< 1 in the ellipse
  EllipseScene() {
    for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = photograph.grey.data()[i] < 200;
  }
};

inline void fill(Image<std::uint8_t>& image, int left, int top, int width, int height,
                 std::uint8_t value) {
  for (int row = top; row < top + height; ++row) {
    for (int column = left; column < left + width; ++column) image.at(row, column) = value;
  }
}

/// A filled square without its corners, which is not taken for a label; returns its area.
inline int fill_octagon(Image<std::uint8_t>& image, int left, int top, int side,
                        std::uint8_t value) {
  const int corner = side * 3 / 10;
  int area = 0;
  for (int row = 0; row < side; ++row) {
    const int cut = std::max({0, corner - row, corner - (side - 1 - row)});
    fill(image, left + cut, top + row, side - 2 * cut, 1, value);
    area += side - 2 * cut;
  }
  return area;
}

using leafglyph::TemporaryFolder;

inline std::vector<char> read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::filesystem::path& file, const std::vector<char>& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace leafglyph::testing
