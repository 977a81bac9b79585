#include "classify/leaf/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "classify/leaf/model_manifest.h"
#include "classify/leaf/stored_leaves.h"
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
constexpr const char* kMeans = "means.npy";
constexpr const char* kLabels = "labels.json";
constexpr const char* kClasses = "classes.npy";
constexpr const char* kLeaves = "leaves.npy";
constexpr const char* kNames = "names.txt";
constexpr const char* kTraining = "training.yaml";
constexpr const char* kAugmented = "augmented.npy";
constexpr const char* kPictures = "pictures.mjpeg";

template <class T>
std::string matrix_bytes(std::span<const T> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return npy_bytes<T>(values, shape);
}

std::string labels_json(const LeafModel& model) {
  return json_text(Json{{"classes", model.class_names},
                        {"scientific_names", model.scientific_names},
                        {"chinese_names", model.chinese_names},
                        {"augmented", model.features.table().augmented.of}});
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
  const std::span<const int> labels = model.classifier.labels();
  files[kClasses] = matrix_bytes<std::int32_t>(labels, labels.size());
  const std::size_t columns = model.features.layout().columns();
  const ColumnScales& scales = state.scales;
  files[kScaling] = rows_bytes({scales.offset, scales.scale}, columns);
  if (state.plda) {
    files[kProjection] = matrix_bytes<double>(state.plda->matrix(), columns);
    files[kSpread] = matrix_bytes<double>(state.plda->spread(), 1);
    const ClassLikelihood& likelihood = *model.classifier.likelihood();
    files[kMeans] = matrix_bytes<double>(likelihood.means(), likelihood.labels().size());
    files[kLimits] = rows_bytes({scales.limit, state.plda->mean()}, columns);
    // That of the training may also have columns that the model does without, such as colours.
    const std::vector<float> prior =
        matrix_of(select_columns(*model.features.table().prior, model.features.layout()));
    files[kPrior] = matrix_bytes<float>(prior, prior.size() / columns);
  }
  return files;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

template <class T>
LargeFile large_matrix(std::string_view type, std::span<const T> values, std::size_t rows) {
  const std::size_t shape[] = {rows, values.size() / rows};
  return {npy_header(type, shape), {bytes_of(values)}};
}

// Rows that follow one another are one piece.
LargeFile large_table(const FeatureTable& table) {
  if (table.lying.rows.empty()) return large_matrix<float>("<f4", table.values, table.rows());
  const std::size_t columns = table.layout.columns(), shape[] = {table.rows(), columns};
  LargeFile file{npy_header("<f4", shape), {}};
  for (std::size_t i = 0, end = 0; i < table.rows(); i = end) {
    const float* first = table.lying.rows[i];
    for (end = i + 1; end < table.rows(); ++end) {
      if (table.lying.rows[end] != first + (end - i) * columns) break;
    }
    file.rest.push_back(bytes_of(std::span<const float>(first, (end - i) * columns)));
  }
  return file;
}

// The files that grow with the leaves. Their bytes are those of the model, of `texts` and of
// `rows`, to which those are read that are in a file.
LargeFiles large_files(const LeafModel& model, const LeafTexts& texts, std::vector<Half>& rows) {
  const FeatureTable& table = model.features.table();
  const std::size_t leaves = model.sample_names.size();
  LargeFiles files{{kLeaves, large_matrix<std::uint64_t>("<u8", texts.places, leaves)},
                   {kNames, {"", {texts.names}}},
                   {kPictures, {"", {texts.pictures}}}};
  if (!model.features.are_withheld()) files[kFeatures] = large_table(table);
  if (const auto* index = std::get_if<KnnIndex>(&model.classifier.index())) {
    files[kRows] = large_matrix<float>("<f4", index->rows(), leaves);
  } else {
    const auto& probed = std::get<ProbedIndex>(model.classifier.index());
    files[kRows] = large_matrix<Half>("<f2", probed.rows(rows), leaves);
  }
  if (const AugmentedRows& augmented = table.augmented; !augmented.of.empty()) {
    files[kAugmented] = large_matrix<float>("<f4", augmented.values, augmented.of.size());
  }
  return files;
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
  if (model.features.log_area()) facts["log_area"] = *model.features.log_area();
  if (const auto& prior = model.features.table().prior) {
    const ScatterPrior& scatter = prior->scatter;
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
void check_values(std::span<const T> values, std::size_t columns,
                  const std::filesystem::path& file) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_model_value(static_cast<double>(values[i]))) continue;
    throw FormatError(fmt::format("{}: holds {} in row {}, column {}; train the model again",
                                  file.string(), values[i], i / columns, i % columns));
  }
}

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
  check_values<T>(array.values, array.shape[1], file);
  return array;
}

// A large file with as many rows as there are leaves or copies.
template <class T>
CheckedRows<T> large_rows(const CheckedFiles& checked, const std::filesystem::path& file,
                          std::size_t count, std::size_t columns) {
  CheckedRows<T> rows(large_file(checked, file));
  if (rows.count() == count && rows.columns() == columns) return rows;
  throw rows.file().damaged(fmt::format("has {} rows of {} columns, not {} of {}", rows.count(),
                                        rows.columns(), count, columns));
}

NearestClassifier::Rows read_rows(const ClassifierSpec& spec, std::size_t dimension,
                                  const std::vector<int>& labels, const CheckedFiles& checked,
                                  const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kRows;
  std::vector<bool> present(static_cast<std::size_t>(std::ranges::max(labels)) + 1);
  for (const int label : labels) present[static_cast<std::size_t>(label)] = true;
  const auto classes = static_cast<std::size_t>(std::ranges::count(present, true));
  if (NearestClassifier::is_probed(spec, classes)) {
    return [rows = large_rows<Half>(checked, file, labels.size(), dimension)](
               std::size_t first, std::size_t count, std::vector<Half>& copy) {
      copy = rows.rows(first, count);
      return std::span<const Half>(copy);
    };
  }
  const auto rows = large_rows<float>(checked, file, labels.size(), dimension);
  try {
    return KnnIndex::of_rows(spec.metric, dimension, rows.rows());
  } catch (const FormatError&) {
    throw;
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

/// The contents of labels.json, and the class of each leaf.
struct Labels {
  std::vector<std::string> class_names, scientific_names, chinese_names;
  std::vector<int> of_leaf;
  std::vector<std::size_t> augmented;  // of which leaves there are augmented copies
};

Labels read_labels(const ModelFiles& files, const std::filesystem::path& folder) {
  const Json json = Json::parse(model_file(files, folder / kLabels));
  Labels labels;
  labels.class_names = strings_of(json.at("classes"));
  labels.scientific_names = strings_of(json.at("scientific_names"));
  labels.chinese_names = strings_of(json.at("chinese_names"));
  if (labels.scientific_names.size() != labels.class_names.size() ||
      labels.chinese_names.size() != labels.class_names.size()) {
    throw UsageError("a class has no name");
  }
  labels.of_leaf =
      parse_npy<std::int32_t>(model_file(files, folder / kClasses), folder / kClasses).values;
  const auto is_class = [&](int label) {
    return label >= 0 && static_cast<std::size_t>(label) < labels.class_names.size();
  };
  if (labels.of_leaf.empty() || !std::ranges::all_of(labels.of_leaf, is_class)) {
    throw UsageError("a leaf is of no class of the model");
  }
  for (std::size_t i = 0; i < json.at("augmented").size(); ++i) {
    const Json& row = json.at("augmented")[i];
    labels.augmented.push_back(static_cast<std::size_t>(number_below(row, labels.of_leaf.size())));
  }
  return labels;
}

// The rows are read when something trains on them.
TrainingRows read_features(const FeatureLayout& layout, const Labels& labels,
                           std::shared_ptr<const RowPrior> prior, const CheckedFiles& checked,
                           const std::filesystem::path& folder) {
  const auto log_area = as_format_error(folder / kModelManifest, [&]() -> std::optional<double> {
    if (!checked.manifest.contains("log_area")) return std::nullopt;
    const auto area = checked.manifest.at("log_area").get<double>();
    if (!is_model_value(area)) throw UsageError("the area of leaves is not finite");
    return area;
  });
  if (!checked.large.contains(kFeatures)) {
    return TrainingRows::withheld(layout, log_area, std::move(prior));
  }
  const std::size_t columns = layout.columns();
  std::vector<CheckedRows<float>> rows = {
      large_rows<float>(checked, folder / kFeatures, labels.of_leaf.size(), columns)};
  if (!labels.augmented.empty()) {
    rows.push_back(
        large_rows<float>(checked, folder / kAugmented, labels.augmented.size(), columns));
  }
  return TrainingRows(
      layout, log_area,
      [layout, rows = std::move(rows), of = labels.augmented, prior = std::move(prior)] {
        FeatureTable table{layout, {}, {{}, of}, prior};
        std::vector<float>* values[] = {&table.values, &table.augmented.values};
        for (std::size_t i = 0; i < rows.size(); ++i) {
          *values[i] = rows[i].rows();
          check_values<float>(*values[i], layout.columns(), rows[i].file().path());
        }
        return table;
      });
}

}  // namespace

void check_can_save_model(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_model);
}

std::uint64_t save_model(const LeafModel& model, const WriteLock& lock) {
  StagedFolder staged(lock.target(), names_in_model);
  const LeafTexts texts = leaf_texts(model.sample_names, model.pictures);
  std::vector<Half> rows;
  const LargeFiles large = large_files(model, texts, rows);
  ModelFiles files = model_files(model);
  std::uint64_t written = 0;
  checked_use(model.features.table().lying.files, [&] {
    add_digests(large, files);
    files[kModelManifest] = manifest_of(facts_of(model), files);
    for (const auto& [name, bytes] : files) {
      staged.write(name, bytes);
      written += bytes.size();
    }
    for (const auto& [name, file] : large) written += write_large(staged, name, file);
  });
  staged.commit();
  return written;
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
  ModelHistory history = as_format_error(folder / kModelManifest, [&] {
    ModelHistory past = history_in(manifest.at("history"), labels.class_names.size());
    past.written_by = string_of(manifest.at("libraries").at("leafglyph"));
    return past;
  });
  const double threshold = as_format_error(folder / kModelManifest,
                                           [&] { return threshold_in(manifest.at("threshold")); });
  const FeatureLayout layout = feature_layout(config.features, config.features.order);
  FeaturePipeline pipeline = read_pipeline(config, layout, files, folder);
  std::shared_ptr<const RowPrior> prior;
  std::vector<double> means;
  if (pipeline.state().plda) {
    prior = as_format_error(folder / kModelManifest, [&] {
      return read_prior(manifest.at("prior"), config, layout, files, folder);
    });
    means = matrix_in<double>(files, folder / kMeans).values;
  }
  const auto calibration =
      as_format_error(folder / kModelManifest, [&] { return calibration_in(manifest); });
  TrainingRows features = read_features(layout, labels, std::move(prior), checked, folder);
  const auto leaves = std::make_shared<const StoredLeaves>(large_file(checked, folder / kLeaves),
                                                           large_file(checked, folder / kNames),
                                                           large_file(checked, folder / kPictures));
  if (leaves->size() != labels.of_leaf.size()) {
    throw FormatError((folder / kLeaves).string() +
                      ": does not have the leaves of the model; "
                      "train the model again");
  }
  NearestClassifier::Rows rows =
      read_rows(config.classifier, pipeline.dimension(), labels.of_leaf, checked, folder);
  NearestClassifier classifier(config.classifier, std::move(pipeline), std::move(rows),
                               std::move(labels.of_leaf), threshold, calibration, std::move(means),
                               folder.string());
  return {config,
          std::move(labels.class_names),
          std::move(labels.scientific_names),
          std::move(labels.chinese_names),
          {leaves->size(), [leaves](std::size_t leaf) { return leaves->name(leaf); }},
          std::move(features),
          std::move(classifier),
          requested,
          {leaves->size(), [leaves](std::size_t leaf) { return leaves->picture(leaf); }},
          std::move(history),
          checked.bytes};
}

}  // namespace leafglyph
