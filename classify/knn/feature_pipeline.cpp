#include "classify/knn/feature_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

void check_finite(const FeatureTable& table) {
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (!std::isfinite(table.values[i])) {
      const std::size_t columns = table.layout.columns();
      throw InputError(fmt::format("feature row {}, column {} is not finite", i / columns,
                                   column_name(table.layout, i % columns)));
    }
  }
}

// The log_floor of scaled_rows.
double log_floor_of(const PipelineSpec& spec) {
  return spec.values == Values::kMagnitude ? 0.0 : spec.log_floor;
}

// Scales as spec.scaling says. Without a projection a shift does not change distances.
ColumnScales fit_scales(const FeatureTable& training, const PipelineSpec& spec) {
  const std::size_t columns = training.layout.columns();
  const ColumnScales as_they_are{std::vector<double>(columns, 0.0),
                                 std::vector<double>(columns, 1.0),
                                 std::vector<double>(columns, kUnlimited)};
  const std::vector<float> values = scaled_rows(training, as_they_are, log_floor_of(spec));
  const double n = static_cast<double>(training.rows());
  std::vector<double> mean(columns), square(columns), variance(columns);
  for (std::size_t i = 0; i < values.size(); ++i) mean[i % columns] += values[i] / n;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i % columns;
    variance[c] += (values[i] - mean[c]) * (values[i] - mean[c]) / n;
    square[c] += static_cast<double>(values[i]) * values[i] / n;
  }
  ColumnScales scales = as_they_are;
  for (std::size_t c = 0; c < columns; ++c) {
    const double deviation = std::sqrt(variance[c]);
    if (deviation <= kConstantTolerance * std::sqrt(square[c])) {
      scales.scale[c] = 0.0;
    } else if (spec.scaling == Scaling::kStandardise) {
      scales.offset[c] = mean[c];
      scales.scale[c] = 1.0 / deviation;
    }
  }
  return scales;
}

std::vector<float> scaled_deviations(const FeatureTable& table, const ColumnScales& scales,
                                     double log_floor) {
  const std::size_t columns = table.layout.columns();
  const FeatureTable copies{table.layout, table.augmented.values};
  std::vector<float> deviations = scaled_rows(copies, scales, log_floor);
  const std::vector<float> rows =
      scaled_rows(select_rows(table, table.augmented.of), scales, log_floor);
  for (std::size_t i = 0; i < columns * table.augmented.of.size(); ++i) deviations[i] -= rows[i];
  return deviations;
}

// The prior of the columns of a table.
RowPrior prior_for(const FeatureTable& training, const PipelineSpec& spec) {
  if (!training.prior) {
    throw UsageError("pipeline.projection: plda needs the prior that comes with the features");
  }
  if (training.prior->log_floor != log_floor_of(spec)) {
    throw UsageError("the prior was made with another pipeline.log_floor");
  }
  return select_columns(*training.prior, training.layout);
}

}  // namespace

void validate(const PipelineSpec& spec) {
  if (!(spec.log_floor > 0.0) || !std::isfinite(spec.log_floor)) {
    throw UsageError("pipeline.log_floor must be above 0");
  }
  if (spec.projection == Projection::kNone) return;
  if (spec.values != Values::kLogMagnitude) {
    throw UsageError("pipeline.projection: plda needs pipeline.values: log-magnitude");
  }
  validate(spec.plda);
  for (const auto& [key, weight] : {std::pair("measure_weight", spec.weights.measures),
                                    std::pair("curvature_weight", spec.weights.curvature)}) {
    if (!(weight > 0.0) || !std::isfinite(weight)) {
      throw UsageError(
          fmt::format("pipeline.{} must be above 0; leave the features out instead", key));
    }
  }
}

FeaturePipeline FeaturePipeline::fit(const FeatureTable& training, std::span<const int> labels,
                                     const PipelineSpec& spec, TrainingRows* rows) {
  validate(spec);
  if (labels.size() != training.rows() || labels.empty()) {
    throw UsageError(fmt::format("{} labels for {} training rows", labels.size(), training.rows()));
  }
  check_finite(training);
  check_finite({training.layout, training.augmented.values});
  PipelineState state;
  if (spec.projection == Projection::kNone) {
    state.scales = fit_scales(training, spec);
  } else {
    const RowPrior prior = prior_for(training, spec);
    state.scales = scales_of(prior, spec.weights);
    TrainingRows own;
    TrainingRows& fitted = rows != nullptr ? *rows : own;
    fitted.scaled = scaled_rows(training, state.scales, spec.log_floor);
    ClassSums sums(training.layout.columns()), deviations(training.layout.columns());
    sums.add(fitted.scaled, labels);
    if (spec.plda.augmentation > 0.0) {
      fitted.deviations = scaled_deviations(training, state.scales, spec.log_floor);
      deviations.add(fitted.deviations, std::vector<int>(training.augmented.of.size()));
    }
    fitted.fit.emplace(sums, scatter_in(state.scales, prior), spec.plda, &deviations);
    state.plda = fitted.fit->all();
  }
  if (std::ranges::all_of(state.scales.scale, [](double scale) { return scale == 0.0; })) {
    throw InputError("every feature is the same for all training leaves");
  }
  return FeaturePipeline(training.layout, spec, std::move(state), "pipeline");
}

FeaturePipeline FeaturePipeline::with(Plda plda) const {
  return FeaturePipeline(layout_, spec_, {state_.scales, std::move(plda)}, "pipeline");
}

FeaturePipeline::FeaturePipeline(FeatureLayout layout, PipelineSpec spec, PipelineState state,
                                 const std::string& source)
    : layout_(std::move(layout)), spec_(spec), state_(std::move(state)) {
  const ColumnScales& scales = state_.scales;
  const auto fits = [&](const std::vector<double>& values, const auto& is_valid) {
    return values.size() == layout_.columns() && std::ranges::all_of(values, is_valid);
  };
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto limit = [](double value) { return value >= 0.0; };
  if (!fits(scales.offset, finite) || !fits(scales.scale, finite) || !fits(scales.limit, limit) ||
      state_.plda.has_value() != (spec_.projection == Projection::kPlda) ||
      (state_.plda && state_.plda->columns() != layout_.columns())) {
    throw FormatError(source + ": the fitted pipeline does not match the features; train again");
  }
  for (std::size_t c = 0; c < scales.scale.size(); ++c) {
    if (scales.scale[c] != 0.0) kept_.push_back(c);
  }
  dimension_ = state_.plda ? state_.plda->dimension() : kept_.size();
  if (dimension_ == 0) {
    throw FormatError(source + ": the fitted pipeline does not match the features; train again");
  }
}

std::vector<float> FeaturePipeline::scaled(const FeatureTable& table) const {
  if (!(table.layout == layout_)) {
    throw UsageError(
        "the features have a different layout from those that the pipeline was fitted to");
  }
  return scaled_rows(table, state_.scales, log_floor_of(spec_));
}

std::vector<float> FeaturePipeline::project(std::span<const float> scaled) const {
  if (state_.plda) return state_.plda->transform(scaled);
  std::vector<float> result;
  const std::size_t columns = layout_.columns();
  result.reserve(scaled.size() / columns * dimension_);
  for (std::size_t row = 0; row < scaled.size(); row += columns) {
    for (const std::size_t c : kept_) result.push_back(scaled[row + c]);
  }
  return result;
}

std::vector<float> FeaturePipeline::transform(const FeatureTable& table) const {
  return project(scaled(table));
}

}  // namespace leafglyph
