// Drawn photographs that show how to photograph leaves, and how not to.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "features/image/image.h"

namespace leafglyph {

struct ExamplePhotograph {
  std::string_view name;  ///< fit for a file: "in-two-halves"
  bool is_good = true;    ///< the leaf is found, and nothing is remarked
  std::string_view text;  ///< what it shows
};

/// All of them, the good ones first.
std::span<const ExamplePhotograph> example_photographs();

/// Draws example_photographs()[which], 640 x 480 pixels, the same at each call. Throws UsageError
/// when it is out of range.
Image<std::uint8_t> draw_example(std::size_t which);

}  // namespace leafglyph
