// The prior of a leaf classifier: what leaves of other species teach about its feature columns.
#pragma once

#include <memory>
#include <string_view>

#include "classify/classifier/row_prior.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// The prior for columns of `layout`, which `config` gives: that of the feature store
/// config.data.prior if it names one; otherwise that of drawn leaves. The one that LeafGlyph comes
/// with is used if it has these columns and its leaves were prepared to the same shape and share of
/// the picture; for other columns leaves are drawn. Columns of a table are left out: their prior
/// comes from the rows (with_joined). Throws what LeafStores and features_of throw.
std::shared_ptr<const RowPrior> leaf_prior(const LeafConfig& config, const FeatureLayout& layout,
                                           const LeafRun& run);

/// The prior of drawn leaves: `leaves` of every species that can be drawn, the same on every
/// machine. It has the columns of `config`, whose colours must not be FeatureColour::kAuto.
RowPrior drawn_prior(const LeafConfig& config, int leaves, const LeafRun& run);
/// The leaves of each species in the prior that LeafGlyph comes with.
inline constexpr int kPriorLeaves = 30;

// The files of the prior that LeafGlyph comes with, which tools/figures/leaf_prior writes.
std::string_view leaf_prior_facts();   ///< JSON: how the leaves were drawn and prepared
std::string_view leaf_prior_matrix();  ///< matrix_of as .npy

/// The text of prior.json for a prior of drawn leaves, with the digest of its matrix.
std::string prior_facts(const RowPrior& prior, const LeafConfig& config, std::string_view matrix);
/// The prior of these files. Throws FormatError, naming `source`, if they do not fit together.
struct PriorFile {
  LeafConfig config;
  RowPrior prior;
};
PriorFile read_prior_file(std::string_view facts, std::string_view matrix,
                          const std::string& source);

}  // namespace leafglyph
