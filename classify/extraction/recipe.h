// The recipe of a feature store: how its images become rows, and the header that describes it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "classify/classifier/row_projection.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/model_folder.h"
#include "classify/rows/row_pipeline.h"
#include "classify/store/feature_store.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Images as files, wherever these are.
struct ImageFiles {
  std::size_t count = 0;
  std::function<std::string(std::size_t)> name;  ///< of file i, for messages
  /// All of file i; asked for once. Called from many threads. Throws InputError with its name.
  std::function<std::string(std::size_t)> bytes;
  /// The path of the picture of labels of file i, if there are any. Throws InputError with the name
  /// of the file that has none.
  std::function<std::string(std::size_t)> mask = {};
};
/// The digest of file i, and of its mask if it has one. Without a digest if file i cannot be read.
FileDigest digest_of(const ImageFiles& files, std::size_t i);
/// The files at path(i).
ImageFiles files_at(std::size_t count, std::function<std::string(std::size_t)> path);

struct Recipe {
  StoreHeader header;  ///< kind, settings, convention and columns
  std::shared_ptr<const RowKind<float>> rows;
  /// The images in files, as header.parts says. Throws what Source::prepare throws. The digest of
  /// an input is that of its file, even if the file is not an image (digest_of). Without masks,
  /// PartRule::kMasks is as kWhole.
  std::function<Source(ImageFiles files)> images;
};

/// Rows for a leaf configuration. Square photographs count as squeezed from `source_aspect` (0: not
/// squeezed). With PartRule::kEveryLeaf every part of a photograph is a row (sheet_source), with
/// kMasks every region of its mask (labelled_source).
Recipe leaf_recipe(const LeafConfig& config, double source_aspect,
                   PartRule parts = PartRule::kWhole);

/// Magnitudes of the moments of whole images.
struct MomentRecipe {
  MomentSpec spec;           ///< with its mask
  int resize = 0;            ///< longer side to which images are scaled; 0: unscaled
  double around_mass = 0.0;  ///< factor of around_mass() for volumes; 0: the whole volume
};
/// The keys of the settings of a store of moments.
void declare(Keys& keys, MomentRecipe& recipe);
/// Moments of grey images, as `moments compute` takes them: images are padded to squares if the
/// circle is the inscribed one; norms of 3-D Zernike moments of volumes (read_volume). With
/// PartRule::kMasks a region is the image in the box around it, with 0 outside the region. Throws
/// UsageError for a spec or size out of range, and for PartRule::kEveryLeaf.
Recipe moment_recipe(const MomentRecipe& recipe, PartRule parts = PartRule::kWhole);
/// Parses the settings of a store of kind "moments". Throws UsageError.
MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name);

/// Whether the rows of a store are of volumes, in arrays, and not of images.
bool holds_volumes(const StoreHeader& header);

/// The projection onto the first directions in which the species of a model differ, of the rows of
/// such a store. Throws UsageError unless it has the columns of the model and leaves that were
/// prepared as those of the model, and for directions that the model does not have.
RowProjection projection_for(const StoreHeader& header, const LeafModel& model,
                             std::size_t directions);
/// The same recipe, whose rows are projected.
Recipe projected(Recipe recipe, RowProjection projection);

/// The recipe with which the rows of a store were made. Throws FormatError, naming `file`, when the
/// settings in the header do not describe a recipe.
Recipe recipe_of(const StoreHeader& header, const std::filesystem::path& file);

}  // namespace leafglyph
