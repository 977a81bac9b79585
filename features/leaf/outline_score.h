// How well a segmentation of a photograph agrees with a leaf on paper.
#pragma once

#include <cstdint>
#include <optional>

#include "features/image/image.h"
#include "features/leaf/foreground_parts.h"

namespace leafglyph {

/// How well the outline and the shape of the largest part agree with a leaf on paper.
struct OutlineScore {
  /// Mean over the outline of the step across it, of what sets leaf and background apart in the
  /// whole picture, at most 1; 0 on the frame. A leaf's edge is sharp, a shadow's is not.
  double sharpness = 0;
  /// Share of the outline that is nearly as steep as its steeper half: where a shadow goes with a
  /// leaf the outline is steep here and gentle there.
  double evenness = 0;
  /// Width of the step across the outline (contrast / median slope), in square roots of the area of
  /// the part; 0 where there is none.
  double edge_width = 0;
  double solidity = 0;  ///< area / area of the convex hull
  double in_parts = 0;  ///< share of the foreground in parts of the size of a leaf; clutter is not
  double contrast = 0;  ///< grey values between foreground and background, of the segmented picture
  double border = 0;    ///< share of the frame that the mask covers
  int crossing = 0;     ///< parts of the size of a leaf that touch two sides of the frame
  double total() const;
};

/// A score, and what it was taken of.
struct ScoredOutline {
  OutlineScore score;
  std::optional<LargestPart> largest;  ///< none where nothing but the border was looked at
};

/// Of the largest part of `binary`, 1 on the foreground of `picture`, whose leaf is dark or light.
/// Without a foreground all is 0. The outline is not looked at, and its sharpness and evenness are
/// 0, where total() would stay below `to_beat` whatever they were; where the foreground takes all
/// of the frame, nothing but its border is.
ScoredOutline score_outline(const Image<std::uint8_t>& picture, const Image<std::uint8_t>& binary,
                            bool leaf_is_dark, double to_beat);

/// Share of the pixels along the frame that are 1.
double border_share(const Image<std::uint8_t>& mask);

}  // namespace leafglyph
