#include "classify/leaf/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
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
constexpr const char* kLimits = "limits.npy";
constexpr const char* kProjection = "projection.npy";
constexpr const char* kSpread = "spread.npy";
constexpr const char* kPrior = "prior.npy";
constexpr const char* kLabels = "labels.json";
constexpr const char* kTraining = "training.yaml";
constexpr const char* kAugmented = "augmented.npy";
constexpr const char* kPictures = "pictures.mjpeg";

template <class T>
std::string matrix_bytes(std::span<const T> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return npy_bytes<T>(values, shape);
}

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
                        {"chinese_names", model.chinese_names},
                        {"leaves", leaves},
                        {"augmented", model.features.augmented.of}});
}

// Rows of columns, one after another.
std::string rows_bytes(std::initializer_list<std::span<const double>> rows, std::size_t columns) {
  std::vector<double> all;
  for (const std::span<const double> row : rows) all.insert(all.end(), row.begin(), row.end());
  return matrix_bytes<double>(all, all.size() / columns);
}

ModelFiles model_files(const LeafModel& model) {
  const PipelineState& state = model.classifier.pipeline().state();
  ModelFiles files;
  files[kConfig] = to_yaml(model.config);
  files[kTraining] = to_yaml(model.requested);
  files[kLabels] = labels_json(model);
  const std::size_t columns = model.features.layout.columns();
  const ColumnScales& scales = state.scales;
  files[kScaling] = rows_bytes({scales.offset, scales.scale}, columns);
  if (state.plda) {
    files[kProjection] = matrix_bytes<double>(state.plda->matrix(), columns);
    files[kSpread] = matrix_bytes<double>(state.plda->spread(), 1);
    files[kLimits] = rows_bytes({scales.limit, state.plda->mean()}, columns);
    // That of the training may also have columns that the model does without, such as colours.
    const std::vector<float> prior =
        matrix_of(select_columns(*model.features.prior, model.features.layout));
    files[kPrior] = matrix_bytes<float>(prior, prior.size() / columns);
  }
  const AugmentedRows& augmented = model.features.augmented;
  if (!augmented.of.empty())
    files[kAugmented] = matrix_bytes<float>(augmented.values, augmented.of.size());
  for (const SmallPicture& picture : model.pictures) files[kPictures] += picture.jpeg;
  return files;
}

MatrixFile matrix_file(std::span<const float> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return {npy_header("<f4", shape),
          {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}

// The files that grow with the leaves: their bytes are not copied.
MatrixFiles matrix_files(const LeafModel& model) {
  const KnnIndex& index = model.classifier.index();
  return {{kFeatures, matrix_file(model.features.values, model.features.rows())},
          {kRows, matrix_file(index.rows(), index.size())}};
}

Json facts_of(const LeafModel& model) {
  const double threshold = model.classifier.threshold();
  Json libraries = Json::object();
  for (const auto& [name, version] : versions()) libraries[name] = version;
  Json facts = {{"libraries", libraries},
                {"convention", convention_name(model.config.features.family)},
                {"threshold", std::isinf(threshold) ? Json() : Json(threshold)},
                {"history", history_json(model.history)}};
  if (const auto& calibration = model.classifier.calibration()) {
    facts["calibration"] = {{"slope", calibration->slope()}, {"offset", calibration->offset()}};
  }
  if (model.features.prior) {
    const ScatterPrior& scatter = model.features.prior->scatter;
    facts["prior"] = {{"species", scatter.species()}, {"mean_noise", scatter.mean_noise}};
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

// null: every leaf is identified.
double threshold_in(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0.0) {
    throw UsageError("threshold " + value.dump() + " is not an outlier score");
  }
  return value.get<double>();
}

// `count` rows of columns in a file.
std::vector<std::vector<double>> rows_in(const ModelFiles& files, const std::filesystem::path& file,
                                         std::size_t columns, std::size_t count) {
  const NpyArray<double> matrix = matrix_in<double>(files, file);
  if (matrix.shape[1] != columns || matrix.shape[0] != count) {
    throw FormatError(file.string() +
                      ": does not have the rows and columns of the model; train again");
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t r = 0; r < matrix.shape[0]; ++r) {
    const auto row = std::span(matrix.values).subspan(r * columns, columns);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

FeaturePipeline read_pipeline(const LeafConfig& config, const FeatureLayout& layout,
                              const ModelFiles& files, const std::filesystem::path& folder) {
  const std::size_t columns = layout.columns();
  const PipelineSpec& spec = config.classifier.pipeline;
  auto scaling = rows_in(files, folder / kScaling, columns, 2);
  PipelineState state;
  state.scales.offset = std::move(scaling[0]);
  state.scales.scale = std::move(scaling[1]);
  state.scales.limit.assign(columns, std::numeric_limits<double>::infinity());
  if (spec.projection == Projection::kPlda) {
    auto limits = rows_in(files, folder / kLimits, columns, 2);
    NpyArray<double> spread = matrix_in<double>(files, folder / kSpread);
    state.scales.limit = std::move(limits[0]);
    state.plda.emplace(std::move(limits[1]), matrix_in<double>(files, folder / kProjection).values,
                       std::move(spread.values), folder.string());
  }
  return FeaturePipeline(layout, spec, std::move(state), folder.string());
}

std::shared_ptr<const RowPrior> read_prior(const Json& facts, const LeafConfig& config,
                                           const FeatureLayout& layout, const ModelFiles& files,
                                           const std::filesystem::path& folder) {
  const NpyArray<float> matrix = matrix_in<float>(files, folder / kPrior);
  return std::make_shared<RowPrior>(
      prior_of_matrix(matrix.values, layout, config.classifier.pipeline.log_floor,
                      integer_at<std::size_t>(facts, "species"),
                      facts.at("mean_noise").get<double>(), (folder / kPrior).string()));
}

std::optional<OpenSetCalibration> calibration_in(const Json& manifest) {
  if (!manifest.contains("calibration")) return std::nullopt;
  const Json& json = manifest.at("calibration");
  const auto slope = json.at("slope").get<double>(), offset = json.at("offset").get<double>();
  if (!is_model_value(slope) || !is_model_value(offset)) {
    throw UsageError("the calibration is not finite");
  }
  return OpenSetCalibration(slope, offset);
}

LeafConfig read_config(const ModelFiles& files, const std::filesystem::path& file) {
  return as_format_error(file,
                         [&] { return parse_leaf_config(model_file(files, file), file.string()); });
}

/// The contents of labels.json, with the pictures by leaf number.
struct Labels {
  std::vector<std::string> class_names, scientific_names, chinese_names;
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
  labels.chinese_names.resize(labels.class_names.size());  // older models have none
  if (json.contains("chinese_names")) labels.chinese_names = strings_of(json.at("chinese_names"));
  if (labels.scientific_names.size() != labels.class_names.size() ||
      labels.chinese_names.size() != labels.class_names.size()) {
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

void check_can_save_model(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_model);
}

void save_model(const LeafModel& model, const WriteLock& lock) {
  StagedFolder staged(lock.target(), names_in_model);
  const ModelFiles files = model_files(model);
  const MatrixFiles matrices = matrix_files(model);
  for (const auto& [name, bytes] : files) staged.write(name, bytes);
  for (const auto& [name, matrix] : matrices) staged.write(name, {matrix.header, matrix.values});
  staged.write(kModelManifest, manifest_of(facts_of(model), files, matrices));
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
    ModelHistory past = history_in(manifest.at("history"), labels.class_names.size());
    past.written_by = string_of(manifest.at("libraries").at("leafglyph"));
    return past;
  });
  const double threshold = as_format_error(folder / kModelManifest,
                                           [&] { return threshold_in(manifest.at("threshold")); });
  FeaturePipeline pipeline = read_pipeline(config, features.layout, files, folder);
  if (pipeline.state().plda) {
    features.prior = as_format_error(folder / kModelManifest, [&] {
      return read_prior(manifest.at("prior"), config, features.layout, files, folder);
    });
  }
  const auto calibration =
      as_format_error(folder / kModelManifest, [&] { return calibration_in(manifest); });
  NearestClassifier classifier(config.classifier, std::move(pipeline),
                               read_index(config.classifier.metric, files, folder),
                               std::move(labels.of_leaf), threshold, calibration, folder.string());
  return {config,
          std::move(labels.class_names),
          std::move(labels.scientific_names),
          std::move(labels.chinese_names),
          std::move(labels.names),
          std::move(features),
          std::move(classifier),
          requested,
          std::move(labels.pictures),
          std::move(history)};
}

}  // namespace leafglyph
