// Whether a classifier uses the colours of leaves: the decision of features.colour: auto.
#pragma once

#include <string>

#include "classify/evaluation/tuning.h"
#include "classify/leaf/leaf_config.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// The configuration for leaves of `dataset`: auto becomes none if the first readable photograph
/// has no colours, so that grey data cost nothing extra.
LeafConfig with_colour_of(const LeafConfig& config, const LeafDataset& dataset);

/// The configuration for columns that are fixed before the first photograph is seen, like those of
/// a feature store: auto becomes none.
LeafConfig without_choice(LeafConfig config);

/// The table without the columns of colour.
FeatureTable without_colour(const FeatureTable& table);

/// The choices for a table of that layout: the lists of the configuration and, with auto and if the
/// table has colours, whether to use them. Colours are used if the folds identify more leaves
/// correctly with them than without. If both are equal, the model without colours wins, because it
/// also accepts grey photographs. Both identify the same test leaves, so that the difference comes
/// from the leaves that only one of the two identifies correctly.
TuningSpec tuning_for(const LeafConfig& config, const FeatureLayout& layout);

/// "97.10 % of the leaves are identified correctly with colours, 95.20 % without".
std::string in_words(const OptionalGain& colour);

/// The configuration with the chosen settings instead of the choices.
void settle(const LeafSettings& chosen, LeafConfig& config);
/// The same if only the columns of a table decide what is used.
void settle_colour(const FeatureLayout& layout, LeafConfig& config);

}  // namespace leafglyph
