// Generated photographs that show how to photograph leaves and how not to, and pictures without a
// leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "datasets/leaf/perturbation.h"
#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

struct ExamplePhotograph {
  std::string_view name;  ///< as part of a file name: "in-two-halves"
  bool is_good = true;    ///< the leaf is found without a warning
  std::string_view text;  ///< what it shows
};

/// All of them, the good ones first.
std::span<const ExamplePhotograph> example_photographs();

/// Draws example_photographs()[which], 640 x 480 pixels, the same in every call; a leaf is green in
/// its colours. Throws UsageError when `which` is out of range.
Photograph draw_example(std::size_t which);

/// Kinds of pictures without a leaf.
std::span<const Perturbation> leafless_pictures();

/// A picture of the kind leafless_pictures()[kind], 320 x 240 pixels; the same seed gives the same
/// picture. Throws UsageError when `kind` is out of range.
Image<std::uint8_t> draw_leafless(std::size_t kind, std::uint64_t seed);

}  // namespace leafglyph
