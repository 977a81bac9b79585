#include "classify/knn/class_fit.h"

#include <algorithm>
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
    std::vector<double>& mean = means_.emplace_back(dimension, 0.0);
    for (const std::size_t row : rows) {
      for (std::size_t j = 0; j < dimension; ++j) {
        mean[j] += projected[row * dimension + j] / static_cast<double>(rows.size());
      }
    }
  }
}

std::size_t ClassFit::position_of(int label) const {
  const std::vector<int>& classes = typical_.state().labels;
  const auto at = std::ranges::lower_bound(classes, label);
  if (at == classes.end() || *at != label) {
    throw UsageError("a class that was not learnt has no rows to fit");
  }
  return static_cast<std::size_t>(at - classes.begin());
}

void ClassFit::judge_typical(const FeatureTable& rows, std::span<const int> labels,
                             std::span<Evidence> evidence) const {
  const std::vector<double> distances = typical_.distances_to_all(rows);
  const std::size_t classes = means_.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t c = position_of(labels[i]);
    const auto of_row = std::span(distances).subspan(i * classes, classes);
    double other = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < classes; ++k) {
      if (k != c) other = std::min(other, of_row[k]);
    }
    evidence[i].typical = of_row[c];
    evidence[i].contrast = classes > 1 && other > 0.0 ? of_row[c] / other : 1.0;
  }
}

void ClassFit::judge(const FeatureTable& rows, std::span<const int> labels,
                     std::span<Evidence> evidence) const {
  judge_typical(rows, labels, evidence);
  const std::vector<Nearness> nearness = nearness_.of(pipeline_.scaled(rows), labels);
  const std::size_t dimension = pipeline_.dimension();
  const std::vector<float> projected = pipeline_.transform(rows);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    evidence[i].apart = nearness[i].apart;
    evidence[i].local = nearness[i].local;
    const auto row = projected.begin() + static_cast<std::ptrdiff_t>(i * dimension);
    const std::vector<double> query(row, row + static_cast<std::ptrdiff_t>(dimension));
    const std::vector<double>& mean = means_[position_of(labels[i])];
    const double square = product_of(mean, mean);
    if (square > 0.0) evidence[i].length = product_of(query, mean) / square;
  }
}

}  // namespace leafglyph
