// Which pixels of a photograph are the leaf.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/leaf_colour.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// A leaf in its photograph.
struct LeafRegion {
  int threshold = 0;  ///< Otsu's, of what was segmented: the t that maximises the variance between
                      ///< the grey values <= t (dark) and > t; the lowest of those that tie
  Image<std::uint8_t> mask;  ///< 1 inside the leaf, 0 outside, the size of the photograph
  double area = 0;           ///< pixels of the mask (its moment m00)
  double centroid_x = 0;     ///< m10 / m00, in columns from 0
  double centroid_y = 0;     ///< m01 / m00, in rows from 0
  double edge_width = 0;     ///< OutlineScore::edge_width; 0 of Finder::kThreshold
  Image<std::uint8_t> grey;  ///< of the photograph, levelled and smoothed where the finder did
  /// Of the whole photograph, as PrepareSpec::colours says; shared by the leaves of a sheet.
  std::shared_ptr<const ChromaticPlanes> colours = {};
  bool light_is_even = false;  ///< the light on the paper was looked at, and is even
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

/// Finds the leaf as `spec` says. Throws InputError, naming `name` and the reason, for a photograph
/// of one value, one without a leaf, one whose background is not as spec.background says, and, with
/// Finder::kBest, one whose best outline is not sharp, or one without the colours that
/// spec.colours requires.
/// Stalks are measured in pixels `pixel_aspect` times as wide as high.
LeafRegion segment_leaf(const Photograph& photograph, std::string_view name,
                        const PrepareSpec& spec, StageSink* sink = nullptr,
                        double pixel_aspect = 1);

/// Every leaf of the photograph, from the top to the bottom: the largest part and those of the size
/// of a leaf beside it (foreground_parts.h), holes filled. The sink gets the stage "2-binary".
/// Throws as segment_leaf, and UsageError when spec.parts takes all parts for one leaf.
std::vector<LeafRegion> segment_leaves(const Photograph& photograph, std::string_view name,
                                       const PrepareSpec& spec, StageSink* sink = nullptr,
                                       double pixel_aspect = 1);

}  // namespace leafglyph
