// What a feature store is made by: how its images become rows, and the header that says so.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "classify/leaf/leaf_config.h"
#include "classify/rows/row_pipeline.h"
#include "classify/store/feature_store.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

struct Recipe {
  StoreHeader header;  ///< kind, settings, convention and columns
  std::shared_ptr<const RowKind<float>> rows;
  /// The images at path(i), one part each. Throws as Source::prepare; the digest of an input is
  /// that of its file also where this is not an image.
  std::function<Source(std::size_t count, std::function<std::string(std::size_t)> path)> images;
};

/// Rows of a leaf configuration; photographs whose files are squares were squeezed from
/// `source_aspect` (0: none were).
Recipe leaf_recipe(const LeafConfig& config, double source_aspect);

/// Magnitudes of the moments of whole images.
struct MomentRecipe {
  MomentSpec spec;  ///< with its mask
  int resize = 0;   ///< longer side to which images are scaled; 0: they keep their size
};
/// Of grey images as moments compute has them: padded to squares where the circle is the inscribed
/// one. Throws UsageError for a spec or size out of range.
Recipe moment_recipe(const MomentRecipe& recipe);
/// What the settings of a store of kind moments say. Throws UsageError.
MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name);

/// The recipe that a store's rows were made by. Throws FormatError, naming `file`, where the header
/// holds settings of no recipe.
Recipe recipe_of(const StoreHeader& header, const std::filesystem::path& file);

}  // namespace leafglyph
