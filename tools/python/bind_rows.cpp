// For the package's own Python files: feature stores, and the leaf classifier on rows of features.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classify/classifier/predictions.h"
#include "classify/leaf/colour_choice.h"
#include "classify/leaf/leaf_features.h"
#include "classify/leaf/leaf_prior.h"
#include "classify/store/feature_store.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

namespace py = pybind11;

using Rows = py::array_t<float, py::array::c_style | py::array::forcecast>;
using RowLabels = py::array_t<int, py::array::c_style | py::array::forcecast>;

std::vector<float> values_of(const Rows& rows) { return {rows.data(), rows.data() + rows.size()}; }

// A leaf classifier fitted to rows of features: those of the configuration, or any other, whose
// nearest neighbours then vote.
class RowClassifier {
 public:
  RowClassifier(const std::filesystem::path& file, const Rows& rows, const RowLabels& labels,
                const std::vector<std::string>& settings)
      : labels_(labels.data(), labels.data() + labels.size()),
        classes_(*std::max_element(labels_.begin(), labels_.end()) + 1) {
    LeafConfig config = without_choice(load_leaf_config(file, settings));
    training_.values = values_of(rows);
    const auto columns = static_cast<std::size_t>(rows.shape(1));
    const FeatureLayout of_leaves = leaf_rows(config, config.features.order)->layout();
    const bool is_leaves = columns == of_leaves.columns();
    training_.layout = is_leaves ? of_leaves : measures(columns);
    PipelineSpec& pipeline = config.classifier.pipeline;
    // A discriminant needs a prior, which is known of columns of leaves only.
    if (!is_leaves) pipeline.projection = Projection::kNone;
    without_gil([&] {
      if (pipeline.projection == Projection::kPlda) {
        training_.prior = leaf_prior(config, of_leaves, {});
      }
      classifier_.emplace(NearestClassifier::fit(training_, labels_, config.classifier));
    });
  }

  // Score of each class (..., classes), whether the row is unknown, and its outlier score.
  py::tuple predict(const Rows& rows) const {
    FeatureTable table{training_.layout, values_of(rows)};
    const std::vector<Prediction> predictions = without_gil([&] {
      return leafglyph::predict(*classifier_, mean_log_area(training_), table,
                                static_cast<std::size_t>(classes_));
    });
    const auto count = static_cast<py::ssize_t>(predictions.size());
    py::array_t<double> scores({count, static_cast<py::ssize_t>(classes_)});
    py::array_t<bool> unknown(count);
    py::array_t<double> outlier_scores(count);
    std::fill_n(scores.mutable_data(), scores.size(), 0.0);
    for (py::ssize_t i = 0; i < count; ++i) {
      const Prediction& prediction = predictions[static_cast<std::size_t>(i)];
      for (const RankedClass& ranked : prediction.ranking) {
        scores.mutable_at(i, ranked.label) = ranked.score;
      }
      unknown.mutable_at(i) = !prediction.decision.known();
      outlier_scores.mutable_at(i) = prediction.outlier_score;
    }
    return py::make_tuple(scores, unknown, outlier_scores, are_probabilities());
  }

 private:
  static FeatureLayout measures(std::size_t columns) {
    ColumnGroup group{std::string(kMeasuresGroup), ColumnKind::kMeasure};
    for (std::size_t c = 0; c < columns; ++c) group.columns.push_back("x" + std::to_string(c));
    FeatureLayout layout;
    layout.groups = {group};
    return layout;
  }

  // Otherwise scores are log likelihood ratios.
  bool are_probabilities() const {
    return classifier_->calibration().has_value() ||
           classifier_->spec().pipeline.projection != Projection::kPlda;
  }

  std::vector<int> labels_;
  int classes_;
  FeatureTable training_;
  std::optional<NearestClassifier> classifier_;
};

py::dict read_store(const std::filesystem::path& folder) {
  const FeatureStore store = FeatureStore::open(folder);
  store.check_complete();
  py::list files;
  std::vector<std::string> sums;
  std::vector<std::size_t> rows;
  py::list paths;
  py::list labels;
  py::list states;
  py::list warnings;
  std::vector<std::int64_t> images;
  std::vector<std::int64_t> parts;
  std::vector<std::int64_t> boxes;
  std::vector<std::int64_t> areas;
  std::vector<py::list> fields(store.header().fields.size());
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    files.append(values_file_name(b));
    sums.push_back(store.block_digest(b));
    const std::vector<StoreRow> of_block = without_gil([&] { return store.read_rows(b); });
    rows.push_back(of_block.size());
    for (const StoreRow& row : of_block) {
      paths.append(row.path);
      labels.append(row.label);
      states.append(std::string(name_of(row.state)));
      warnings.append(row.warnings);
      images.push_back(static_cast<std::int64_t>(row.image));
      parts.push_back(row.part);
      boxes.insert(boxes.end(), {row.box.left, row.box.top, row.box.width, row.box.height});
      areas.push_back(static_cast<std::int64_t>(row.area));
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i].append(row.fields[i]);
    }
  }
  py::dict contents;
  contents["files"] = files;
  contents["sums"] = sums;
  contents["rows"] = rows;
  contents["columns"] = store.header().columns;
  contents["classes"] = store.header().classes;
  contents["paths"] = paths;
  contents["labels"] = labels;
  contents["states"] = states;
  contents["warnings"] = warnings;
  const auto numbers = [](const std::vector<std::int64_t>& values) {
    return array_of<std::int64_t>({static_cast<py::ssize_t>(values.size())}, values);
  };
  contents["images"] = numbers(images);
  contents["parts"] = numbers(parts);
  contents["boxes"] = array_of<std::int64_t>({static_cast<py::ssize_t>(parts.size()), 4}, boxes);
  contents["areas"] = numbers(areas);
  py::dict of_fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    of_fields[py::str(store.header().fields[i])] = fields[i];
  }
  contents["fields"] = of_fields;
  return contents;
}

// The values of block b (rows, columns), checked. `sum` is that of the block when the store was
// opened.
py::array_t<float> read_block_values(const std::filesystem::path& folder, std::size_t b,
                                     const std::string& sum) {
  std::size_t columns = 0;
  const std::vector<float> values = without_gil([&] {
    const FeatureStore store = FeatureStore::open(folder);
    if (store.block_digest(b) != sum) {
      throw InputError(folder.string() + ": has changed since it was opened; open it again");
    }
    columns = store.header().columns.size();
    return store.read_values(b);
  });
  const auto width = static_cast<py::ssize_t>(columns);
  return array_of<float>({static_cast<py::ssize_t>(values.size()) / width, width}, values);
}

// Reads all values, so that FeatureStore checks their digests.
void check_store(const std::filesystem::path& folder) {
  without_gil([&] {
    const FeatureStore store = FeatureStore::open(folder);
    for (std::size_t b = 0; b < store.header().blocks(); ++b) store.read_values(b);
  });
}

}  // namespace
template <>
inline constexpr bool kIsBound<RowClassifier> = true;

void bind_rows(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<RowClassifier>(module, "_RowClassifier")
      .def(py::init<const std::filesystem::path&, const Rows&, const RowLabels&,
                    const std::vector<std::string>&>(),
           "config"_a, "rows"_a, "labels"_a, "settings"_a)
      .def("predict", &RowClassifier::predict, "rows"_a);
  module.def("_read_store", &read_store, "folder"_a);
  module.def("_read_values", &read_block_values, "folder"_a, "block"_a, "sum"_a);
  module.def("_check_store", &check_store, "folder"_a);
}

}  // namespace leafglyph::python
