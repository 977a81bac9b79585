#include "classify/leaf/model_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "classify/leaf/model_manifest.h"
#include "classify/support/json_text.h"
#include "classify/support/versions.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/npy.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

constexpr const char* kConfig = "config.yaml";
constexpr const char* kFeatures = "features.npy";
constexpr const char* kScaling = "scaling.npy";
constexpr const char* kRows = "rows.npy";
constexpr const char* kOutlierMeans = "outlier-means.npy";
constexpr const char* kTypical = "typical.npy";
constexpr const char* kClassFit = "class-fit.npy";
constexpr const char* kOutlierDirections = "outlier-directions.npy";
constexpr const char* kLabels = "labels.json";
constexpr const char* kTraining = "training.yaml";
constexpr const char* kAugmented = "augmented.npy";
constexpr const char* kPictures = "pictures.mjpeg";

template <class T>
std::string matrix_bytes(std::span<const T> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return npy_bytes<T>(values, shape);
}

std::string projection_file(std::size_t block) { return fmt::format("projection-{}.npy", block); }

std::string labels_json(const LeafModel& model) {
  Json leaves = Json::array();
  for (std::size_t i = 0; i < model.sample_names.size(); ++i) {
    Json leaf = {{"name", model.sample_names[i]}, {"class", model.classifier.labels()[i]}};
    const SmallPicture& picture = model.pictures[i];
    if (!picture.jpeg.empty()) {
      leaf["picture"] = {
          {"bytes", picture.jpeg.size()}, {"width", picture.width}, {"height", picture.height}};
    }
    leaves.push_back(std::move(leaf));
  }
  return json_text(Json{{"classes", model.class_names},
                        {"scientific_names", model.scientific_names},
                        {"leaves", leaves},
                        {"augmented", model.features.augmented.of}});
}

// For each class, its row of the means followed by its row of the usual distances.
std::string class_fit_bytes(const ClassFit& fit) {
  const ClassFitState state = fit.state();
  const std::size_t classes = fit.typical().state().labels.size();
  const std::size_t dimension = state.means.size() / classes;
  const std::size_t parts = state.log_usual.size() / classes;
  std::vector<double> rows;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto mean = std::span(state.means).subspan(c * dimension, dimension);
    const auto usual = std::span(state.log_usual).subspan(c * parts, parts);
    rows.insert(rows.end(), mean.begin(), mean.end());
    rows.insert(rows.end(), usual.begin(), usual.end());
  }
  return matrix_bytes<double>(rows, classes);
}

ModelFiles model_files(const LeafModel& model) {
  const PipelineState& state = model.classifier.pipeline().state();
  std::vector<double> scaling = state.offset;
  scaling.insert(scaling.end(), state.scale.begin(), state.scale.end());
  ModelFiles files;
  files[kConfig] = to_yaml(model.config);
  files[kTraining] = to_yaml(model.requested);
  files[kLabels] = labels_json(model);
  files[kFeatures] = matrix_bytes<float>(model.features.values, model.features.rows());
  files[kScaling] = matrix_bytes<double>(scaling, 2);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    files[projection_file(b)] =
        matrix_bytes<double>(state.blocks[b].matrix, state.blocks[b].columns.size());
  }
  if (model.classifier.class_distance()) {
    const ClassDistanceState& outlier_score = model.classifier.class_distance()->state();
    const std::size_t columns = outlier_score.scale.size();
    std::vector<double> means = outlier_score.scale;
    means.insert(means.end(), outlier_score.means.begin(), outlier_score.means.end());
    files[kOutlierMeans] = matrix_bytes<double>(means, means.size() / columns);
    files[kOutlierDirections] =
        matrix_bytes<double>(outlier_score.directions, outlier_score.directions.size() / columns);
  }
  if (model.classifier.confidence()) {
    const TypicalState& typical = model.classifier.confidence()->fit.typical().state();
    std::vector<double> rows = typical.scale;
    rows.insert(rows.end(), typical.means.begin(), typical.means.end());
    files[kTypical] = matrix_bytes<double>(rows, rows.size() / typical.scale.size());
    files[kClassFit] = class_fit_bytes(model.classifier.confidence()->fit);
  }
  const AugmentedRows& augmented = model.features.augmented;
  if (!augmented.of.empty())
    files[kAugmented] = matrix_bytes<float>(augmented.values, augmented.of.size());
  for (const SmallPicture& picture : model.pictures) files[kPictures] += picture.jpeg;
  const KnnIndex& index = model.classifier.index();
  files[kRows] = matrix_bytes(index.rows(), index.size());
  return files;
}

Json history_json(const ModelHistory& history) {
  Json json = {{"date", history.date}, {"data", history.data}, {"added", Json::array()}};
  if (history.accuracy) {
    json["cross_validation"] = {{"right", history.accuracy->right},
                                {"tested", history.accuracy->tested},
                                {"folds", history.accuracy->folds}};
  }
  if (history.unknown) {
    json["unknown"] = {{"unknown", history.unknown->unknown},
                       {"leaves", history.unknown->leaves},
                       {"species", history.unknown->species},
                       {"groups", history.unknown->groups}};
  }
  if (history.colour) {
    json["colour"] = {{"with", history.colour->with}, {"without", history.colour->without}};
  }
  for (const AddedLeaves& added : history.added) {
    json["added"].push_back({{"date", added.date},
                             {"species", added.species},
                             {"leaves", added.leaves},
                             {"data", added.data}});
  }
  escape_strings(json);
  return json;
}

double share_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1)) {
    throw UsageError(fmt::format("{} {} is not a share", key, value.dump()));
  }
  return value.get<double>();
}

ModelHistory history_in(const Json& json) {
  ModelHistory history;
  history.date = string_of(json.at("date"));
  history.data = string_of(json.at("data"));
  if (json.contains("cross_validation")) {
    const Json& share = json.at("cross_validation");
    history.accuracy = {integer_at<std::size_t>(share, "right"),
                        integer_at<std::size_t>(share, "tested"), integer_at<int>(share, "folds")};
  }
  if (json.contains("unknown")) {
    const Json& share = json.at("unknown");
    history.unknown = {integer_at<std::size_t>(share, "unknown"),
                       integer_at<std::size_t>(share, "leaves"), integer_at<int>(share, "species"),
                       integer_at<int>(share, "groups")};
  }
  if (json.contains("colour")) {
    const Json& colour = json.at("colour");
    history.colour = {share_at(colour, "with"), share_at(colour, "without")};
  }
  for (const Json& added : json.at("added")) {
    history.added.push_back({string_of(added.at("date")), string_of(added.at("species")),
                             integer_at<std::size_t>(added, "leaves"),
                             string_of(added.at("data"))});
  }
  return history;
}

Json facts_of(const LeafModel& model) {
  const double threshold = model.classifier.threshold();
  Json libraries = Json::object();
  for (const auto& [name, version] : versions()) libraries[name] = version;
  Json facts = {{"libraries", libraries},
                {"convention", convention_name(model.config.features.family)},
                {"threshold", std::isinf(threshold) ? Json() : Json(threshold)},
                {"history", history_json(model.history)}};
  if (model.classifier.confidence()) {
    facts["calibration"] = model.classifier.confidence()->calibration.weights();
    facts["outlier_calibration"] = model.classifier.confidence()->outlier_score.weights();
  }
  return facts;
}

void check_convention(const Json& manifest, Family family, const std::filesystem::path& folder) {
  const std::string_view convention = convention_name(family);
  if (manifest.at("convention").get<std::string>() == convention) return;
  throw FormatError(folder.string() + ": its moments follow a different convention from '" +
                    std::string(convention) + "'; train the model again");
}

bool is_model_value(double value) { return std::abs(value) <= kMaxModelValue; }

// Digests show that a file is as it was written, not that its contents make sense.
template <class T>
NpyArray<T> matrix_in(const ModelFiles& files, const std::filesystem::path& file) {
  NpyArray<T> array = parse_npy<T>(model_file(files, file), file);
  const auto refuse = [&](const std::string& what) {
    throw FormatError(file.string() + ": " + what + "; train the model again");
  };
  if (array.shape.size() != 2) refuse("is not a matrix");
  if (array.values.empty()) {
    refuse(fmt::format("is a matrix of {} x {}", array.shape[0], array.shape[1]));
  }
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (is_model_value(static_cast<double>(array.values[i]))) continue;
    refuse(fmt::format("holds {} in row {}, column {}", array.values[i], i / array.shape[1],
                       i % array.shape[1]));
  }
  return array;
}

KnnIndex read_index(Metric metric, const ModelFiles& files, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kRows;
  const NpyArray<float> rows = matrix_in<float>(files, file);
  try {
    return KnnIndex::of_rows(metric, rows.shape[1], rows.values);
  } catch (const Error& error) {
    throw FormatError(file.string() + ": " + error.what() + "; train the model again");
  }
}

// Integers must be stored as integers; a negative or too large one is invalid.
int number_below(const Json& value, std::size_t count) {
  if (!value.is_number_integer() || value < Json(0) || value >= Json(count)) {
    throw UsageError(fmt::format("{} is not one of the {} classes or leaves", value.dump(), count));
  }
  return value.get<int>();
}

// null: every leaf is identified.
double threshold_in(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0.0) {
    throw UsageError("threshold " + value.dump() + " is not a distance");
  }
  return value.get<double>();
}

FeaturePipeline read_pipeline(const LeafConfig& config, const FeatureLayout& layout,
                              const ModelFiles& files, const std::filesystem::path& folder) {
  NpyArray<double> scaling = matrix_in<double>(files, folder / kScaling);
  if (scaling.shape[0] != 2) {
    throw FormatError((folder / kScaling).string() + ": does not have two rows; train again");
  }
  PipelineState state;
  const auto middle = scaling.values.begin() + static_cast<std::ptrdiff_t>(scaling.shape[1]);
  state.offset.assign(scaling.values.begin(), middle);
  state.scale.assign(middle, scaling.values.end());
  state.blocks = projection_blocks(config.classifier.pipeline, layout);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    NpyArray<double> projection = matrix_in<double>(files, folder / projection_file(b));
    state.blocks[b].dimensions = projection.shape[1];
    state.blocks[b].matrix = std::move(projection.values);
  }
  return FeaturePipeline(layout, config.classifier.pipeline, std::move(state), folder.string());
}

std::optional<ClassDistance> read_class_distance(const ClassifierSpec& spec,
                                                 const FeatureLayout& layout,
                                                 const ModelFiles& files,
                                                 const std::filesystem::path& folder) {
  if (spec.outlier_score != OutlierScore::kMahalanobis) return std::nullopt;
  NpyArray<double> means = matrix_in<double>(files, folder / kOutlierMeans);
  NpyArray<double> directions = matrix_in<double>(files, folder / kOutlierDirections);
  const std::size_t columns = layout.columns();
  if (means.shape[1] != columns || directions.shape[1] != columns) {
    throw FormatError((folder / kOutlierMeans).string() +
                      ": does not have one column per feature; train the model again");
  }
  const auto after_scale = means.values.begin() + static_cast<std::ptrdiff_t>(columns);
  ClassDistanceState state{{means.values.begin(), after_scale},
                           {after_scale, means.values.end()},
                           std::move(directions.values)};
  return ClassDistance(layout, spec.pipeline, std::move(state), folder.string());
}

Calibration calibration_in(const Json& json) {
  std::array<double, kEvidenceTerms + 1> all{};
  const auto weights = json.get<std::vector<double>>();
  if (weights.size() != all.size()) {
    throw UsageError(
        fmt::format("a calibration has {} weights, not {}", weights.size(), all.size()));
  }
  for (const double weight : weights) {
    if (!is_model_value(weight))
      throw UsageError(fmt::format("a calibration has the weight {}", weight));
  }
  std::ranges::copy(weights, all.begin());
  return Calibration(all);
}

ClassFit read_class_fit(const FeaturePipeline& pipeline, std::span<const int> labels,
                        const FeatureTable& features, TypicalDistance typical,
                        const ModelFiles& files, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kClassFit;
  const NpyArray<double> rows = matrix_in<double>(files, file);
  const std::size_t width = rows.shape[1], dimension = std::min(width, pipeline.dimension());
  ClassFitState state;
  for (std::size_t c = 0; c < rows.shape[0]; ++c) {
    const auto row = std::span(rows.values).subspan(c * width, width);
    for (const double mean : row.first(dimension)) state.means.push_back(mean);
    for (const double usual : row.subspan(dimension)) {
      state.log_usual.push_back(static_cast<float>(usual));
    }
  }
  return as_format_error(file, [&] {
    return ClassFit(features, labels, pipeline, std::move(typical), std::move(state));
  });
}

std::optional<Confidence> read_confidence(const Json& manifest, const FeaturePipeline& pipeline,
                                          std::span<const int> labels, const FeatureTable& features,
                                          const ModelFiles& files,
                                          const std::filesystem::path& folder) {
  if (!manifest.contains("calibration")) return std::nullopt;
  NpyArray<double> typical = matrix_in<double>(files, folder / kTypical);
  const auto after_scale = typical.values.begin() + static_cast<std::ptrdiff_t>(typical.shape[1]);
  const std::set<int> classes(labels.begin(), labels.end());
  TypicalState state{{typical.values.begin(), after_scale},
                     {after_scale, typical.values.end()},
                     {classes.begin(), classes.end()}};
  TypicalDistance distance(features.layout, pipeline.spec(), std::move(state),
                           (folder / kTypical).string());
  return Confidence{read_class_fit(pipeline, labels, features, std::move(distance), files, folder),
                    calibration_in(manifest.at("calibration")),
                    calibration_in(manifest.at("outlier_calibration"))};
}

LeafConfig read_config(const ModelFiles& files, const std::filesystem::path& file) {
  return as_format_error(file,
                         [&] { return parse_leaf_config(model_file(files, file), file.string()); });
}

/// The contents of labels.json, with the pictures by leaf number.
struct Labels {
  std::vector<std::string> class_names, scientific_names;
  std::vector<std::string> names;  // of the leaves
  std::vector<int> of_leaf;
  std::vector<SmallPicture> pictures;
  std::vector<std::size_t> augmented;  // of which leaves there are augmented copies
};

// The next picture of the file. The first `used` bytes belong to earlier ones.
SmallPicture next_picture(const Json& json, const std::string& bytes, std::size_t& used) {
  const auto size = integer_at<std::size_t>(json, "bytes");
  const int width = integer_at<int>(json, "width"), height = integer_at<int>(json, "height");
  if (size > bytes.size() - used || std::min(width, height) < 1 ||
      std::max(width, height) > kModelPictureSide) {
    throw UsageError(
        fmt::format("a picture of {} x {} pixels in {} bytes is missing", width, height, size));
  }
  used += size;
  return {bytes.substr(used - size, size), width, height};
}

Labels read_labels(const ModelFiles& files, const std::filesystem::path& folder) {
  const Json json = Json::parse(model_file(files, folder / kLabels));
  const auto pictures = files.find(kPictures);
  const std::string none;
  const std::string& bytes = pictures == files.end() ? none : pictures->second;
  std::size_t used = 0;
  Labels labels;
  labels.class_names = strings_of(json.at("classes"));
  labels.scientific_names = strings_of(json.at("scientific_names"));
  if (labels.scientific_names.size() != labels.class_names.size()) {
    throw UsageError("a class has no name");
  }
  for (const Json& leaf : json.at("leaves")) {
    labels.names.push_back(string_of(leaf.at("name")));
    labels.of_leaf.push_back(number_below(leaf.at("class"), labels.class_names.size()));
    labels.pictures.push_back(
        leaf.contains("picture") ? next_picture(leaf.at("picture"), bytes, used) : SmallPicture{});
  }
  if (used != bytes.size()) throw UsageError("there are pictures that belong to no leaf");
  for (std::size_t i = 0; i < json.at("augmented").size(); ++i) {
    const Json& row = json.at("augmented")[i];
    labels.augmented.push_back(static_cast<std::size_t>(number_below(row, labels.names.size())));
  }
  return labels;
}

FeatureTable read_features(const LeafConfig& config, const Labels& labels, const ModelFiles& files,
                           const std::filesystem::path& folder) {
  FeatureTable features;
  features.layout = feature_layout(config.features, config.features.order);
  const auto rows_of = [&](const char* name, std::size_t rows) {
    NpyArray<float> values = matrix_in<float>(files, folder / name);
    if (values.shape[0] != rows || values.shape[1] != features.layout.columns()) {
      throw FormatError((folder / name).string() +
                        ": does not have one row per training leaf; train the model again");
    }
    return std::move(values.values);
  };
  features.values = rows_of(kFeatures, labels.names.size());
  if (labels.augmented.empty()) return features;
  features.augmented = {rows_of(kAugmented, labels.augmented.size()), labels.augmented};
  return features;
}

}  // namespace

std::string date_now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

void check_can_save_model(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_model);
}

void save_model(const LeafModel& model, const WriteLock& lock) {
  StagedFolder staged(lock.target(), names_in_model);
  const ModelFiles files = model_files(model);
  for (const auto& [name, bytes] : files) staged.write(name, bytes);
  staged.write(kModelManifest, manifest_of(facts_of(model), files));
  staged.commit();
}

LeafModel load_model(const std::filesystem::path& folder) {
  const CheckedFiles checked = read_model_files(folder);
  const Json& manifest = checked.manifest;
  const ModelFiles& files = checked.files;
  const std::filesystem::path config_file = folder / kConfig;
  const LeafConfig config = read_config(files, config_file);
  const LeafConfig requested = read_config(files, folder / kTraining);
  as_format_error(folder / kModelManifest,
                  [&] { check_convention(manifest, config.features.family, folder); });
  Labels labels = as_format_error(folder / kLabels, [&] { return read_labels(files, folder); });
  FeatureTable features = read_features(config, labels, files, folder);
  ModelHistory history = as_format_error(folder / kModelManifest, [&] {
    ModelHistory past = history_in(manifest.at("history"));
    past.written_by = string_of(manifest.at("libraries").at("leafglyph"));
    return past;
  });
  const double threshold = as_format_error(folder / kModelManifest,
                                           [&] { return threshold_in(manifest.at("threshold")); });
  FeaturePipeline pipeline = read_pipeline(config, features.layout, files, folder);
  std::optional<Confidence> confidence = as_format_error(folder / kModelManifest, [&] {
    return read_confidence(manifest, pipeline, labels.of_leaf, features, files, folder);
  });
  NearestClassifier classifier(
      config.classifier, std::move(pipeline), read_index(config.classifier.metric, files, folder),
      std::move(labels.of_leaf), threshold,
      read_class_distance(config.classifier, features.layout, files, folder), std::move(confidence),
      folder.string());
  return {config,
          std::move(labels.class_names),
          std::move(labels.scientific_names),
          std::move(labels.names),
          std::move(features),
          std::move(classifier),
          requested,
          std::move(labels.pictures),
          std::move(history)};
}

}  // namespace leafglyph
