// What the parts of a foreground are: leaves, or labels, rulers, colour charts and stems beside
// them. Only for the files that prepare photographs.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "features/leaf/foreground_parts.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// The shape of a part.
struct PartShape {
  double rectangularity = 0;  ///< enclosed area / area of the smallest rectangle around it
  /// Share of the outline on straight edges in two directions at right angles.
  double rectilinear = 0;
  int right_angles = 0;  ///< corners between straight edges, of 78 to 102 degrees
  /// Half the length of the outline / diameter of the largest disc inside it. Not measured (0),
  /// like even_width, for a part whose outline is too short for a strip.
  double elongation = 0;
  /// Enclosed area / (half the length of the outline * that diameter): 1 for a strip, 0.8 for an
  /// ellipse.
  double even_width = 0;
  int holes = 0;  ///< background that a rectangle encloses, in pieces; not counted for others
};

/// The shape of the part with this outer outline in a mask that is not 0 on the foreground.
PartShape part_shape(const std::vector<cv::Point>& outline, const cv::Mat& mask);

/// Why a part of this shape is not a leaf, in a line; empty if it may be one. On a sheet, what is
/// very long is rather a stem.
std::string why_not_a_leaf(const PartShape& shape, bool is_on_sheet = false);

/// why_not_a_leaf of a part of the mask; empty if it has too few pixels to show its shape.
std::string why_not_a_leaf(const ForegroundParts& parts, std::size_t part, const cv::Mat& mask,
                           bool is_on_sheet);

/// A part of a photograph: outlines of the foreground that belong together.
struct PhotographPart {
  std::vector<std::size_t> outlines;  ///< indices, the largest first
  PartState state = PartState::kWhole;
  std::string reason = {};  ///< for kNotALeaf
  /// 1 inside, if it was segmented by itself (find_sheet); otherwise empty: the outlines, filled.
  Image<std::uint8_t> mask = {};
  std::vector<std::vector<cv::Point>> mask_outlines = {};  ///< of the mask
};

/// What counts as a leaf among the parts of a photograph.
struct PartLimits {
  double least_share = kOtherLeafShare;  ///< of the largest leaf's area
  bool is_on_sheet = false;              ///< why_not_a_leaf
};

/// The parts of a foreground: the largest one that may be a leaf, and all others of at least
/// limits.least_share of its area, largest first. Parts that are not leaves do not decide how large
/// a leaf is. `with_leaflets`: leaflets belong to their leaf (leaflets_of). States are kWhole and
/// kNotALeaf.
std::vector<PhotographPart> photograph_parts(const ForegroundParts& parts, const cv::Mat& mask,
                                             bool with_leaflets, const PartLimits& limits = {});

}  // namespace leafglyph
