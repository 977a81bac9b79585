// Segmentation: finds the pixels of a photograph that belong to the leaf.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};

/// Finds the leaf as `spec` requires. Throws InputError, naming `name` and the reason, for a
/// photograph with a single grey value, without a leaf, with a background other than
/// spec.background, without the colours that spec.colours requires, or, with Finder::kBest, whose
/// best outline is not sharp. Stalks are measured in pixels that are `pixel_aspect` times as wide
/// as high.
LeafRegion segment_leaf(const Photograph& photograph, std::string_view name,
                        const PrepareSpec& spec, StageSink* sink = nullptr,
                        double pixel_aspect = 1);

/// Every part of a sheet (find_sheet), from top to bottom, with holes filled; nullopt if the
/// photograph is not a sheet. The sink receives the stages "1-grey" and "2-binary". Throws
/// UsageError if spec.parts treats all parts as one leaf, and InputError without the colours that
/// spec.colours requires.
std::optional<std::vector<LeafRegion>> segment_sheet(const Photograph& photograph,
                                                     std::string_view name, const PrepareSpec& spec,
                                                     StageSink* sink, double pixel_aspect);

/// The same of any photograph; one that is not a sheet has the parts of its whole foreground
/// (photograph_parts). Throws as segment_leaf and segment_sheet.
std::vector<LeafRegion> segment_leaves(const Photograph& photograph, std::string_view name,
                                       const PrepareSpec& spec, StageSink* sink = nullptr,
                                       double pixel_aspect = 1);

/// Calls `use` with each region of `labels`, whose pixels it keeps as they are, by label. The
/// region is cut out of the photograph, which may be smaller than the labels; one of too few pixels
/// is kNotALeaf. Throws InputError if spec.colours requires colours that the photograph lacks.
void for_each_labelled(const Photograph& photograph, std::string_view name,
                       const LabelImage& labels, const PrepareSpec& spec,
                       const std::function<void(const LabelRegion&, LeafRegion)>& use);

}  // namespace leafglyph
