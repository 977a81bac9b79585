// The configuration of a leaf classifier: data, preparation, features, pipeline, classifier,
// protocol.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classify/classifier/nearest_classifier.h"
#include "classify/evaluation/protocol.h"
#include "classify/evaluation/tuning.h"
#include "classify/rows/feature_spec.h"
#include "datasets/leaf/leaf_dataset.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/names.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

class Keys;

enum class DataSource {
  kFlavia,     ///< the Flavia images, in `path`, else $LEAFGLYPH_FLAVIA, else data/flavia
  kFolders,    ///< one folder per class, in `path`
  kCsv,        ///< the CSV file `path` of paths and labels
  kGenerated,  ///< generated leaves
};
template <>
inline constexpr Names<DataSource, 4> kNamesOf<DataSource> = {
    "source",
    {{{DataSource::kFlavia, "flavia"},
      {DataSource::kFolders, "folders"},
      {DataSource::kCsv, "csv"},
      {DataSource::kGenerated, "generated"}}}};

struct DataSpec {
  DataSource source = DataSource::kFlavia;
  std::filesystem::path path;  ///< empty: not set; relative paths start at the config's folder
  SyntheticSpec generated;
  /// Width / height of photographs whose files were squeezed (shape_of); 0: none were.
  double source_aspect = 0;
  /// Bits of the values of files of more than 8; 0: as the files say.
  int bits = 0;
  /// Names of the species of kFolders (load_class_folders); not a key of the configuration.
  std::filesystem::path names = {};
  /// Feature stores to use instead of the data; not a key of the configuration.
  std::vector<std::filesystem::path> features = {};
  /// Files of leaf sums over these stores; none: the rows are summed. Not a key either.
  std::vector<std::filesystem::path> sums = {};
  /// A feature store of other labelled leaves to use as the prior of Projection::kPlda; not a key
  /// of the configuration.
  std::filesystem::path prior = {};
};

struct LeafConfig {
  std::string name;  ///< the file's name without extension, for reports
  DataSpec data;
  PrepareSpec preparation;  ///< without the shape of the photographs: preparation_for adds it
  FeatureSpec features;
  ClassifierSpec classifier;
  TuningSpec tuning;
  ProtocolSpec protocol;
  std::vector<int> sweep_orders = {6, 8, 10, 15, 20, 30, 40, 50};
};

/// Every key of a leaf configuration.
void declare(Keys& keys, LeafConfig& config);

/// Reads a YAML file, or the configuration with that name; configs/leaf.yaml explains every key.
/// Settings such as "features.order=20" take precedence over the file. Throws InputError when the
/// file cannot be read, and UsageError with file, line and key for an unknown key, a value of the
/// wrong type or a value out of range.
LeafConfig load_leaf_config(const std::filesystem::path& file,
                            const std::vector<std::string>& settings = {});
/// The same from text; `name` stands for the file in messages.
LeafConfig parse_leaf_config(std::string_view text, const std::string& name);

/// The configuration with every key; parse_leaf_config reads it back. A path that is not UTF-8,
/// which YAML does not allow, is read back unless it needs quotation marks.
std::string to_yaml(const LeafConfig& config);

/// The preparation of photographs, with the colours that the features need. Square files count as
/// squeezed from `source_aspect` (0: not squeezed). This makes no difference with geometry:
/// published, which squeezes every photograph.
PrepareSpec preparation_for(const LeafConfig& config, double source_aspect);

/// Uses the photographs of a folder, one folder per class, instead of the configuration's data, of
/// which only the bits stay. The protocol then becomes auto, unless it holds classes back or tests
/// on blocks, because the numbers of leaves in a configuration's protocol rarely suit other data.
void use_photographs_of(LeafConfig& config, const std::filesystem::path& folder);

/// Uses photographs that are named one by one, of that aspect, instead of the configuration's data,
/// of which only the bits stay; the protocol stays, too.
void use_named_photographs(LeafConfig& config, double source_aspect);

/// Opens the data set. Throws InputError when it is missing; for Flavia the message lists the
/// places that were searched.
LeafDataset load_dataset(const DataSpec& data);

}  // namespace leafglyph
