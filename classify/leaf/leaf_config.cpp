#include "classify/leaf/leaf_config.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "classify/support/config.h"
#include "datasets/leaf/class_folders.h"
#include "datasets/leaf/flavia.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/names.h"

namespace leafglyph {
namespace {

std::vector<std::string> names_of_channels() {
  std::vector<std::string> names;
  for (const Channel channel : all_channels()) {
    if (!is_of_colour(channel)) names.emplace_back(name_of(channel));
  }
  return names;
}

// Turns a UsageError about a name into one that points to the key.
template <class Function>
auto named(Config& config, std::string_view key, const Function& function) {
  try {
    return function();
  } catch (const UsageError& error) {
    config.fail(key, error.what());
  }
}

// The aspect ratio of a base configuration's photographs is not valid for other photographs.
double read_source_aspect(Config& config, DataSource source) {
  const std::string text = config.text("source_aspect", "0");
  const bool others = config.is_overruled("source_aspect", "source") ||
                      config.is_overruled("source_aspect", "path");
  if (others && source != DataSource::kFlavia) return 0.0;
  return named(config, "source_aspect", [&] { return aspect_from_text(text); });
}

DataSpec read_data(Config config) {
  DataSpec data;
  data.source = config.choice("source", DataSource::kFlavia);
  const bool needs_path = data.source == DataSource::kFolders || data.source == DataSource::kCsv;
  const std::string path = needs_path ? config.required_text("path") : config.text("path", "");
  if (!path.empty()) data.path = (config.folder("path") / path).lexically_normal();
  data.generated.species = config.integer("species", 32, 1, synthetic_species_count());
  data.generated.leaves_per_species = config.integer("leaves", 50, 1, kMaxGeneratedLeaves);
  data.generated.seed =
      static_cast<std::uint64_t>(config.integer("seed", 1, 0, std::numeric_limits<int>::max()));
  data.generated.colours = config.choice("colours", data.generated.colours);
  data.source_aspect = read_source_aspect(config, data.source);
  config.finish();
  return data;
}

PrepareSpec read_preparation(Config config) {
  const Geometry geometry = config.choice("geometry", Geometry::kShapePreserving);
  PrepareSpec spec = geometry == Geometry::kPublished ? published_spec() : PrepareSpec{};
  spec.geometry = geometry;
  spec.size = config.integer("size", spec.size, 16, kMaxPreparedSide);
  spec.area = config.number("area", spec.area, 1.0, 1.0 * kMaxPreparedSide * kMaxPreparedSide);
  if (config.has("source_aspect")) {
    config.fail("source_aspect",
                "is an unknown key: the shape of a data set's photographs belongs in "
                "data.source_aspect");
  }
  spec.background = config.choice("background", spec.background);
  spec.finder = config.choice("finder", spec.finder);
  spec.parts = config.choice("parts", spec.parts);
  spec.petiole = config.choice("petiole", spec.petiole);
  spec.oversampling = config.number("oversampling", spec.oversampling, 1.0, 64.0);
  named(config, "geometry", [&] {
    validate(spec);
    return 0;
  });
  config.finish();
  return spec;
}

FeatureSpec read_features(Config config) {
  FeatureSpec spec;
  const WeightedFamily family = named(config, "family", [&] {
    return weighted_family_from_text(config.text("family", family_name(spec.family)));
  });
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order =
      config.integer("order", spec.order, spec.family.row().lowest_order, kMaxFeatureOrder);
  const std::vector<std::string> names = config.texts("channels", {"grey"});
  spec.channels.clear();
  for (const std::string& name : names) {
    const Channel channel = named(config, "channels", [&] { return from_name<Channel>(name); });
    if (is_of_colour(channel)) {
      config.fail("channels", "'" + name + "' is a channel of colour; features.colour adds those");
    }
    for (const Channel other : spec.channels) {
      if (other == channel) config.fail("channels", "'" + name + "' is listed twice");
    }
    spec.channels.push_back(channel);
  }
  spec.measures = config.flag("measures", false);
  spec.colour = config.choice("colour", spec.colour);
  if (spec.channels.empty() && !spec.measures) {
    config.fail(
        "channels", "at least one of " + [] {
          std::string all;
          for (const std::string& name : names_of_channels()) {
            all += (all.empty() ? "" : ", ") + name;
          }
          return all;
        }());
  }
  spec.precision = config.choice("precision", "fast", {"fast", "exact"}) == "fast"
                       ? Precision::kFloat
                       : Precision::kDouble;
  config.finish();
  return spec;
}

PipelineSpec read_pipeline(Config config) {
  PipelineSpec spec;
  spec.values = config.choice("values", spec.values);
  spec.log_floor = config.number("log_floor", spec.log_floor, 1e-12, 1e6);
  spec.scaling = config.choice("scaling", spec.scaling);
  spec.projection = config.choice("projection", spec.projection);
  spec.plda.shrinkage = config.number("shrinkage", spec.plda.shrinkage, 1e-6, 1.0);
  spec.plda.prior_rows = config.number("prior_leaves", spec.plda.prior_rows, 0.0, 1e9);
  spec.plda.prior_classes = config.number("prior_species", spec.plda.prior_classes, 0.0, 1e9);
  spec.plda.augmentation = config.number("augmentation", spec.plda.augmentation, 0.0, 1e6);
  spec.weights.measures = config.number("measure_weight", spec.weights.measures, 1e-6, 1e6);
  spec.weights.curvature = config.number("curvature_weight", spec.weights.curvature, 1e-6, 1e6);
  if (spec.projection == Projection::kNone) {
    for (const char* key : {"shrinkage", "prior_leaves", "prior_species", "augmentation",
                            "measure_weight", "curvature_weight"}) {
      if (config.has(key)) config.fail(key, "needs projection: plda");
    }
  } else if (spec.values != Values::kLogMagnitude) {
    config.fail("projection", "plda needs values: log-magnitude");
  }
  config.finish();
  return spec;
}

void read_classifier(Config config, ClassifierSpec& spec) {
  spec.k = config.integer("k", spec.k, 1, kMaxCount);
  spec.metric = config.choice("metric", spec.metric);
  spec.answered_share = config.number("answered_share", spec.answered_share, 0.01, 1.0);
  config.finish();
}

ProtocolSpec read_protocol(Config config) {
  ProtocolSpec spec;
  spec.kind = config.choice("kind", spec.kind);
  const bool is_blocks = spec.kind == ProtocolKind::kBlocks;
  spec.choice = config.choice("leaves", spec.choice);
  spec.train_leaves =
      config.integer("train", is_blocks ? 0 : spec.train_leaves, is_blocks ? 0 : 1, kMaxCount);
  spec.test_leaves = config.integer("test", spec.test_leaves, 1, kMaxCount);
  spec.repeats = config.integer("repeats", spec.kind == ProtocolKind::kSplits || is_blocks ? 10 : 1,
                                1, kMaxCount);
  spec.folds = config.integer("folds", spec.folds, 2, kMaxCount);
  spec.held_back = config.integer("held_back", 0, 0, kMaxCount);
  if (spec.held_back > 0 && spec.kind != ProtocolKind::kSplits) {
    config.fail("held_back", "needs kind: splits");
  }
  spec.seed =
      static_cast<std::uint64_t>(config.integer("seed", 1, 0, std::numeric_limits<int>::max()));
  config.finish();
  return spec;
}

// Settings are chosen on training leaves only; asking for others is refused, not ignored.
void check_tuning_rows(Config& config) {
  const std::string rows = config.text("rows", "training");
  if (rows == "training") return;
  config.fail("rows", "'" + rows +
                          "' would choose settings on leaves that test them; settings are chosen "
                          "by cross-validation inside the training leaves: use training");
}

TuningSpec read_tuning(Config config, const FeatureLayout& layout,
                       const ClassifierSpec& classifier) {
  TuningSpec spec;
  check_tuning_rows(config);
  spec.folds = config.integer("folds", spec.folds, 2, kMaxCount);
  spec.seed =
      static_cast<std::uint64_t>(config.integer("seed", 1, 0, std::numeric_limits<int>::max()));
  // After each key, so that the error points to it.
  const auto read = [&](std::string_view key, auto& list, auto values) {
    list = std::move(values);
    named(config, key, [&] {
      validate(spec, layout, classifier);
      return 0;
    });
  };
  read("order", spec.orders, config.integers("order", {}, 0, kMaxFeatureOrder));
  read("channels", spec.channels, config.text_lists("channels"));
  read("shrinkage", spec.shrinkages, config.numbers("shrinkage", {}, 0.0, 1.0));
  read("k", spec.ks, config.integers("k", {}, 1, kMaxCount));
  config.finish();
  return spec;
}

LeafConfig read_config(Config config, const std::string& name) {
  LeafConfig leaf;
  leaf.name = std::filesystem::path(name).stem().string();
  leaf.data = read_data(config.child("data"));
  leaf.preparation = read_preparation(config.child("preparation"));
  leaf.features = read_features(config.child("features"));
  leaf.classifier.pipeline = read_pipeline(config.child("pipeline"));
  read_classifier(config.child("classifier"), leaf.classifier);
  FeatureSpec of_grey = leaf.features;  // colour has no channels to choose among
  of_grey.colour = FeatureColour::kNone;
  leaf.tuning =
      read_tuning(config.child("tuning"), feature_layout(of_grey, of_grey.order), leaf.classifier);
  leaf.protocol = read_protocol(config.child("protocol"));
  Config sweep = config.child("sweep");
  leaf.sweep_orders = sweep.integers("orders", leaf.sweep_orders, 0, kMaxFeatureOrder);
  sweep.finish();
  config.finish();
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

LeafConfig load_leaf_config(const std::filesystem::path& file,
                            const std::vector<std::string>& settings) {
  return read_config(Config::load(file, settings), file.string());
}

LeafConfig parse_leaf_config(std::string_view text, const std::string& name) {
  return read_config(Config::parse(text, name), name);
}

PrepareSpec preparation_for(const LeafConfig& config, double source_aspect) {
  PrepareSpec spec = config.preparation;
  spec.source_aspect = spec.geometry == Geometry::kPublished ? 0.0 : source_aspect;
  spec.curvature = has_curvature(config.features);
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

void use_photographs_of(LeafConfig& config, const std::filesystem::path& folder) {
  config.data = {
      DataSource::kFolders, std::filesystem::absolute(folder), {}, /*source_aspect=*/0.0, {}};
  if (config.protocol.held_back == 0 && config.protocol.kind != ProtocolKind::kBlocks) {
    config.protocol.kind = ProtocolKind::kAuto;
    config.protocol.repeats = 1;
  }
}

LeafDataset load_dataset(const DataSpec& data) {
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

}  // namespace leafglyph
