#include "classify/leaf/model_folder.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "classify/support/json_text.h"
#include "classify/support/versions.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/partial.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;

constexpr const char* kFormatName = "leafglyph-leaf-classifier";
// Of models whose manifest nothing covers and whose index is FAISS's: no longer read, but replaced.
constexpr const char* kOlderFormatName = "leafglyph-leaf-model";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kOwnDigest = "manifest_sha256";
constexpr const char* kNoveltyMeans = "novelty-means.npy";
constexpr const char* kTypical = "typical.npy";
constexpr const char* kNoveltyDirections = "novelty-directions.npy";
constexpr int kAttempts = 20;  // to read a model that others replace meanwhile

template <class T>
std::string matrix_bytes(std::span<const T> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return npy_bytes<T>(values, shape);
}

std::string projection_file(std::size_t block) { return fmt::format("projection-{}.npy", block); }

std::string labels_json(const LeafModel& model) {
  Json leaves = Json::array();
  for (std::size_t i = 0; i < model.sample_names.size(); ++i) {
    leaves.push_back({{"name", model.sample_names[i]}, {"class", model.classifier.labels()[i]}});
  }
  return json_text(Json{{"classes", model.class_names},
                        {"scientific_names", model.scientific_names},
                        {"leaves", leaves}});
}

Files model_files(const LeafModel& model) {
  const PipelineState& state = model.classifier.pipeline().state();
  std::vector<double> scaling = state.offset;
  scaling.insert(scaling.end(), state.scale.begin(), state.scale.end());
  Files files;
  files["config.yaml"] = to_yaml(model.config);
  files["labels.json"] = labels_json(model);
  files["features.npy"] = matrix_bytes<float>(model.features.values, model.features.rows());
  files["scaling.npy"] = matrix_bytes<double>(scaling, 2);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    files[projection_file(b)] =
        matrix_bytes<double>(state.blocks[b].matrix, state.blocks[b].columns.size());
  }
  if (model.classifier.class_distance()) {
    const ClassDistanceState& novelty = model.classifier.class_distance()->state();
    const std::size_t columns = novelty.scale.size();
    std::vector<double> means = novelty.scale;
    means.insert(means.end(), novelty.means.begin(), novelty.means.end());
    files[kNoveltyMeans] = matrix_bytes<double>(means, means.size() / columns);
    files[kNoveltyDirections] =
        matrix_bytes<double>(novelty.directions, novelty.directions.size() / columns);
  }
  if (model.classifier.confidence()) {
    const TypicalState& typical = model.classifier.confidence()->typical.state();
    std::vector<double> rows = typical.scale;
    rows.insert(rows.end(), typical.means.begin(), typical.means.end());
    files[kTypical] = matrix_bytes<double>(rows, rows.size() / typical.scale.size());
  }
  const KnnIndex& index = model.classifier.index();
  files["rows.npy"] = matrix_bytes(index.rows(), index.size());
  return files;
}

std::string text_of(const Json& manifest) { return manifest.dump(1); }

// Of everything in a manifest but this digest itself, as compact text with sorted keys.
std::string digest_of_manifest(Json manifest) {
  manifest.erase(kOwnDigest);
  return sha256(manifest.dump());
}

std::string manifest_json(const LeafModel& model, const Files& files) {
  Json checksums = Json::object();
  for (const auto& [name, bytes] : files) checksums[name] = sha256(bytes);
  const double threshold = model.classifier.threshold();
  Json libraries = Json::object();
  for (const auto& [name, version] : versions()) libraries[name] = version;
  Json manifest = {{"format", kFormatName},
                   {"version", kModelVersion},
                   {"libraries", libraries},
                   {"convention", convention_name(model.config.features.family)},
                   {"threshold", std::isinf(threshold) ? Json() : Json(threshold)},
                   {"sha256", checksums}};
  if (model.classifier.confidence()) {
    manifest["calibration"] = model.classifier.confidence()->calibration.weights();
    manifest["novelty_calibration"] = model.classifier.confidence()->novelty.weights();
  }
  manifest[kOwnDigest] = digest_of_manifest(manifest);
  return text_of(manifest);
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

void check_manifest(const Json& manifest, const std::string& text,
                    const std::filesystem::path& folder) {
  const std::string format = manifest.is_object() ? manifest.value("format", "") : "";
  if (format == kOlderFormatName) {
    throw FormatError(folder.string() +
                      ": a model of an older LeafGlyph, which this one does not read; train again");
  }
  if (format != kFormatName) {
    throw FormatError(folder.string() + ": not a leaf model of LeafGlyph");
  }
  const Json& version = manifest.at("version");
  if (!version.is_number_integer() || version < Json(kOldestModelVersion) ||
      version > Json(kModelVersion)) {
    throw FormatError(
        fmt::format("{}: a model of format version {}, but this LeafGlyph reads versions {} to {}: "
                    "use the LeafGlyph that wrote it, or train again",
                    folder.string(), version.dump(), kOldestModelVersion, kModelVersion));
  }
  // Several texts of a number are the same number: the digest alone does not tell them apart.
  if (manifest.at(kOwnDigest) != Json(digest_of_manifest(manifest)) || text != text_of(manifest)) {
    throw FormatError((folder / kManifest).string() +
                      ": does not have the checksum that it states; it is damaged or was changed: "
                      "train the model again");
  }
}

void check_convention(const Json& manifest, Family family, const std::filesystem::path& folder) {
  const std::string_view convention = convention_name(family);
  if (manifest.at("convention").get<std::string>() == convention) return;
  throw FormatError(folder.string() + ": its moments follow another convention than '" +
                    std::string(convention) + "'; train the model again");
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
       {"config.yaml", "labels.json", "features.npy", "scaling.npy", "rows.npy"}) {
    if (!files.contains(name)) {
      throw FormatError((folder / name).string() + ": missing from the model; train it again");
    }
  }
  return files;
}

template <class T>
NpyArray<T> matrix_in(const Files& files, const std::filesystem::path& file) {
  NpyArray<T> array = parse_npy<T>(files.at(file.filename().string()), file);
  if (array.shape.size() != 2) {
    throw FormatError(file.string() + ": is not a matrix; train the model again");
  }
  return array;
}

// A file that only some models have; `files` holds what the manifest lists.
NpyArray<double> matrix_of_model(const Files& files, const std::filesystem::path& file) {
  if (!files.contains(file.filename().string())) {
    throw FormatError(file.string() + ": missing from the model; train it again");
  }
  return matrix_in<double>(files, file);
}

KnnIndex read_index(Metric metric, const Files& files, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "rows.npy";
  const NpyArray<float> rows = matrix_in<float>(files, file);
  try {
    return KnnIndex::of_rows(metric, rows.shape[1], rows.values);
  } catch (const Error& error) {
    throw FormatError(file.string() + ": " + error.what() + "; train the model again");
  }
}

// Integers are read as integers only; a negative or too large one has no class.
int class_in(const Json& value, std::size_t classes) {
  if (!value.is_number_integer() || value < Json(0) || value >= Json(classes)) {
    throw UsageError(fmt::format("class {} is not among the {} classes", value.dump(), classes));
  }
  return value.get<int>();
}

// null: everything is answered.
double threshold_in(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0.0) {
    throw UsageError("threshold " + value.dump() + " is no distance");
  }
  return value.get<double>();
}

FeaturePipeline read_pipeline(const LeafConfig& config, const FeatureLayout& layout,
                              const Files& files, const std::filesystem::path& folder) {
  NpyArray<double> scaling = matrix_in<double>(files, folder / "scaling.npy");
  if (scaling.shape[0] != 2) {
    throw FormatError((folder / "scaling.npy").string() + ": has not two rows; train again");
  }
  PipelineState state;
  const auto middle = scaling.values.begin() + static_cast<std::ptrdiff_t>(scaling.shape[1]);
  state.offset.assign(scaling.values.begin(), middle);
  state.scale.assign(middle, scaling.values.end());
  state.blocks = projection_blocks(config.classifier.pipeline, layout);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    NpyArray<double> projection = matrix_of_model(files, folder / projection_file(b));
    state.blocks[b].dimensions = projection.shape[1];
    state.blocks[b].matrix = std::move(projection.values);
  }
  return FeaturePipeline(layout, config.classifier.pipeline, std::move(state), folder.string());
}

std::optional<ClassDistance> read_class_distance(const ClassifierSpec& spec,
                                                 const FeatureLayout& layout, const Files& files,
                                                 const std::filesystem::path& folder) {
  if (spec.novelty != Novelty::kMahalanobis) return std::nullopt;
  NpyArray<double> means = matrix_of_model(files, folder / kNoveltyMeans);
  NpyArray<double> directions = matrix_of_model(files, folder / kNoveltyDirections);
  const std::size_t columns = layout.columns();
  if (means.shape[1] != columns || directions.shape[1] != columns) {
    throw FormatError((folder / kNoveltyMeans).string() +
                      ": not a column a feature; train the model again");
  }
  const auto after_scale = means.values.begin() + static_cast<std::ptrdiff_t>(columns);
  ClassDistanceState state{{means.values.begin(), after_scale},
                           {after_scale, means.values.end()},
                           std::move(directions.values)};
  return ClassDistance(layout, spec.pipeline, std::move(state), folder.string());
}

std::optional<Confidence> read_confidence(const Json& manifest, const LeafConfig& config,
                                          std::span<const int> labels, const Files& files,
                                          const std::filesystem::path& folder) {
  if (!manifest.contains("calibration")) return std::nullopt;
  using Weights = std::array<double, kEvidenceTerms + 1>;
  const auto weights = manifest.at("calibration").get<Weights>();
  const auto novelty = manifest.at("novelty_calibration").get<Weights>();
  NpyArray<double> typical = matrix_of_model(files, folder / kTypical);
  const auto after_scale = typical.values.begin() + static_cast<std::ptrdiff_t>(typical.shape[1]);
  const std::set<int> classes(labels.begin(), labels.end());
  TypicalState state{{typical.values.begin(), after_scale},
                     {after_scale, typical.values.end()},
                     {classes.begin(), classes.end()}};
  return Confidence{
      TypicalDistance(feature_layout(config.features, config.features.order),
                      config.classifier.pipeline, std::move(state), (folder / kTypical).string()),
      Calibration(weights), Calibration(novelty)};
}

std::pair<Json, Files> read_once(const std::filesystem::path& folder, const std::string& text) {
  return checked(folder / kManifest, [&] {
    Json manifest = Json::parse(text);
    check_manifest(manifest, text, folder);
    Files files = read_checked_files(manifest, folder);
    return std::pair(std::move(manifest), std::move(files));
  });
}

// A folder can be exchanged for another one between finding it and finding the file in it.
std::string manifest_text(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifest;
  for (int attempt = 1;; ++attempt) {
    std::error_code ignored;
    const bool last = attempt == kAttempts;
    if (std::filesystem::is_regular_file(file, ignored)) {
      try {
        return read_text_file(file);
      } catch (const InputError&) {
        if (last) throw;
      }
    } else if (last) {
      throw FormatError(folder.string() + ": not a model: it has no " + kManifest);
    }
  }
}

// The manifest and the files that it lists. While a model is replaced, files of the old one and the
// new one meet; `folder` names another folder then. The one that was named is held open, so that no
// new one gets its number.
std::pair<Json, Files> read_whole_model(const std::filesystem::path& folder) {
  for (int attempt = 1;; ++attempt) {
    const Descriptor named(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string text = manifest_text(folder);
    try {
      return read_once(folder, text);
    } catch (const Error&) {
      if ((named.is_open() && named.is_at(folder)) || attempt == kAttempts) throw;
    }
  }
}

// The manifest and what it lists, of any format version; nothing in a folder that is no model.
std::vector<std::string> names_in_model(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder / kManifest, ignored)) return {};
  const Json manifest =
      Json::parse(read_text_file(folder / kManifest), nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object() || !manifest.contains("format") ||
      (manifest["format"] != Json(kFormatName) && manifest["format"] != Json(kOlderFormatName)) ||
      !manifest.contains("sha256")) {
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
  const std::pair<Json, Files> whole = read_whole_model(folder);
  const Json& manifest = whole.first;
  const Files& files = whole.second;
  const std::filesystem::path config_file = folder / "config.yaml";
  const LeafConfig config = checked(config_file, [&] {
    return parse_leaf_config(files.at("config.yaml"), config_file.string());
  });
  checked(folder / kManifest, [&] { check_convention(manifest, config.features.family, folder); });
  const std::filesystem::path labels_file = folder / "labels.json";
  std::vector<std::string> sample_names;
  std::vector<int> labels;
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  checked(labels_file, [&] {
    const Json json = Json::parse(files.at("labels.json"));
    class_names = strings_of(json.at("classes"));
    scientific_names = strings_of(json.at("scientific_names"));
    for (const Json& leaf : json.at("leaves")) {
      sample_names.push_back(string_of(leaf.at("name")));
      labels.push_back(class_in(leaf.at("class"), class_names.size()));
    }
    return 0;
  });
  if (scientific_names.size() != class_names.size()) {
    throw FormatError(labels_file.string() + ": a class has no name; train the model again");
  }
  FeatureTable features;
  features.layout = feature_layout(config.features, config.features.order);
  NpyArray<float> values = matrix_in<float>(files, folder / "features.npy");
  if (values.shape[0] != labels.size() || values.shape[1] != features.layout.columns()) {
    throw FormatError((folder / "features.npy").string() +
                      ": not a row a training leaf; train the model again");
  }
  features.values = std::move(values.values);
  const double threshold =
      checked(folder / kManifest, [&] { return threshold_in(manifest.at("threshold")); });
  std::optional<Confidence> confidence = checked(
      folder / kManifest, [&] { return read_confidence(manifest, config, labels, files, folder); });
  NearestClassifier classifier(
      config.classifier, read_pipeline(config, features.layout, files, folder),
      read_index(config.classifier.metric, files, folder), std::move(labels), threshold,
      read_class_distance(config.classifier, features.layout, files, folder), std::move(confidence),
      folder.string());
  return {config,
          std::move(class_names),
          std::move(scientific_names),
          std::move(sample_names),
          std::move(features),
          std::move(classifier)};
}

}  // namespace leafglyph
