// Trains and evaluates leaf classifiers, as `leafglyph leaf train` and `leaf evaluate` do.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/store_rows.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/write_lock.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {
namespace py = pybind11;
namespace fs = std::filesystem;

// An evaluation as Python sees it. Names are those of the stubs.
struct Evaluation {
  Summary top1;
  Summary top3;
  Summary top5;
  Summary macro;
  std::pair<double, double> interval;
  std::vector<std::string> class_names;
  std::vector<std::int64_t> confusion;  // rows of true classes, columns of predicted ones
  std::vector<double> recall;
  std::vector<double> precision;
  std::optional<double> calibration_error;
  std::string protocol;
  std::string data;
  std::size_t splits = 0;
};

}  // namespace
template <>
inline constexpr bool kIsBound<Summary> = true;
template <>
inline constexpr bool kIsBound<Evaluation> = true;
namespace {

using Paths = std::vector<fs::path>;

// `features` or `sums`: feature stores instead of photographs. `sums` names stores, too.
LeafConfig config_for(const fs::path& config, const std::optional<fs::path>& data,
                      const std::vector<std::string>& settings, double source_aspect,
                      const Paths& features, const Paths& sums = {}) {
  LeafConfig result = load_leaf_config(config, settings);
  const bool of_stores = !features.empty() || !sums.empty();
  if (of_stores && (data || source_aspect != 0)) {
    throw UsageError("give data, with its source_aspect, or features: a store records its own");
  }
  if (of_stores) use_stores(result, features.empty() ? stores_of_sums(sums) : features);
  result.data.sums = sums;
  if (data) use_photographs_of(result, *data);
  if (source_aspect != 0) result.data.source_aspect = source_aspect;
  return result;
}

py::object train(const fs::path& model, const std::optional<fs::path>& data, const fs::path& config,
                 const std::vector<std::string>& settings, double source_aspect,
                 const Paths& features, const Paths& sums, const std::string& device) {
  const LeafConfig used = config_for(config, data, settings, source_aspect, features, sums);
  const LeafRun run{plan_options(device)};
  const TrainedLeaves trained = without_gil([&] {
    const WriteLock lock(model);
    TrainedLeaves made = train_leaves(used, run);
    throw_if_interrupted();
    save_model(made.model, lock);
    return made;
  });
  warn(trained.errors);
  warn(trained.warnings);
  return py::module_::import("leafglyph._leafglyph")
      .attr("LeafModel")(model, py::arg("device") = device);
}

Evaluation figures_of(const LeafEvaluation& evaluation) {
  const EvaluationResult& result = evaluation.result;
  Evaluation figures;
  figures.top1 = result.top1;
  figures.top3 = result.top3;
  figures.top5 = result.top5;
  figures.macro = result.macro;
  figures.interval = {result.interval.low, result.interval.high};
  figures.class_names = result.class_names;
  figures.confusion.assign(result.confusion.begin(), result.confusion.end());
  for (const ClassScore& score : result.classes) {
    figures.recall.push_back(score.recall());
    figures.precision.push_back(score.precision());
  }
  if (!result.reliability.empty()) {
    figures.calibration_error = calibration_error(result.reliability);
  }
  figures.protocol = describe(result.protocol);
  figures.data = evaluation.data_description;
  figures.splits = result.splits.size();
  return figures;
}

Evaluation evaluate(const std::optional<fs::path>& data, const fs::path& config,
                    const std::vector<std::string>& settings, double source_aspect,
                    const Paths& features, const std::string& device) {
  const LeafConfig used = config_for(config, data, settings, source_aspect, features);
  const LeafRun run{plan_options(device)};
  const LeafEvaluation evaluation = without_gil([&] { return evaluate_leaves(used, {}, run); });
  warn(evaluation.errors);
  warn(evaluation.warnings);
  return figures_of(evaluation);
}

void generate_leaves(const fs::path& folder, int species, int leaves, std::uint64_t seed) {
  SyntheticSpec spec;
  spec.species = species;
  spec.leaves_per_species = leaves;
  spec.seed = seed;
  without_gil(
      [&] { write_synthetic_leaves(spec, folder, [](std::size_t) { throw_if_interrupted(); }); });
}

py::array_t<std::int64_t> confusion(const Evaluation& evaluation) {
  const auto classes = static_cast<py::ssize_t>(evaluation.class_names.size());
  return array_of<std::int64_t>({classes, classes}, evaluation.confusion);
}

template <std::vector<double> Evaluation::*kShares>
py::array_t<double> shares(const Evaluation& evaluation) {
  const std::vector<double>& values = evaluation.*kShares;
  return array_of<double>({static_cast<py::ssize_t>(values.size())}, values);
}

constexpr const char* kTrainDoc = R"(Trains a leaf classifier on photographs and saves it.

model: the folder to write; an older model is replaced. data: a folder with one folder of photographs
    per class; None: the configuration's data. config: the name of a configuration (leaf) or a YAML
    file. settings: "key=value" for keys of it, such as "features.order=20". source_aspect: width /
    height of photographs whose files were squeezed. features: feature stores instead of photographs.
    sums: files of leaf_sums() that have each of their rows once. device: as for MomentPlan.
Returns the LeafModel. A photograph that cannot be used is left out, with a Python warning.
Raises what LeafFeatures raises, InputError when too few photographs can be used, KeyboardInterrupt.)";

constexpr const char* kEvaluateDoc =
    R"(Measures the accuracy of a leaf classifier by its configuration's protocol.

Arguments and errors are those of train(), without the model and sums. With data the protocol is
cross-validation. Returns a LeafEvaluation.)";

constexpr const char* kGenerateDoc =
    R"(Draws leaves of invented species to try things with, one folder of PNG files per species.

folder: to write. species, leaves: their number, and the leaves of each. seed: the same seed draws the
    same leaves.
Raises UsageError for numbers out of range, Error if the folder cannot be written.)";

constexpr const char* kFigureDoc =
    R"(A figure of an evaluation: its mean over the splits, and their standard deviation.)";

constexpr const char* kEvaluationDoc = R"(The figures of an evaluation, as shares from 0 to 1.

top1, top3, top5: Figures; the right class is the first, among the first three, five. macro: the mean
    over classes of the share identified correctly. interval: the 95 % confidence interval of top1.
class_names: the classes. confusion: int64 (true class, predicted class), over all splits.
recall, precision: float64 (classes), over all splits. calibration_error: of the probabilities; None
    without them. protocol, data: in words. splits: their number.)";

}  // namespace

void bind_training(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<Summary>(module, "Figure", kFigureDoc)
      .def_readonly("mean", &Summary::mean)
      .def_readonly("deviation", &Summary::deviation)
      .def(pickled_by(&Summary::mean, &Summary::deviation))
      .def("__repr__", [](const Summary& figure) {
        return py::str("<leafglyph.Figure: {:.4f} +- {:.4f}>")
            .format(figure.mean, figure.deviation);
      });
  const auto figure = [](Summary Evaluation::*member) {  // a copy, which ConstructedCaster loads
    return [member](const Evaluation& evaluation) { return evaluation.*member; };
  };
  py::class_<Evaluation>(module, "LeafEvaluation", kEvaluationDoc)
      .def_property_readonly("top1", figure(&Evaluation::top1))
      .def_property_readonly("top3", figure(&Evaluation::top3))
      .def_property_readonly("top5", figure(&Evaluation::top5))
      .def_property_readonly("macro", figure(&Evaluation::macro))
      .def_readonly("interval", &Evaluation::interval)
      .def_readonly("class_names", &Evaluation::class_names)
      .def_property_readonly("confusion", &confusion)
      .def_property_readonly("recall", &shares<&Evaluation::recall>)
      .def_property_readonly("precision", &shares<&Evaluation::precision>)
      .def_readonly("calibration_error", &Evaluation::calibration_error)
      .def_readonly("protocol", &Evaluation::protocol)
      .def_readonly("data", &Evaluation::data)
      .def_readonly("splits", &Evaluation::splits)
      .def(pickled_by(&Evaluation::top1, &Evaluation::top3, &Evaluation::top5, &Evaluation::macro,
                      &Evaluation::interval, &Evaluation::class_names, &Evaluation::confusion,
                      &Evaluation::recall, &Evaluation::precision, &Evaluation::calibration_error,
                      &Evaluation::protocol, &Evaluation::data, &Evaluation::splits))
      .def("__repr__", [](const Evaluation& evaluation) {
        return py::str("<leafglyph.LeafEvaluation: top-1 {:.4f} +- {:.4f}, {}>")
            .format(evaluation.top1.mean, evaluation.top1.deviation, evaluation.protocol);
      });
  module.def("train", &train, "model"_a, "data"_a = py::none(), py::kw_only(), "config"_a = "leaf",
             "settings"_a = py::tuple(), "source_aspect"_a = 0.0, "features"_a = py::tuple(),
             "sums"_a = py::tuple(), "device"_a = "auto", kTrainDoc);
  module.def("generate_leaves", &generate_leaves, "folder"_a, "species"_a = 32, "leaves"_a = 50,
             "seed"_a = 1, kGenerateDoc);
  module.def("evaluate", &evaluate, "data"_a = py::none(), py::kw_only(), "config"_a = "leaf",
             "settings"_a = py::tuple(), "source_aspect"_a = 0.0, "features"_a = py::tuple(),
             "device"_a = "auto", kEvaluateDoc);
}

}  // namespace leafglyph::python
