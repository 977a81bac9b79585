// The region of a leaf in a photograph, and what is determined from it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/label_image.h"
#include "features/leaf/leaf_colour.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// A leaf with fewer pixels has no useful outline.
constexpr double kLeastArea = 64;

/// A leaf in a photograph.
struct LeafRegion {
  int threshold = 0;  ///< Otsu's threshold of the segmented picture: the t that maximises the
                      ///< variance between the grey values <= t (dark) and > t; the lowest if
                      ///< several do
  Image<std::uint8_t> mask;  ///< 1 inside the leaf, 0 outside, the size of the photograph
  double area = 0;           ///< number of pixels in the mask (its moment m00)
  double centroid_x = 0;     ///< m10 / m00, in columns from 0
  double centroid_y = 0;     ///< m01 / m00, in rows from 0
  double edge_width = 0;     ///< OutlineScore::edge_width; 0 for Finder::kThreshold
  Image<std::uint8_t> grey;  ///< of the photograph; levelled and smoothed if the finder did so
  /// Of the whole photograph, if PrepareSpec::colours asks for them. The leaves of a sheet
  /// share it.
  std::shared_ptr<const ChromaticPlanes> colours = {};
  PartState state = PartState::kWhole;
  std::string reason = {};     ///< of kNotALeaf; such a region has only a mask
  bool light_is_even = false;  ///< the light on the paper was measured and is even
  bool is_clear = true;        ///< PreparedLeaf::is_clear
  int near_leaflets = 0;       ///< PreparedLeaf::near_leaflets
  bool is_on_paper = true;     ///< the background is plain: the light and its colour show on it
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

/// Determines the region's area and centroid from its mask.
void measure_region(LeafRegion& region);

/// Mean grey value inside the mask minus the mean outside; a mean over no pixels is 0.
double lightness_of(const LeafRegion& region);

/// Throws InputError if spec.colours requires colours that the photograph lacks.
void check_colours(const Photograph& photograph, std::string_view name, const PrepareSpec& spec);

/// Sets the region's colours if spec.colours asks for them and the photograph has them. Requires a
/// region that contains everything that is not paper.
void find_colours(const Photograph& photograph, const PrepareSpec& spec, LeafRegion& region);

/// Levels the leaf's grey values to the light on the brightest part of the paper. A background
/// darker than the leaf reflects too little light to measure it.
void level_light(LeafRegion& region, bool is_ruled);

/// Sets the state of a region that touches the border of the photograph, and warns of it.
void remark_border(LeafRegion& region);

/// Calls `use` with each region of `labels`, whose pixels it keeps as they are, by label. The
/// region is cut out of the photograph, which may be smaller than the labels; one of too few pixels
/// is kNotALeaf. Throws InputError if spec.colours requires colours that the photograph lacks.
void for_each_labelled(const Photograph& photograph, std::string_view name,
                       const LabelImage& labels, const PrepareSpec& spec,
                       const std::function<void(const LabelRegion&, LeafRegion)>& use);

}  // namespace leafglyph
