#include "classify/knn/class_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "classify/knn/algebra.h"
#include "classify/knn/feature_pipeline.h"
#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Any seed works: the folds only decide which rows are left out together.
constexpr std::uint64_t kFoldSeed = 1;

struct CentredRows {
  std::vector<double> means;   // of each class, in order of label
  std::vector<double> within;  // each row minus the mean of its class
};

CentredRows centred_rows(std::vector<double> values, std::size_t columns,
                         std::span<const int> labels) {
  std::map<int, double> counts;
  for (const int label : labels) counts[label] += 1.0;
  std::map<int, std::size_t> position;
  for (const auto& [label, count] : counts) position.try_emplace(label, position.size());
  CentredRows rows{std::vector<double>(counts.size() * columns, 0.0), std::move(values)};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double* mean = &rows.means[position.at(labels[i]) * columns];
    const double share = 1.0 / counts.at(labels[i]);
    for (std::size_t j = 0; j < columns; ++j) mean[j] += share * rows.within[i * columns + j];
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* mean = &rows.means[position.at(labels[i]) * columns];
    for (std::size_t j = 0; j < columns; ++j) rows.within[i * columns + j] -= mean[j];
  }
  return rows;
}

// Variances of the columns about the class means, 0 for a dropped column. Those of moments are
// shrunk by half towards their median.
std::vector<double> shrunk_variances(const CentredRows& rows, double freedom,
                                     const FeaturePipeline& pipeline) {
  const FeatureLayout& layout = pipeline.layout();
  const std::size_t columns = layout.columns();
  const std::vector<ColumnKind> kinds = layout.kinds();
  std::vector<double> variances(columns, 0.0);
  for (std::size_t i = 0; i < rows.within.size(); ++i) {
    variances[i % columns] += rows.within[i] * rows.within[i] / freedom;
  }
  std::vector<double> of_moments;
  for (std::size_t c = 0; c < columns; ++c) {
    double level = 0.0;
    for (std::size_t m = c; m < rows.means.size(); m += columns) {
      level = std::max(level, std::abs(rows.means[m]));
    }
    const bool dropped = pipeline.state().scale[c] == 0.0;
    if (dropped || std::sqrt(variances[c]) <= kConstantTolerance * level) variances[c] = 0.0;
    if (!dropped && kinds[c] != ColumnKind::kMeasure) of_moments.push_back(variances[c]);
  }
  if (of_moments.empty()) return variances;
  const double middle = median(std::move(of_moments));
  for (std::size_t c = 0; c < columns; ++c) {
    if (kinds[c] == ColumnKind::kMeasure) continue;
    if (pipeline.state().scale[c] != 0.0) variances[c] = 0.5 * (variances[c] + middle);
  }
  return variances;
}

std::vector<std::size_t> columns_that_vary(const std::vector<double>& variances) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < variances.size(); ++c) {
    if (variances[c] > 0.0) kept.push_back(c);
  }
  return kept;
}

double sum_of_squares(std::span<const double> values) {
  double sum = 0.0;
  for (const double v : values) sum += v * v;
  return sum;
}

// Fits `directions` to the scaled deviations from the class means in the kept columns, and returns
// the factor sqrt(2 / t) of the scale (class_distance.h). The directions are the principal axes of
// W; direction k is multiplied by sqrt(l_k / (l_k + t)), for its variance l_k.
double fit_directions(const std::vector<double>& within, std::span<const std::size_t> kept,
                      double freedom, std::size_t columns, std::vector<double>& directions) {
  const std::size_t d = kept.size();
  const LinearProjection axes = principal_projection(within, d, /*dimensions=*/0);
  const std::size_t n = within.size() / d;
  const std::vector<double> along = product(axes.matrix, within, axes.dimensions, d, n);
  const double mean_variance = sum_of_squares(within) / (freedom * static_cast<double>(d));
  directions.assign(axes.dimensions * columns, 0.0);
  for (std::size_t k = 0; k < axes.dimensions; ++k) {
    double variance = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      variance += along[i * axes.dimensions + k] * along[i * axes.dimensions + k] / freedom;
    }
    const double factor = std::sqrt(variance / (variance + mean_variance));
    for (std::size_t j = 0; j < d; ++j) {
      directions[k * columns + kept[j]] = factor * axes.matrix[j * axes.dimensions + k];
    }
  }
  return std::sqrt(2.0 / mean_variance);
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

ClassDistance ClassDistance::fit(const FeatureTable& training, std::span<const int> labels,
                                 const FeaturePipeline& pipeline) {
  const std::size_t columns = training.layout.columns();
  CentredRows rows = centred_rows(column_values(training, pipeline.spec()), columns, labels);
  const std::size_t classes = rows.means.size() / columns;
  const double freedom =
      std::max(1.0, static_cast<double>(labels.size()) - static_cast<double>(classes));
  const std::vector<double> variances = shrunk_variances(rows, freedom, pipeline);
  const std::vector<std::size_t> kept = columns_that_vary(variances);
  const std::vector<ColumnKind> kinds = training.layout.kinds();
  ClassDistanceState state;
  state.scale.assign(columns, 0.0);
  for (const std::size_t c : kept) {
    state.scale[c] = column_weight(pipeline.spec(), kinds[c]) / std::sqrt(variances[c]);
  }
  std::vector<double> within;
  within.reserve(labels.size() * kept.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const std::size_t c : kept) {
      within.push_back(rows.within[i * columns + c] * state.scale[c]);
    }
  }
  if (!(sum_of_squares(within) > 0.0)) {
    throw UsageError(
        "no feature varies among the training leaves of a class, so that unknown leaves cannot be "
        "recognised; give at least two different leaves of a class");
  }
  const double factor = fit_directions(within, kept, freedom, columns, state.directions);
  for (double& scale : state.scale) scale *= factor;
  state.means = std::move(rows.means);
  for (std::size_t i = 0; i < state.means.size(); ++i) state.means[i] *= state.scale[i % columns];
  return ClassDistance(training.layout, pipeline.spec(), std::move(state), "class distance");
}

ClassDistance::ClassDistance(FeatureLayout layout, PipelineSpec spec, ClassDistanceState state,
                             const std::string& source)
    : layout_(std::move(layout)), spec_(spec), state_(std::move(state)) {
  const std::size_t columns = layout_.columns();
  const auto matrix = [columns](const std::vector<double>& values) {
    return !values.empty() && values.size() % columns == 0 &&
           std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  if (state_.scale.size() != columns || !matrix(state_.scale) || !matrix(state_.means) ||
      !matrix(state_.directions)) {
    throw FormatError(source +
                      ": the distance to classes does not match the features; train again");
  }
  for (std::size_t m = 0; m < state_.means.size(); m += columns) {
    for (std::size_t k = 0; k < state_.directions.size(); k += columns) {
      mean_shares_.push_back(dot(std::span(state_.means).subspan(m, columns),
                                 std::span(state_.directions).subspan(k, columns)));
    }
  }
}

// D by the formula of class_distance.h: the squared distance from each class mean, minus the
// squares of the components along the directions.
double ClassDistance::distance(std::span<const double> scaled) const {
  const std::size_t columns = scaled.size();
  const std::size_t directions = state_.directions.size() / columns;
  std::vector<double> shares(directions);
  for (std::size_t k = 0; k < directions; ++k) {
    shares[k] = dot(scaled, std::span(state_.directions).subspan(k * columns, columns));
  }
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < classes(); ++c) {
    double square = 0.0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double difference = scaled[j] - state_.means[c * columns + j];
      square += difference * difference;
    }
    for (std::size_t k = 0; k < directions; ++k) {
      const double difference = shares[k] - mean_shares_[c * directions + k];
      square -= difference * difference;
    }
    nearest = std::min(nearest, square);
  }
  return std::sqrt(std::max(0.0, nearest));
}

std::vector<double> ClassDistance::distances(const FeatureTable& table) const {
  if (!(table.layout == layout_)) {
    throw UsageError(
        "the features have a different layout from those that the distance to classes was fitted "
        "to");
  }
  const std::size_t columns = layout_.columns();
  std::vector<double> scaled = column_values(table, spec_);
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= state_.scale[i % columns];
  std::vector<double> result(table.rows());
  parallel_for(result.size(), [&](std::size_t i) {
    result[i] = distance(std::span(scaled).subspan(i * columns, columns));
  });
  return result;
}

std::vector<double> distances_left_out(const FeatureTable& training, std::span<const int> labels,
                                       const FeaturePipeline& pipeline) {
  const std::vector<Split> folds = stratified_folds(labels, kClassDistanceFolds, kFoldSeed);
  std::vector<std::vector<double>> of_fold(folds.size());
  parallel_for(folds.size(), [&](std::size_t f) {
    const std::vector<int> others = select_labels(labels, folds[f].train);
    std::vector<std::size_t> test_rows;
    std::copy_if(folds[f].test.begin(), folds[f].test.end(), std::back_inserter(test_rows),
                 [&](std::size_t row) {
                   return std::find(others.begin(), others.end(), labels[row]) != others.end();
                 });
    if (test_rows.empty()) return;
    of_fold[f] = ClassDistance::fit(select_rows(training, folds[f].train), others, pipeline)
                     .distances(select_rows(training, test_rows));
  });
  std::vector<double> all;
  for (const std::vector<double>& values : of_fold) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace leafglyph
