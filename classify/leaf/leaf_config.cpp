#include "classify/leaf/leaf_config.h"

#include <cstdlib>
#include <utility>

#include "classify/support/config.h"
#include "classify/support/written_keys.h"
#include "datasets/leaf/class_folders.h"
#include "datasets/leaf/flavia.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

void declare(Keys& keys, SyntheticSpec& spec) {
  keys.number("species", spec.species, {1, 1.0 * synthetic_species_count()},
              "Number of species of generated leaves");
  keys.number("leaves", spec.leaves_per_species, {1, kMaxGeneratedLeaves},
              "Generated leaves of each species");
  keys.seed(spec.seed, "Draws the generated leaves");
  keys.choice("colours", spec.colours,
              "Of generated leaves: none, daylight, or lamps: each photograph by one of another "
              "colour");
}

void declare(Keys& keys, DataSpec& data) {
  keys.choice("source", data.source, "Where the photographs are");
  keys.key({"path", &data.path,
            "Folder or CSV file, relative to the configuration; of flavia else $LEAFGLYPH_FLAVIA, "
            "data/flavia"});
  keys.check("path", [&] {
    const bool needs_path = data.source == DataSource::kFolders || data.source == DataSource::kCsv;
    if (needs_path && data.path.empty()) throw UsageError("is missing; add it");
  });
  declare(keys, data.generated);
  keys.text(
      "source_aspect", data.source_aspect, number_text(data.source_aspect), aspect_from_text,
      "Width:height of photographs whose files were squeezed, such as to squares: 4:3; 0: none "
      "were. Of this data set alone");
  keys.where(keys.is_reading() || data.bits != 0, "", [&] {
    keys.number("bits", data.bits, {0, kMaxSampleBits},
                "Of the values of files of more than 8 bits, such as 12: 4095 is white; 0: as the "
                "files say, otherwise as many as their highest values need");
  });
  // The aspect ratio of a base configuration's photographs is not valid for other photographs.
  const bool others =
      keys.is_overruled("source_aspect", "source") || keys.is_overruled("source_aspect", "path");
  if (others && data.source != DataSource::kFlavia) data.source_aspect = 0.0;
}

void declare_tuning(Keys& keys, LeafConfig& config) {
  FeatureSpec of_grey = config.features;  // colour has no channels to choose among
  of_grey.colour = FeatureColour::kNone;
  declare(keys, config.tuning, [&] {
    validate(config.tuning, feature_layout(of_grey, of_grey.order), config.classifier);
  });
}

LeafConfig read_config(Config config, const std::string& name) {
  LeafConfig leaf;
  leaf.name = std::filesystem::path(name).stem().string();
  read_keys(std::move(config), leaf);
  settle(leaf.features.network);
  settle(leaf.features.join);
  return leaf;
}

std::filesystem::path flavia_folder(const DataSpec& data) {
  if (!data.path.empty()) return data.path;
  if (const char* folder = std::getenv("LEAFGLYPH_FLAVIA"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  std::filesystem::path usual = "data/flavia";
  if (!is_folder(usual)) {
    throw InputError(
        "the Flavia leaves are neither in data.path of the configuration (not given), nor in "
        "$LEAFGLYPH_FLAVIA (not set), nor in data/flavia: run tools/setup/fetch_flavia");
  }
  return usual;
}

}  // namespace

void declare(Keys& keys, LeafConfig& config) {
  keys.group("data", [&] { declare(keys, config.data); });
  keys.group("preparation", [&] { declare(keys, config.preparation); });
  keys.group("features", [&] { declare(keys, config.features); });
  keys.group("pipeline", [&] { declare(keys, config.classifier.pipeline); });
  keys.group("classifier", [&] { declare(keys, config.classifier); });
  keys.group(
      "tuning", [&] { declare_tuning(keys, config); }, config.tuning.asks());
  keys.group("protocol", [&] { declare(keys, config.protocol); });
  keys.group("sweep", [&] {
    keys.key({"orders",
              &config.sweep_orders,
              "Orders that leaf sweep evaluates",
              {0, kMaxFeatureOrder}});
  });
}

LeafConfig load_leaf_config(const std::filesystem::path& file,
                            const std::vector<std::string>& settings) {
  return read_config(Config::load(file, settings), file.string());
}

LeafConfig parse_leaf_config(std::string_view text, const std::string& name) {
  return read_config(Config::parse(text, name), name);
}

std::string to_yaml(const LeafConfig& config) { return yaml_of(config); }

PrepareSpec preparation_for(const LeafConfig& config, double source_aspect) {
  PrepareSpec spec = config.preparation;
  spec.source_aspect = spec.geometry == Geometry::kPublished ? 0.0 : source_aspect;
  spec.curvature = has_curvature(config.features);
  if (config.features.network.is_used()) spec.picture_side = config.features.network.size;
  switch (config.features.colour) {
    case FeatureColour::kNone:
      break;
    case FeatureColour::kAuto:
      spec.colours = LeafColour::kWherePresent;
      break;
    case FeatureColour::kLab:
      spec.colours = LeafColour::kRequired;
      break;
  }
  return spec;
}

void use_named_photographs(LeafConfig& config, double source_aspect) {
  config.data = {DataSource::kFolders, "/", {}, source_aspect, config.data.bits};
}

void use_photographs_of(LeafConfig& config, const std::filesystem::path& folder) {
  use_named_photographs(config, 0.0);
  config.data.path = std::filesystem::absolute(folder);
  if (config.protocol.held_back == 0 && config.protocol.kind != ProtocolKind::kBlocks) {
    config.protocol.kind = ProtocolKind::kAuto;
    config.protocol.repeats = 1;
  }
}

namespace {

LeafDataset load_files(const DataSpec& data) {
  switch (data.source) {
    case DataSource::kFlavia:
      return load_flavia(flavia_folder(data));
    case DataSource::kFolders:
      return load_class_folders(data.path, data.names);
    case DataSource::kCsv:
      return load_csv(data.path);
    case DataSource::kGenerated:
      return synthetic_leaves(data.generated);
  }
  throw UsageError("unknown data source");
}

}  // namespace

LeafDataset load_dataset(const DataSpec& data) {
  LeafDataset dataset = load_files(data);
  dataset.bits = data.bits;
  return dataset;
}

}  // namespace leafglyph
