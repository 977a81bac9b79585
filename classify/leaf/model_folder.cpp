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

#include "classify/leaf/stored_leaves.h"
#include "classify/support/versions.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/npy.h"
#include "features/record/json_text.h"
#include "features/record/sealed_json.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

constexpr const char* kConfig = "config.yaml";
constexpr const char* kFeatures = "features.npy";
constexpr const char* kScaling = "scaling.npy";
constexpr const char* kRows = "rows.npy";
constexpr const char* kLimits = "limits.npy";
constexpr const char* kProjection = "projection.npy";
constexpr const char* kSpreadFile = "spread.npy";
constexpr const char* kPrior = "prior.npy";
constexpr const char* kMeans = "means.npy";
constexpr const char* kLabels = "labels.json";
constexpr const char* kClasses = "classes.npy";
constexpr const char* kLeaves = "leaves.npy";
constexpr const char* kNames = "names.txt";
constexpr const char* kTraining = "training.yaml";
constexpr const char* kAugmented = "augmented.npy";
constexpr const char* kPictures = "pictures.mjpeg";
constexpr const char* kCheck = "check.json";

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

RecordFiles model_files(const LeafModel& model) {
  const PipelineState& state = model.classifier.pipeline().state();
  RecordFiles files;
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
    files[kSpreadFile] = matrix_bytes<double>(state.plda->spread(), 1);
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
  if (model.check) files[kCheck] = {check_json(model.check()), {}};
  return files;
}

Json facts_of(const LeafModel& model) {
  const double threshold = model.classifier.threshold();
  auto libraries = Json::object();
  for (const auto& [name, version] : versions()) libraries[name] = version;
  Json facts = {{"libraries", libraries},
                {"convention", convention_name(model.config.features.family)},
                {"threshold", std::isinf(threshold) ? Json() : Json(threshold)},
                {"history", history_json(model.history)}};
  if (const auto& calibration = model.classifier.calibration()) {
    const WordLimits& limits = model.classifier.limits();
    facts["calibration"] = {{"slope", calibration->slope()},
                            {"offset", calibration->offset()},
                            {"sure_from", limits.sure},
                            {"likely_from", limits.likely}};
  }
  if (model.features.log_area()) facts["log_area"] = *model.features.log_area();
  if (const auto& prior = model.features.table().prior) {
    const ScatterPrior& scatter = prior->scatter;
    facts["prior"] = {{"species", scatter.species()}, {"mean_noise", scatter.mean_noise}};
  }
  return facts;
}

void check_convention(const Record& record, Family family) {
  const std::string_view convention = convention_name(family);
  if (record.facts.at("convention").get<std::string>() == convention) return;
  throw record.damaged("its moments follow a different convention from '" +
                       std::string(convention) + "'");
}

bool is_model_value(double value) { return std::abs(value) <= kMaxModelValue; }

// Digests show that a file is as it was written, not that its contents make sense.
template <class T>
void check_values(std::span<const T> values, std::size_t columns,
                  const std::filesystem::path& file) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_model_value(static_cast<double>(values[i]))) continue;
    throw FormatError(fmt::format("{}: holds {} in row {}, column {}; {}", file.string(), values[i],
                                  i / columns, i % columns, kModel.remedy));
  }
}

template <class T>
NpyArray<T> matrix_in(const Record& record, const char* name) {
  const std::filesystem::path file = record.folder / name;
  NpyArray<T> array = parse_npy<T>(record.file(name), file);
  if (array.shape.size() != 2) throw record.damaged(name, "is not a matrix");
  if (array.values.empty()) {
    throw record.damaged(name,
                         fmt::format("is a matrix of {} x {}", array.shape[0], array.shape[1]));
  }
  check_values<T>(array.values, array.shape[1], file);
  return array;
}

// A large file with as many rows as there are leaves or copies.
template <class T>
CheckedRows<T> large_rows(const Record& record, const char* name, std::size_t count,
                          std::size_t columns) {
  CheckedRows<T> rows(record.large_file(name));
  if (rows.count() == count && rows.columns() == columns) return rows;
  throw rows.file().damaged(fmt::format("has {} rows of {} columns, not {} of {}", rows.count(),
                                        rows.columns(), count, columns));
}

NearestClassifier::Rows read_rows(const ClassifierSpec& spec, std::size_t dimension,
                                  const std::vector<int>& labels, const Record& record) {
  std::vector<bool> present(static_cast<std::size_t>(std::ranges::max(labels)) + 1);
  for (const int label : labels) present[static_cast<std::size_t>(label)] = true;
  const auto classes = static_cast<std::size_t>(std::ranges::count(present, true));
  if (NearestClassifier::is_probed(spec, classes)) {
    return [rows = large_rows<Half>(record, kRows, labels.size(), dimension)](
               std::size_t first, std::size_t count, std::vector<Half>& copy) {
      copy = rows.rows(first, count);
      return std::span<const Half>(copy);
    };
  }
  const auto rows = large_rows<float>(record, kRows, labels.size(), dimension);
  try {
    return KnnIndex::of_rows(spec.metric, dimension, rows.rows());
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    throw record.damaged(kRows, error.what());
  }
}

// null: every leaf is identified.
double threshold_in(const Facts& value) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0.0) {
    throw UsageError("threshold " + value.dump() + " is not an outlier score");
  }
  return value.get<double>();
}

// `count` rows of columns in a file.
std::vector<std::vector<double>> rows_in(const Record& record, const char* name,
                                         std::size_t columns, std::size_t count) {
  const NpyArray<double> matrix = matrix_in<double>(record, name);
  if (matrix.shape[1] != columns || matrix.shape[0] != count) {
    throw record.damaged(name, "does not have the rows and columns of the model");
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t r = 0; r < matrix.shape[0]; ++r) {
    const auto row = std::span(matrix.values).subspan(r * columns, columns);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

FeaturePipeline read_pipeline(const LeafConfig& config, const FeatureLayout& layout,
                              const Record& record) {
  const std::size_t columns = layout.columns();
  const PipelineSpec& spec = config.classifier.pipeline;
  auto scaling = rows_in(record, kScaling, columns, 2);
  PipelineState state;
  state.scales.offset = std::move(scaling[0]);
  state.scales.scale = std::move(scaling[1]);
  state.scales.limit.assign(columns, std::numeric_limits<double>::infinity());
  if (spec.projection == Projection::kPlda) {
    auto limits = rows_in(record, kLimits, columns, 2);
    NpyArray<double> spread = matrix_in<double>(record, kSpreadFile);
    state.scales.limit = std::move(limits[0]);
    state.plda.emplace(std::move(limits[1]), matrix_in<double>(record, kProjection).values,
                       std::move(spread.values), record.folder.string());
  }
  return FeaturePipeline(layout, spec, std::move(state), record.folder.string());
}

std::shared_ptr<const RowPrior> read_prior(const LeafConfig& config, const FeatureLayout& layout,
                                           const Record& record) {
  const Facts& facts = record.facts.at("prior");
  const NpyArray<float> matrix = matrix_in<float>(record, kPrior);
  return std::make_shared<RowPrior>(
      prior_of_matrix(matrix.values, layout, config.classifier.pipeline.log_floor,
                      integer_at<std::size_t>(facts, "species"),
                      facts.at("mean_noise").get<double>(), (record.folder / kPrior).string()));
}

std::optional<OpenSetCalibration> calibration_in(const Facts& facts) {
  if (!facts.contains("calibration")) return std::nullopt;
  const Facts& json = facts.at("calibration");
  const auto slope = json.at("slope").get<double>(), offset = json.at("offset").get<double>();
  if (!is_model_value(slope) || !is_model_value(offset)) {
    throw UsageError("the calibration is not finite");
  }
  return OpenSetCalibration(slope, offset);
}

// Models of 0.2.0 have the usual ones.
WordLimits limits_in(const Facts& facts) {
  WordLimits limits;
  if (!facts.contains("calibration") || !facts.at("calibration").contains("sure_from")) {
    return limits;
  }
  const Facts& json = facts.at("calibration");
  limits = {json.at("sure_from").get<double>(), json.at("likely_from").get<double>()};
  if (!is_model_value(limits.sure) || !is_model_value(limits.likely)) {
    throw UsageError("the limits of words are not finite");
  }
  return limits;
}

LeafConfig read_config(const Record& record, const char* name) {
  LeafConfig config = record.checked(
      name, [&] { return parse_leaf_config(record.file(name), (record.folder / name).string()); });
  const auto folder_of = [](const std::filesystem::path& file) {
    return std::filesystem::absolute(file).lexically_normal().parent_path();
  };
  if (config.features.network.is_used() &&
      folder_of(config.features.network.file) == folder_of(record.folder / name)) {
    throw record.damaged(name, "names a network in the model's own folder, which may be anyone's");
  }
  return config;
}

/// The contents of labels.json, and the class of each leaf.
struct Labels {
  std::vector<std::string> class_names, scientific_names, chinese_names;
  std::vector<int> of_leaf;
  std::vector<std::size_t> augmented;  // of which leaves there are augmented copies
};

Labels read_labels(const Record& record) {
  const Json json = Json::parse(record.file(kLabels));
  Labels labels;
  labels.class_names = strings_of(json.at("classes"));
  labels.scientific_names = strings_of(json.at("scientific_names"));
  labels.chinese_names = strings_of(json.at("chinese_names"));
  if (labels.scientific_names.size() != labels.class_names.size() ||
      labels.chinese_names.size() != labels.class_names.size()) {
    throw UsageError("a class has no name");
  }
  labels.of_leaf = parse_npy<std::int32_t>(record.file(kClasses), record.folder / kClasses).values;
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
                           std::shared_ptr<const RowPrior> prior, const Record& record) {
  const auto log_area = record.checked(kModel.facts, [&]() -> std::optional<double> {
    if (!record.facts.contains("log_area")) return std::nullopt;
    const auto area = record.facts.at("log_area").get<double>();
    if (!is_model_value(area)) throw UsageError("the area of leaves is not finite");
    return area;
  });
  if (!record.large.contains(kFeatures)) {
    return TrainingRows::withheld(layout, log_area, std::move(prior));
  }
  const std::size_t columns = layout.columns();
  std::vector<CheckedRows<float>> rows = {
      large_rows<float>(record, kFeatures, labels.of_leaf.size(), columns)};
  if (!labels.augmented.empty()) {
    rows.push_back(large_rows<float>(record, kAugmented, labels.augmented.size(), columns));
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

std::function<LeafCheck()> read_check(const Record& record, const ModelHistory& history,
                                      std::size_t leaves) {
  if (!record.large.contains(kCheck)) return nullptr;
  if (!history.accuracy || history.classes.empty()) {
    throw record.damaged(kCheck, "has no figures of the folds in " + std::string(kModel.facts));
  }
  return [record = Record{record.kind, record.folder, {}, {}, record.large},
          classes = history.classes.size(), leaves] {
    const CheckedFile& file = *record.large_file(kCheck);
    return record.checked(kCheck,
                          [&] { return check_in(file.read(0, file.size()), leaves, classes); });
  };
}

}  // namespace

std::vector<std::string> names_in_model(const std::filesystem::path& folder) {
  return names_in_record(folder, kModel);
}

void check_can_save_model(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_model);
}

std::uint64_t save_model(const LeafModel& model, const WriteLock& lock) {
  StagedFolder staged(lock.target(), names_in_model);
  const LeafTexts texts = leaf_texts(model.sample_names, model.pictures);
  std::vector<Half> rows;
  RecordParts parts{model_files(model), large_files(model, texts, rows)};
  std::uint64_t written = 0;
  checked_use(model.features.table().lying.files,
              [&] { written = write_record(staged, kModel, facts_of(model), std::move(parts)); });
  staged.commit();
  return written;
}

void add_renamed(const WriteLock& lock, const RenamedModel& renamed) {
  Record record = read_record(lock.target(), kModel);
  Facts entry = {{"date", renamed.date}, {"from", renamed.from}, {"to", renamed.to}};
  escape_strings(entry);
  record.checked(kModel.facts,
                 [&] { record.facts.at("history")["renamed"].push_back(std::move(entry)); });
  write_file(lock.target() / kModel.facts, sealed_text(std::move(record.facts)));
}

LeafModel load_model(const std::filesystem::path& folder) {
  const Record record = read_record(folder, kModel);
  const Facts& facts = record.facts;
  const LeafConfig config = read_config(record, kConfig);
  const LeafConfig requested = read_config(record, kTraining);
  Labels labels = record.checked(kLabels, [&] { return read_labels(record); });
  const FeatureLayout layout = feature_layout(config.features, config.features.order);
  FeaturePipeline pipeline = read_pipeline(config, layout, record);
  std::shared_ptr<const RowPrior> prior;
  std::vector<double> means;
  ModelHistory history;
  double threshold = 0;
  std::optional<OpenSetCalibration> calibration;
  WordLimits limits;
  record.checked(kModel.facts, [&] {
    check_convention(record, config.features.family);
    history = history_in(facts.at("history"), labels.class_names.size());
    history.written_by = string_of(facts.at("libraries").at("leafglyph"));
    threshold = threshold_in(facts.at("threshold"));
    calibration = calibration_in(facts);
    limits = limits_in(facts);
    if (pipeline.state().plda) prior = read_prior(config, layout, record);
  });
  if (prior) means = matrix_in<double>(record, kMeans).values;
  TrainingRows features = read_features(layout, labels, std::move(prior), record);
  const auto leaves = std::make_shared<const StoredLeaves>(
      record.large_file(kLeaves), record.large_file(kNames), record.large_file(kPictures));
  if (leaves->size() != labels.of_leaf.size()) {
    throw record.damaged(kLeaves, "does not have the leaves of the model");
  }
  std::function<LeafCheck()> check = read_check(record, history, leaves->size());
  NearestClassifier::Rows rows =
      read_rows(config.classifier, pipeline.dimension(), labels.of_leaf, record);
  NearestClassifier classifier(config.classifier, std::move(pipeline), std::move(rows),
                               std::move(labels.of_leaf), threshold, calibration, limits,
                               std::move(means), folder.string());
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
          std::move(check),
          record.bytes};
}

}  // namespace leafglyph
