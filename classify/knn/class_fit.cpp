#include "classify/knn/class_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "classify/knn/folds.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

double product_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

ClassFit::ClassFit(const FeatureTable& training, std::span<const int> labels,
                   const FeaturePipeline& pipeline, TypicalDistance typical)
    : pipeline_(pipeline), typical_(std::move(typical)), nearness_(training, labels, pipeline) {
  const std::size_t dimension = pipeline.dimension();
  const std::vector<float> projected = pipeline.transform(training);
  for (const auto& [label, rows] : rows_by_class(labels)) {
    const std::size_t start = means_.size();
    means_.resize(start + dimension, 0.0);
    for (const std::size_t row : rows) {
      for (std::size_t j = 0; j < dimension; ++j) {
        means_[start + j] += projected[row * dimension + j] / static_cast<double>(rows.size());
      }
    }
  }
}

ClassFit::ClassFit(const FeatureTable& training, std::span<const int> labels,
                   const FeaturePipeline& pipeline, TypicalDistance typical, ClassFitState state)
    : pipeline_(pipeline),
      typical_(std::move(typical)),
      nearness_(training, labels, pipeline, std::move(state.log_usual)),
      means_(std::move(state.means)) {
  if (means_.size() != typical_.state().labels.size() * pipeline.dimension() ||
      !std::ranges::all_of(means_, [](double value) { return std::isfinite(value); })) {
    throw UsageError("the means do not match the classes");
  }
}

ClassFitState ClassFit::state() const {
  const std::span<const float> usual = nearness_.log_usual();
  return {means_, {usual.begin(), usual.end()}};
}

void ClassFit::judge_typical(const FeatureTable& rows, std::span<const std::size_t> classes,
                             std::span<Evidence> evidence) const {
  const std::vector<double> distances = typical_.distances_to_all(rows);
  const std::size_t count = typical_.state().labels.size();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto of_row = std::span(distances).subspan(i * count, count);
    const double own = of_row[classes[i]];
    double other = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
      if (k != classes[i]) other = std::min(other, of_row[k]);
    }
    evidence[i].typical = own;
    evidence[i].contrast = count > 1 && other > 0.0 ? own / other : 1.0;
  }
}

void ClassFit::judge(const FeatureTable& rows, std::span<const int> labels,
                     std::span<Evidence> evidence) const {
  std::vector<std::size_t> classes;
  classes.reserve(labels.size());
  for (const int label : labels) classes.push_back(typical_.place_of(label));
  judge_typical(rows, classes, evidence);
  const std::vector<Nearness> nearness = nearness_.of(pipeline_.scaled(rows), classes);
  const std::size_t dimension = pipeline_.dimension();
  const std::vector<float> projected = pipeline_.transform(rows);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    evidence[i].apart = nearness[i].apart;
    evidence[i].local = nearness[i].local;
    const auto row = projected.begin() + static_cast<std::ptrdiff_t>(i * dimension);
    const std::vector<double> query(row, row + static_cast<std::ptrdiff_t>(dimension));
    const auto mean = std::span(means_).subspan(classes[i] * dimension, dimension);
    const double square = product_of(mean, mean);
    if (square > 0.0) evidence[i].length = product_of(query, mean) / square;
  }
}

}  // namespace leafglyph
