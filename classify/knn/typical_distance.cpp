#include "classify/knn/typical_distance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "classify/knn/feature_pipeline.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

// Class means and pooled variances (divided by rows minus classes); the variances of moments are
// shrunk by half towards their median. Both are stored scaled, so that T is a plain mean of
// squares.
TypicalDistance TypicalDistance::fit(const FeatureTable& training, std::span<const int> labels,
                                     const FeaturePipeline& pipeline) {
  const std::size_t columns = training.layout.columns();
  const std::vector<double> values = column_values(training, pipeline.spec());
  std::map<int, std::size_t> counts;
  for (const int label : labels) ++counts[label];
  TypicalState state;
  std::map<int, std::size_t> position;
  for (const auto& [label, count] : counts) {
    position.try_emplace(label, position.size());
    state.labels.push_back(label);
  }
  state.means.assign(counts.size() * columns, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double share = 1.0 / static_cast<double>(counts.at(labels[i]));
    double* mean = &state.means[position.at(labels[i]) * columns];
    for (std::size_t j = 0; j < columns; ++j) mean[j] += share * values[i * columns + j];
  }
  const double freedom =
      std::max(1.0, static_cast<double>(labels.size()) - static_cast<double>(counts.size()));
  std::vector<double> variances(columns, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* mean = &state.means[position.at(labels[i]) * columns];
    for (std::size_t j = 0; j < columns; ++j) {
      const double difference = values[i * columns + j] - mean[j];
      variances[j] += difference * difference / freedom;
    }
  }
  // The global measures have different units, so their variances are left out of the median.
  const std::vector<ColumnKind> kinds = training.layout.kinds();
  std::vector<double> kept;
  for (std::size_t j = 0; j < columns; ++j) {
    if (kinds[j] == ColumnKind::kMeasure) continue;
    if (pipeline.state().scale[j] != 0.0) kept.push_back(variances[j]);
  }
  const double middle = kept.empty() ? 0.0 : median(std::move(kept));
  state.scale.assign(columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j) {
    const bool shrunk = kinds[j] != ColumnKind::kMeasure;
    const double variance = shrunk ? 0.5 * (variances[j] + middle) : variances[j];
    if (pipeline.state().scale[j] != 0.0 && variance > 0.0) {
      state.scale[j] = 1.0 / std::sqrt(variance);
    }
  }
  for (std::size_t i = 0; i < state.means.size(); ++i) state.means[i] *= state.scale[i % columns];
  return TypicalDistance(training.layout, pipeline.spec(), std::move(state), "typical distance");
}

TypicalDistance::TypicalDistance(FeatureLayout layout, PipelineSpec spec, TypicalState state,
                                 const std::string& source)
    : layout_(std::move(layout)), spec_(spec), state_(std::move(state)) {
  const std::size_t columns = layout_.columns();
  if (state_.scale.size() != columns || state_.labels.empty() ||
      state_.means.size() != state_.labels.size() * columns || !all_finite(state_.scale) ||
      !all_finite(state_.means) || !std::ranges::is_sorted(state_.labels)) {
    throw FormatError(source + ": the typical distances do not match the features; train again");
  }
  kept_ = columns - static_cast<std::size_t>(std::ranges::count(state_.scale, 0.0));
}

std::size_t TypicalDistance::place_of(int label) const {
  const auto at = std::ranges::lower_bound(state_.labels, label);
  if (at == state_.labels.end() || *at != label) {
    throw UsageError("nothing is typical of a class without training leaves");
  }
  return static_cast<std::size_t>(at - state_.labels.begin());
}

std::vector<double> TypicalDistance::distances(const FeatureTable& rows,
                                               std::span<const int> labels) const {
  if (!(rows.layout == layout_) || labels.size() != rows.rows()) {
    throw UsageError(
        "the features have a different layout from those that the typical distance was fitted to");
  }
  const std::size_t columns = layout_.columns();
  const std::vector<double> values = column_values(rows, spec_);
  std::vector<double> result(rows.rows(), 0.0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double* mean = &state_.means[place_of(labels[i]) * columns];
    double sum = 0.0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double difference = values[i * columns + j] * state_.scale[j] - mean[j];
      sum += difference * difference;
    }
    if (kept_ > 0) result[i] = std::sqrt(sum / static_cast<double>(kept_));
  }
  return result;
}

std::vector<double> TypicalDistance::distances_to_all(const FeatureTable& rows) const {
  if (!(rows.layout == layout_)) {
    throw UsageError(
        "the features have a different layout from those that the typical distance was fitted to");
  }
  const std::size_t columns = layout_.columns(), classes = state_.labels.size();
  std::vector<double> values = column_values(rows, spec_);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= state_.scale[i % columns];
  std::vector<double> result(rows.rows() * classes, 0.0);
  if (kept_ == 0) return result;
  parallel_for({rows.rows(), /*at_a_time=*/4}, [&](std::size_t i) {
    for (std::size_t c = 0; c < classes; ++c) {
      const double *row = &values[i * columns], *mean = &state_.means[c * columns];
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t j = 0; j < columns; ++j) sum += (row[j] - mean[j]) * (row[j] - mean[j]);
      result[i * classes + c] = std::sqrt(sum / static_cast<double>(kept_));
    }
  });
  return result;
}

}  // namespace leafglyph
