// Leaves: feature rows of photographs, and their species by a saved model.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_features.h"
#include "classify/leaf/model_folder.h"
#include "classify/leaf/unknown_share.h"
#include "classify/rows/leaf_rows.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/given_pictures.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

namespace fs = std::filesystem;

/// What is said of the files of photographs.
struct FileFacts {
  double source_aspect = 0;
  int bits = 0;

  FileFacts(double aspect, int bits_of_values) : source_aspect(aspect), bits(bits_of_values) {
    if (bits < 0 || bits > kMaxSampleBits) {
      throw UsageError("bits = " + std::to_string(bits) + "; use 0 to " +
                       std::to_string(kMaxSampleBits));
    }
  }
};

// Prepares photographs and computes their features as a configuration says.
class Extractor {
 public:
  Extractor(LeafConfig config, const std::string& device)
      : config_(without_choice(std::move(config))),
        device_(device),
        rows_(leaf_rows(config_, config_.features.order)),
        makers_(rows_, plan_options(device)) {}

  const LeafConfig& config() const { return config_; }
  const std::string& device() const { return device_; }
  const FeatureLayout& layout() const { return rows_->layout(); }

  /// The result for each photograph, in order.
  std::vector<MadeRows<float>> rows(const GivenPictures& given, const FileFacts& facts) {
    PrepareSpec spec = preparation_for(config_, facts.source_aspect);
    spec.bits = facts.bits;
    const Source source = rows_->completed(
        leaf_source({given.all.size(), [&](std::size_t i) { return given.names[i]; },
                     [&](std::size_t i, MemoryReservation& memory, FileDigest&, StageLoad&) {
                       if (const auto* file = std::get_if<fs::path>(&given.all[i])) {
                         return read_photograph(*file, request_of(spec, memory));
                       }
                       return Photograph{std::get<Image<std::uint8_t>>(given.all[i])};
                     }},
                    spec));
    std::vector<MadeRows<float>> rows;
    const std::lock_guard lock(mutex_);
    run_row_pipeline<float>(source, makers_, {},
                            [&](MadeRows<float> made) { rows.push_back(std::move(made)); });
    return rows;
  }

 private:
  LeafConfig config_;
  std::string device_;
  std::shared_ptr<const LeafRows> rows_;
  MakerPool<float> makers_;
  std::mutex mutex_;
};

py::array_t<float> feature_array(Extractor& extractor, const py::iterable& items,
                                 double source_aspect, int bits) {
  const FileFacts facts(source_aspect, bits);
  const GivenPictures photographs = given_pictures(items, "photograph");
  const std::vector<MadeRows<float>> rows =
      without_gil([&] { return extractor.rows(photographs, facts); });
  py::array_t<float> result({rows.size(), extractor.layout().columns()});
  float* out = result.mutable_data();
  for (const MadeRows<float>& row : rows) {
    if (!row.error.empty()) throw InputError(row.error);
    out = std::copy(row.values.begin(), row.values.end(), out);
  }
  return result;
}

// A prediction as Python sees it. Names are those of the stubs.
struct LeafPrediction {
  std::optional<std::string> species;
  std::optional<std::string> scientific_name;
  bool known = false;
  std::optional<double> probability;
  std::optional<std::string> word;
  std::vector<std::pair<std::string, double>> ranking;
  std::vector<std::pair<std::string, double>> neighbours;
  double outlier_score = 0.0;
  std::vector<std::string> warnings;
  std::optional<std::string> error;
  std::optional<std::array<int, 4>> box;
};

class Model {
 public:
  Model(const fs::path& folder, const std::string& device)
      : folder_(fs::absolute(folder)),
        device_(device),
        model_(load_model(folder)),
        extractor_(model_.config, device) {}

  const fs::path& folder() const { return folder_; }
  const std::string& device() const { return device_; }
  const LeafModel& model() const { return model_; }
  Extractor& extractor() { return extractor_; }

  std::vector<LeafPrediction> classify(const GivenPictures& photographs, std::size_t top,
                                       const FileFacts& facts) {
    return predictions(classify_rows(model_, extractor_.rows(photographs, facts), top));
  }

  std::vector<std::vector<LeafPrediction>> classify_every_leaf(
      const std::vector<std::string>& files, std::size_t top, const FileFacts& facts) {
    std::vector<std::vector<LeafPrediction>> result;
    LeafRun run{plan_options(device_)};
    run.bits = facts.bits;
    const std::optional<double> aspect =
        facts.source_aspect == 0 ? std::nullopt : std::optional(facts.source_aspect);
    leafglyph::classify_every_leaf(model_, files, top, run, aspect, [&](LeafSheet sheet) {
      result.push_back(predictions(std::move(sheet.leaves)));
    });
    return result;
  }

 private:
  std::vector<LeafPrediction> predictions(std::vector<ClassifiedLeaf> leaves) const {
    std::vector<LeafPrediction> result;
    for (ClassifiedLeaf& leaf : leaves) {
      LeafPrediction& prediction = result.emplace_back();
      prediction.warnings = std::move(leaf.warnings);
      if (leaf.number > 0) {
        prediction.box = {leaf.box.left, leaf.box.top, leaf.box.width, leaf.box.height};
      }
      if (leaf.prediction) {
        fill(*leaf.prediction, prediction);
      } else {
        prediction.error = std::move(leaf.error);
      }
    }
    return result;
  }

  void fill(const Prediction& prediction, LeafPrediction& result) const {
    for (const RankedClass& ranked : prediction.ranking) {
      const auto label = static_cast<std::size_t>(ranked.label);
      result.ranking.emplace_back(model_.class_names[label], ranked.score);
    }
    for (const Neighbour& neighbour : prediction.neighbours) {
      const auto row = static_cast<std::size_t>(neighbour.row);
      result.neighbours.emplace_back(model_.sample_names[row], neighbour.distance);
    }
    result.known = prediction.decision.known();
    result.outlier_score = prediction.outlier_score;
    result.probability = prediction.probability;
    if (const auto word = prediction.decision.word()) result.word = name_of(*word);
    if (!result.known) return;
    result.species = result.ranking.front().first;
    const auto first = static_cast<std::size_t>(prediction.ranking.front().label);
    if (!model_.scientific_names[first].empty()) {
      result.scientific_name = model_.scientific_names[first];
    }
  }

  fs::path folder_;
  std::string device_;
  LeafModel model_;
  Extractor extractor_;
};

}  // namespace
template <>
inline constexpr bool kIsBound<Extractor> = true;
template <>
inline constexpr bool kIsBound<LeafPrediction> = true;
template <>
inline constexpr bool kIsBound<Model> = true;
namespace {

std::vector<LeafPrediction> classify(Model& model, const py::iterable& items, int top,
                                     double source_aspect, int bits) {
  if (top < 1) throw UsageError("top = " + std::to_string(top) + "; ask for 1 class or more");
  const FileFacts facts(source_aspect, bits);
  const GivenPictures photographs = given_pictures(items, "photograph");
  if (photographs.all.empty()) return {};
  return without_gil(
      [&] { return model.classify(photographs, static_cast<std::size_t>(top), facts); });
}

std::vector<std::vector<LeafPrediction>> classify_every_leaf(
    Model& model, const std::vector<fs::path>& photographs, int top, double source_aspect,
    int bits) {
  if (top < 1) throw UsageError("top = " + std::to_string(top) + "; ask for 1 class or more");
  const FileFacts facts(source_aspect, bits);
  const std::vector<std::string> files(photographs.begin(), photographs.end());
  return without_gil(
      [&] { return model.classify_every_leaf(files, static_cast<std::size_t>(top), facts); });
}

constexpr const char* kExtractorDoc =
    R"(Computes feature rows of leaf photographs by a configuration.

config: a YAML file such as configs/leaf.yaml; its data is ignored. settings: what takes its place, such
    as ["features.order=20"] (`leafglyph config describe` lists the keys). device: as for MomentPlan.
Raises InputError if the file cannot be read, UsageError for an unknown key or a value out of range.)";

constexpr const char* kFeaturesDoc = R"(Feature rows.

photographs: a list of paths and uint8 arrays (rows, columns) of grey values, 0 black, 255 white; each
    with one whole leaf on an even background. source_aspect: width / height of photographs whose
    files were squeezed, such as to squares; 0: not squeezed. bits: of the values of files of more than
    8, such as 12: 4095 is white; 0: as the files say.
Returns float32 (photographs, columns).
Raises InputError naming the first photograph without a leaf, KeyboardInterrupt on Ctrl-C.)";

constexpr const char* kModelDoc = R"(A leaf classifier that `leafglyph leaf train` saved.

folder: the model's folder. device: as for MomentPlan.
Raises InputError if it does not exist, FormatError if it is damaged or has another version.)";

constexpr const char* kClassifyDoc =
    R"(Identifies leaves; returns one LeafPrediction per photograph, in order.

photographs, source_aspect, bits: as for features(). top: the least number of classes in each ranking.
A photograph without a leaf is not an exception: its prediction has an error.)";

constexpr const char* kEveryLeafDoc = R"(Identifies every leaf of photographs that may have several.

photographs: a list of paths. top, source_aspect, bits: as for classify().
Returns a list of LeafPrediction for each photograph, its leaves from the top; where there are
several, box is set. Labels, rulers and stems are left out.)";

constexpr const char* kPredictionDoc = R"(The result for one leaf.

species: the most likely class; None if it is unknown or there is an error. scientific_name: its
    scientific name; None where the training data has none.
known: whether the model knows the species. probability: that the first class of the ranking is correct;
    None of a model without probabilities. word: sure, likely, doubtful or unknown, as the command
    says; None without a probability. outlier_score: the probability that it does not (of a model
    without plda, the mean distance to the nearest training leaves).
ranking: (class, score), best first; score is its probability (without plda, its share of the vote).
neighbours: (training leaf, distance), nearest first.
warnings: one line each. error: one line; None if there is a prediction.
box: (left, top, width, height) in pixels, of one leaf of several in a photograph; otherwise None.)";

void bind_prediction(py::module_& module) {
  py::class_<LeafPrediction>(module, "LeafPrediction", kPredictionDoc)
      .def_readonly("species", &LeafPrediction::species)
      .def_readonly("scientific_name", &LeafPrediction::scientific_name)
      .def_readonly("known", &LeafPrediction::known)
      .def_readonly("probability", &LeafPrediction::probability)
      .def_readonly("word", &LeafPrediction::word)
      .def_readonly("ranking", &LeafPrediction::ranking)
      .def_readonly("neighbours", &LeafPrediction::neighbours)
      .def_readonly("outlier_score", &LeafPrediction::outlier_score)
      .def_readonly("warnings", &LeafPrediction::warnings)
      .def_readonly("error", &LeafPrediction::error)
      .def_property_readonly("box",
                             [](const LeafPrediction& prediction) -> py::object {
                               if (!prediction.box) return py::none();
                               return py::tuple(py::cast(*prediction.box));
                             })
      .def(pickled_by(&LeafPrediction::species, &LeafPrediction::scientific_name,
                      &LeafPrediction::known, &LeafPrediction::probability, &LeafPrediction::word,
                      &LeafPrediction::ranking, &LeafPrediction::neighbours,
                      &LeafPrediction::outlier_score, &LeafPrediction::warnings,
                      &LeafPrediction::error, &LeafPrediction::box))
      .def("__repr__", [](const LeafPrediction& prediction) {
        return "<leafglyph.LeafPrediction: " +
               prediction.error.value_or(prediction.species.value_or("unknown")) + ">";
      });
}

}  // namespace

void bind_leaf(py::module_& module) {
  using namespace pybind11::literals;
  bind_prediction(module);
  py::class_<Extractor>(module, "LeafFeatures", kExtractorDoc)
      .def(py::init([](const fs::path& config,
                       const std::optional<std::vector<std::string>>& settings,
                       const std::string& device) {
             return std::make_unique<Extractor>(
                 load_leaf_config(config, settings.value_or(std::vector<std::string>())), device);
           }),
           "config"_a, py::kw_only(), "settings"_a = py::none(), "device"_a = "auto")
      .def(py::pickle(
          [](const Extractor& self) {
            return py::make_tuple(to_yaml(self.config()), self.config().name, self.device());
          },
          [](const py::tuple& state) {
            return std::make_unique<Extractor>(
                parse_leaf_config(state[0].cast<std::string>(), state[1].cast<std::string>()),
                state[2].cast<std::string>());
          }))
      .def("features", &feature_array, "photographs"_a, py::kw_only(), "source_aspect"_a = 0.0,
           "bits"_a = 0, kFeaturesDoc)
      .def_property_readonly(
          "columns", [](const Extractor& self) { return column_names(self.layout()); },
          "Names of the columns, such as \"inverted_Z_4_2\".");
  py::class_<Model>(module, "LeafModel", kModelDoc)
      .def(py::init<const fs::path&, const std::string&>(), "folder"_a, py::kw_only(),
           "device"_a = "auto")
      .def(py::pickle(
          [](const Model& self) { return py::make_tuple(self.folder(), self.device()); },
          [](const py::tuple& state) {
            return std::make_unique<Model>(state[0].cast<fs::path>(), state[1].cast<std::string>());
          }))
      .def(
          "features",
          [](Model& self, const py::iterable& photographs, double source_aspect, int bits) {
            return feature_array(self.extractor(), photographs, source_aspect, bits);
          },
          "photographs"_a, py::kw_only(), "source_aspect"_a = 0.0, "bits"_a = 0, kFeaturesDoc)
      .def("classify", &classify, "photographs"_a, "top"_a = 3, py::kw_only(),
           "source_aspect"_a = 0.0, "bits"_a = 0, kClassifyDoc)
      .def("classify_every_leaf", &classify_every_leaf, "photographs"_a, "top"_a = 3, py::kw_only(),
           "source_aspect"_a = 0.0, "bits"_a = 0, kEveryLeafDoc)
      .def_property_readonly(
          "class_names", [](const Model& self) { return self.model().class_names; },
          "Names of the classes.")
      .def_property_readonly(
          "unknown_species",
          [](const Model& self) {
            const LeafModel& model = self.model();
            return in_words(model.history.unknown, model.class_names.size(),
                            !std::isinf(model.classifier.threshold()));
          },
          "What share of leaves of other species the model calls unknown, in a sentence.")
      .def_property_readonly(
          "columns", [](Model& self) { return column_names(self.extractor().layout()); },
          "Names of the columns of features().");
}

}  // namespace leafglyph::python
