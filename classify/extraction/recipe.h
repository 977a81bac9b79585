// What becomes of an image in a stream: a recipe prepares it on any thread and makes its row.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/extraction/stage_load.h"
#include "classify/leaf/leaf_features.h"
#include "classify/store/feature_store.h"
#include "features/moments/convention.h"

namespace leafglyph {

/// An image between its file and its row; what it holds is its recipe's affair.
class PreparedImage {
 public:
  virtual ~PreparedImage() = default;
  /// What it keeps in memory, where that is as much as its file has pixels; else 0.
  virtual std::size_t bytes() const { return 0; }
};

/// Makes rows; used from one thread at a time.
class RowMaker {
 public:
  virtual ~RowMaker() = default;
  /// Row i of the result belongs to images[i]; what there is to say of it is added to warnings[i].
  virtual std::vector<float> rows(std::span<const PreparedImage* const> images,
                                  std::span<std::vector<std::string>> warnings,
                                  StageLoad& load) = 0;
};

class Recipe {
 public:
  virtual ~Recipe() = default;

  /// A header with all that the recipe decides: kind, settings, convention, columns.
  virtual StoreHeader header() const = 0;
  /// The device that rows are made on where `asked` was asked for. Throws UsageError for a GPU that
  /// the recipe has no kernels for.
  virtual DeviceChoice device(const DeviceChoice& asked) const { return asked; }
  /// Images that are best given to a RowMaker at once.
  virtual std::size_t batch() const = 0;
  /// Reads and prepares one image. `digest` becomes that of the bytes that were read, also where
  /// these are no image. Throws InputError, naming the file. Safe from many threads.
  virtual std::unique_ptr<PreparedImage> prepare(const std::string& path, FileDigest& digest,
                                                 StageLoad& load) const = 0;
  /// A row maker on device(options.device). Safe from many threads.
  virtual std::unique_ptr<RowMaker> make_row_maker(const PlanOptions& options) const = 0;
};

/// Rows of a leaf configuration; photographs whose files are squares were squeezed from
/// `source_aspect` (0: none were).
std::unique_ptr<Recipe> make_leaf_recipe(const LeafConfig& config, double source_aspect);

/// Magnitudes of the moments of whole images.
struct MomentRecipe {
  MomentSpec spec;  ///< with its mask
  int resize = 0;   ///< longer side to which images are scaled; 0: they keep their size
};
/// Of grey images as moments compute has them: padded to squares where the circle is the inscribed
/// one. Throws UsageError for a spec or size out of range.
std::unique_ptr<Recipe> make_moment_recipe(const MomentRecipe& recipe);
/// What the settings of a store of kind moments say. Throws UsageError.
MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name);

/// The recipe that a store's rows were made by. Throws FormatError, naming `file`, where the header
/// holds settings of no recipe.
std::unique_ptr<Recipe> recipe_of(const StoreHeader& header, const std::filesystem::path& file);

}  // namespace leafglyph
