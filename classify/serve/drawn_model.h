// Drawn leaves for the first visit of the page: a model to try it with, and pictures.
#pragma once

#include "classify/leaf/leaf_features.h"
#include "classify/leaf/model_folder.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// The name under which the shelf has it.
inline constexpr const char* kDrawnModel = "drawn leaves";
inline constexpr int kDrawnSpecies = 8;  ///< oaks, maples, ginkgo and others
inline constexpr int kDrawnLeaves = 6;   ///< of each, in the model

/// Trains the model, which knows that its leaves are drawn, in a few seconds. Throws what
/// train_leaves throws.
LeafModel drawn_model(const LeafRun& run);

/// A green leaf of one of its species; from kDrawnLeaves on they are not in the model. Throws
/// UsageError for a species out of range.
Photograph drawn_leaf(int species, int leaf);

}  // namespace leafglyph
