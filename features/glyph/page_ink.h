// The ink of a whole page, and the connected parts that it consists of.
#pragma once

#include <cstdint>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// The ink of a page as ink_of has it (ink.h), after the shading of the paper was levelled: in a
/// grid of 12 nodes along the shorter side, the paper at a node is the median of the quarter of the
/// page around it, where ink is the smaller part. Throws what ink_of throws.
Image<float> page_ink(const Image<std::uint8_t>& grey);

/// The picture turned about its centre, clockwise as it is seen, and enlarged to keep its corners.
struct TurnedInk {
  Image<float> ink;
  /// The place in the picture as it was of a place in the turned one.
  struct Point {
    double x = 0, y = 0;
  };
  Point before(Point turned) const;

  double degrees = 0;
  int width = 0, height = 0;  ///< before
};
TurnedInk turned(const Image<float>& ink, double degrees);

/// Pixels with ink of at least 0.35 that touch each other at sides or corners.
struct InkPart {
  MaskBox box;
  int pixels = 0;
};
struct InkParts {
  Image<std::int32_t> labels;  ///< i + 1 for the pixels of parts[i]; 0: paper
  std::vector<InkPart> parts;
};
InkParts ink_parts(const Image<float>& ink);

}  // namespace leafglyph
