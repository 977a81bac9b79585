// A picture without a leaf, in which some finders see one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "features/image/image.h"

namespace leafglyph::testing {

/// Stones of 6 x 6 pixels, whose grey values differ by less than `contrast`.
inline Image<std::uint8_t> gravel(unsigned contrast) {
  constexpr int kAcross = 53, kDown = 40, kStone = 6;
  std::mt19937 random(7);
  Image<std::uint8_t> picture(320, 240);
  Image<std::uint8_t> stones(kAcross, kDown);
  for (std::uint8_t& stone : stones.pixels()) {
    stone = static_cast<std::uint8_t>(90 + random() % contrast);
  }
  for (int row = 0; row < picture.height(); ++row) {
    for (int column = 0; column < picture.width(); ++column) {
      picture.at(row, column) =
          stones.at(std::min(row / kStone, kDown - 1), std::min(column / kStone, kAcross - 1));
    }
  }
  return picture;
}

}  // namespace leafglyph::testing
