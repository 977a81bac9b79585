// The connected parts of a foreground. For the files that prepare photographs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// 8-connected parts, each with its outer outline and the pixels that this encloses, itself
/// included: holes count.
struct ForegroundParts {
  std::vector<std::vector<cv::Point>> outlines;
  std::vector<double> areas;
  std::size_t largest = 0;  ///< the part of the largest area

  /// Whether a part is a leaf or another leaf beside the largest; smaller ones are clutter.
  bool is_leaf(std::size_t part) const;
};

/// The parts of what is not 0.
ForegroundParts foreground_parts(const Image<std::uint8_t>& binary);

/// 1 inside the outline of a part, holes included.
Image<std::uint8_t> filled_part(const ForegroundParts& parts, std::size_t part, int width,
                                int height);

/// The parts of what is not 0, and the largest one with its holes filled.
struct LargestPart {
  ForegroundParts parts;
  Image<std::uint8_t> filled;  ///< 1 inside; empty where there is no part
};
LargestPart largest_part(const Image<std::uint8_t>& binary);

/// Corners of the convex hull of the pixels of a mask that are 1.
std::vector<cv::Point> convex_hull(const Image<std::uint8_t>& mask);

/// Pixels that a closed outline of neighbouring pixels encloses, itself included (Pick's theorem).
double enclosed_pixels(const std::vector<cv::Point>& outline);

}  // namespace leafglyph
