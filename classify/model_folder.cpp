#include "classify/model_folder.h"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "classify/files.h"
#include "classify/versions.h"
#include "features/errors.h"
#include "features/npy.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;

constexpr const char* kFormatName = "leafglyph-leaf-model";
constexpr const char* kManifest = "manifest.json";

template <class T>
std::string matrix_bytes(const std::vector<T>& values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return npy_bytes<T>(values, shape);
}

std::string projection_file(std::size_t block) {
  return "projection-" + std::to_string(block) + ".npy";
}

std::string labels_json(const LeafModel& model) {
  Json leaves = Json::array();
  for (std::size_t i = 0; i < model.sample_names.size(); ++i) {
    leaves.push_back({{"name", model.sample_names[i]}, {"class", model.classifier.labels()[i]}});
  }
  return Json{{"classes", model.class_names},
              {"scientific_names", model.scientific_names},
              {"leaves", leaves}}
      .dump(1);
}

Files model_files(const LeafModel& model) {
  const PipelineState& state = model.classifier.pipeline().state();
  std::vector<double> scaling = state.offset;
  scaling.insert(scaling.end(), state.scale.begin(), state.scale.end());
  Files files;
  files["config.yaml"] = to_yaml(model.config);
  files["labels.json"] = labels_json(model);
  files["features.npy"] = matrix_bytes(model.features.values, model.features.rows());
  files["scaling.npy"] = matrix_bytes(scaling, 2);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    files[projection_file(b)] =
        matrix_bytes(state.blocks[b].matrix, state.blocks[b].columns.size());
  }
  files["index.faiss"] = model.classifier.index().serialize();
  return files;
}

std::string manifest_json(const LeafModel& model, const Files& files) {
  Json checksums = Json::object();
  for (const auto& [name, bytes] : files) checksums[name] = sha256(bytes);
  const double threshold = model.classifier.threshold();
  Json libraries = Json::object();
  for (const auto& [name, version] : versions()) libraries[name] = version;
  return Json{{"format", kFormatName},
              {"version", kModelVersion},
              {"libraries", libraries},
              {"convention", kConvention},
              {"threshold", std::isinf(threshold) ? Json() : Json(threshold)},
              {"sha256", checksums}}
      .dump(1);
}

// Runs `read`; what a wrong type or a missing key throws becomes a FormatError.
template <class Function>
auto checked(const std::filesystem::path& file, const Function& read) {
  try {
    return read();
  } catch (const Json::exception&) {
    throw FormatError(file.string() + ": damaged, or of another format; train the model again");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what() + "; train the model again");
  }
}

void check_manifest(const Json& manifest, const std::filesystem::path& folder) {
  if (!manifest.is_object() || manifest.value("format", "") != kFormatName) {
    throw FormatError(folder.string() + ": not a leaf model of LeafGlyph");
  }
  const int version = manifest.at("version").get<int>();
  if (version != kModelVersion) {
    throw FormatError(folder.string() + ": a model of format version " + std::to_string(version) +
                      ", but this LeafGlyph reads version " + std::to_string(kModelVersion) +
                      ": use the LeafGlyph that wrote it, or train again");
  }
  if (manifest.at("convention").get<std::string>() != kConvention) {
    throw FormatError(folder.string() + ": its moments follow another convention than '" +
                      std::string(kConvention) + "'; train the model again");
  }
}

Files read_checked_files(const Json& manifest, const std::filesystem::path& folder) {
  Files files;
  for (const auto& [name, checksum] : manifest.at("sha256").items()) {
    const std::filesystem::path file = folder / name;
    std::error_code unreadable;
    if (std::filesystem::path(name).filename() != name ||
        !std::filesystem::is_regular_file(file, unreadable)) {
      throw FormatError(file.string() + ": missing from the model; train it again");
    }
    std::string bytes = read_file(file);
    if (sha256(bytes) != checksum.get<std::string>()) {
      throw FormatError(file.string() +
                        ": does not have the checksum of the manifest; it is "
                        "damaged or was changed: train the model again");
    }
    files[name] = std::move(bytes);
  }
  for (const char* name :
       {"config.yaml", "labels.json", "features.npy", "scaling.npy", "index.faiss"}) {
    if (!files.contains(name)) {
      throw FormatError((folder / name).string() + ": missing from the model; train it again");
    }
  }
  return files;
}

template <class T>
NpyArray<T> read_matrix(const std::filesystem::path& file) {
  NpyArray<T> array = read_npy<T>(file);
  if (array.shape.size() != 2) {
    throw FormatError(file.string() + ": is not a matrix; train the model again");
  }
  return array;
}

FeaturePipeline read_pipeline(const LeafConfig& config, const FeatureLayout& layout,
                              const Files& files, const std::filesystem::path& folder) {
  NpyArray<double> scaling = read_matrix<double>(folder / "scaling.npy");
  if (scaling.shape[0] != 2) {
    throw FormatError((folder / "scaling.npy").string() + ": has not two rows; train again");
  }
  PipelineState state;
  const auto middle = scaling.values.begin() + static_cast<std::ptrdiff_t>(scaling.shape[1]);
  state.offset.assign(scaling.values.begin(), middle);
  state.scale.assign(middle, scaling.values.end());
  state.blocks = projection_blocks(config.classifier.pipeline, layout);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    const std::filesystem::path file = folder / projection_file(b);
    if (!files.contains(projection_file(b))) {
      throw FormatError(file.string() + ": missing from the model; train it again");
    }
    NpyArray<double> projection = read_matrix<double>(file);
    state.blocks[b].dimensions = projection.shape[1];
    state.blocks[b].matrix = std::move(projection.values);
  }
  return FeaturePipeline(layout, config.classifier.pipeline, std::move(state), folder.string());
}

// The manifest and what it lists, of any format version; nothing in a folder that is no model.
std::vector<std::string> names_in_model(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / kManifest, ignored)) return {};
  const Json manifest =
      Json::parse(read_file(folder / kManifest), nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object() || !manifest.contains("format") ||
      manifest["format"] != Json(kFormatName) || !manifest.contains("sha256")) {
    return {};
  }
  std::vector<std::string> names = {kManifest};
  for (const auto& item : manifest["sha256"].items()) names.push_back(item.key());
  return names;
}

}  // namespace

void check_can_save_model(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_model);
}

void save_model(const LeafModel& model, const std::filesystem::path& folder) {
  StagedFolder staged(folder, names_in_model);
  const Files files = model_files(model);
  for (const auto& [name, bytes] : files) staged.write(name, bytes);
  staged.write(kManifest, manifest_json(model, files));
  staged.commit();
}

LeafModel load_model(const std::filesystem::path& folder) {
  std::error_code unreadable;
  const auto status = std::filesystem::status(folder, unreadable);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(folder.string() + ": no such model folder; train one with leaf train");
  }
  if (!std::filesystem::status_known(status)) {
    throw InputError(folder.string() + ": cannot be read: " + unreadable.message());
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / kManifest, ignored)) {
    throw FormatError(folder.string() + ": not a model: it has no " + kManifest);
  }
  const std::filesystem::path manifest_file = folder / kManifest;
  const Json manifest =
      checked(manifest_file, [&] { return Json::parse(read_text_file(manifest_file)); });
  checked(manifest_file, [&] {
    check_manifest(manifest, folder);
    return 0;
  });
  const Files files = checked(manifest_file, [&] { return read_checked_files(manifest, folder); });

  const std::filesystem::path config_file = folder / "config.yaml";
  const LeafConfig config = checked(config_file, [&] {
    return parse_leaf_config(files.at("config.yaml"), config_file.string());
  });
  const std::filesystem::path labels_file = folder / "labels.json";
  std::vector<std::string> sample_names;
  std::vector<int> labels;
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  checked(labels_file, [&] {
    const Json json = Json::parse(files.at("labels.json"));
    class_names = json.at("classes").get<std::vector<std::string>>();
    scientific_names = json.at("scientific_names").get<std::vector<std::string>>();
    for (const Json& leaf : json.at("leaves")) {
      sample_names.push_back(leaf.at("name").get<std::string>());
      labels.push_back(leaf.at("class").get<int>());
    }
    return 0;
  });
  for (const int label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= class_names.size() ||
        scientific_names.size() != class_names.size()) {
      throw FormatError(labels_file.string() + ": a class has no name; train the model again");
    }
  }
  FeatureTable features;
  features.layout = feature_layout(config.features, config.features.order);
  NpyArray<float> values = read_matrix<float>(folder / "features.npy");
  if (values.shape[0] != labels.size() || values.shape[1] != features.layout.columns()) {
    throw FormatError((folder / "features.npy").string() +
                      ": not a row a training leaf; train the model again");
  }
  features.values = std::move(values.values);
  const double threshold = checked(manifest_file, [&] {
    const Json& value = manifest.at("threshold");
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  });
  NearestClassifier classifier(
      config.classifier, read_pipeline(config, features.layout, files, folder),
      KnnIndex::deserialize(files.at("index.faiss"), config.classifier.metric,
                            (folder / "index.faiss").string()),
      std::move(labels), threshold, folder.string());
  return {config,
          std::move(class_names),
          std::move(scientific_names),
          std::move(sample_names),
          std::move(features),
          std::move(classifier)};
}

}  // namespace leafglyph
