// How well a segmentation of a photograph fits a leaf on paper.
#pragma once

#include <cstdint>
#include <optional>

#include "features/image/image.h"
#include "features/leaf/foreground_parts.h"

namespace leafglyph {

/// How well the outline and shape of the largest part fit a leaf on paper.
struct OutlineScore {
  /// Mean over the outline of the step across it, relative to a share of the contrast in the whole
  /// picture; each step counts at most 1, and 0 on the frame. A leaf's edge is sharp, a shadow's is
  /// not.
  double sharpness = 0;
  /// Mean over the outline of its slope relative to a share of the median slope, each at most 1. If
  /// a shadow is attached to the leaf, part of the outline is steep and part gentle.
  double evenness = 0;
  /// Width of the step across the outline (contrast / median slope), in units of the square root of
  /// the part's area; 0 if there is no outline.
  double edge_width = 0;
  double solidity = 0;  ///< area / area of the convex hull
  double in_parts = 0;  ///< share of the foreground in leaf-sized parts; the rest is clutter
  double contrast = 0;  ///< difference of background and leaf in grey values of the segmented
                        ///< picture
  double border = 0;    ///< share of the frame that the mask covers
  int crossing = 0;     ///< leaf-sized parts that touch two or more sides of the frame
  double total() const;
  /// total() without the solidity: how clear the outline is, whatever the shape.
  double clearness() const;
};

/// A score, and the parts from which it was computed.
struct ScoredOutline {
  OutlineScore score;
  std::optional<LargestPart> largest;  ///< nullopt if only the border was checked
};

/// The score of the largest part of `binary`, which is 1 on the foreground of `picture`. The leaf
/// is dark or light. Everything is 0 if there is no foreground. If total() would stay below
/// `to_beat` for any outline, the outline is not examined, and its sharpness and evenness are 0. If
/// the foreground covers the whole frame, only its border is examined.
ScoredOutline score_outline(const Image<std::uint8_t>& picture, const Image<std::uint8_t>& binary,
                            bool leaf_is_dark, double to_beat);

/// Share of the pixels along the frame that are in the mask.
double border_share(const Image<std::uint8_t>& mask);

}  // namespace leafglyph
