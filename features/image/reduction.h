// By how much images are reduced before they are worked on.
#pragma once

#include <cstdint>

namespace leafglyph {

/// The largest power of two by which `side` pixels can be divided (rounded down) with at least
/// `enough` left; 1 where there are not twice as many, or `enough` is 0. Averages over 2 x 2
/// pixels are cheap, and so are JPEG files decoded at a half of their sides.
constexpr int power_of_two_reduction(std::uint64_t side, std::uint64_t enough) {
  int reduction = 1;
  while (enough > 0 && side / (2 * static_cast<std::uint64_t>(reduction)) >= enough) {
    reduction *= 2;
  }
  return reduction;
}

}  // namespace leafglyph
