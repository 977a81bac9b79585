// Segmentation: finds the pixels of a photograph that belong to the leaf.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "features/leaf/leaf_region.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

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

}  // namespace leafglyph
