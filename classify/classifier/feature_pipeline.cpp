#include "classify/classifier/feature_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "classify/classifier/plda_leave_one_out.h"
#include "classify/classifier/split_fits.h"
#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

void check_finite(const FeatureTable& table) {
  parallel_for({table.rows(), /*at_a_time=*/256, /*serial=*/256}, [&](std::size_t i) {
    const std::span<const float> row = table.row(i);
    const auto bad =
        std::ranges::find_if_not(row, [](float value) { return std::isfinite(value); });
    if (bad == row.end()) return;
    throw InputError(
        fmt::format("feature row {}, column {} is not finite", i,
                    column_name(table.layout, static_cast<std::size_t>(bad - row.begin()))));
  });
}

// Scales as spec.scaling says. Without a projection a shift does not change distances.
ColumnScales fit_scales(const FeatureTable& training, const PipelineSpec& spec) {
  const std::size_t columns = training.layout.columns();
  const ColumnScales as_they_are{std::vector<double>(columns, 0.0),
                                 std::vector<double>(columns, 1.0),
                                 std::vector<double>(columns, kUnlimited)};
  LargeVector<float> copy;
  const std::vector<float> values =
      rows_in(as_they_are, training.layout, spec, training.part(0, training.rows(), copy));
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

void declare(Keys& keys, PipelineSpec& spec) {
  keys.choice("values", spec.values, "log-magnitude: ln(|Z| + log_floor) of each moment");
  keys.number("log_floor", spec.log_floor, {1e-12, 1e6}, "Of ln(|Z| + log_floor)");
  keys.choice("scaling", spec.scaling, "Of the features where they are not projected");
  keys.choice(
      "projection", spec.projection,
      "plda: probabilistic linear discriminant analysis. How leaves vary within and between "
      "species is learnt from drawn leaves (the prior) and from the training leaves");
  keys.where(spec.projection == Projection::kPlda, "projection: plda", [&] {
    declare(keys, spec.plda);
    keys.number("measure_weight", spec.weights.measures, {1e-6, 1e6},
                "Factor of the measures, which are few beside the columns of a channel");
    keys.number("curvature_weight", spec.weights.curvature, {1e-6, 1e6},
                "Weight of the outline's curvature, beside moments and measures together");
    keys.where(keys.is_reading() || spec.weights.network != 1, "features.network", [&] {
      keys.number("network_weight", spec.weights.network, {1e-6, 1e6},
                  "Weight of the network's values, beside moments and measures together");
    });
    keys.where(keys.is_reading() || spec.weights.joined != 1, "features.join", [&] {
      keys.number("join_weight", spec.weights.joined, {1e-6, 1e6},
                  "Factor of the columns of a table, beside what they are found to be worth");
    });
  });
  keys.check("projection", [&] {
    if (spec.projection == Projection::kPlda && spec.values != Values::kLogMagnitude) {
      throw UsageError("plda needs values: log-magnitude");
    }
  });
}

void validate(const PipelineSpec& spec) { check_keys(spec, "pipeline."); }

FeaturePipeline FeaturePipeline::fit(const FeatureTable& training, std::span<const int> labels,
                                     const PipelineSpec& spec) {
  return fit(training, labels, spec, {}).all;
}

SplitPipelines FeaturePipeline::fit(const FeatureTable& training, std::span<const int> labels,
                                    const PipelineSpec& spec, std::span<const Split> splits,
                                    const ClassSums* sums, const FitWork& work) {
  validate(spec);
  if (labels.size() != training.rows() || labels.empty()) {
    throw UsageError(fmt::format("{} labels for {} training rows", labels.size(), training.rows()));
  }
  check_finite(training);
  check_finite({training.layout, training.augmented.values});
  PipelineState state;
  std::vector<std::optional<Plda>> of_splits;
  std::vector<ClassMeans> means;
  std::vector<float> scaled;
  if (spec.projection == Projection::kNone) {
    state.scales = fit_scales(training, spec);
  } else {
    const RowPrior prior = prior_for(training, spec);
    state.scales = scales_of(prior, spec.weights);
    // First that of all rows.
    std::vector<std::span<const std::size_t>> tested(1);
    for (const Split& split : splits) tested.emplace_back(split.test);
    SplitFits made = fits_without({training, labels, state.scales, spec, tested},
                                  scatter_in(state.scales, prior), sums, work);
    scaled = std::move(made.scaled);
    state.plda = std::move(made.fits.front());
    of_splits.assign(std::make_move_iterator(made.fits.begin() + 1),
                     std::make_move_iterator(made.fits.end()));
    means.assign(std::make_move_iterator(made.means.begin() + 1),
                 std::make_move_iterator(made.means.end()));
  }
  if (std::ranges::all_of(state.scales.scale, [](double scale) { return scale == 0.0; })) {
    throw InputError("every feature is the same for all training leaves");
  }
  SplitPipelines fitted{
      FeaturePipeline(training.layout, spec, std::move(state), "pipeline"), {}, std::move(scaled)};
  if (spec.projection == Projection::kNone) return fitted;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    fitted.of_splits.push_back(
        {FeaturePipeline(training.layout, spec, {fitted.all.state_.scales, std::move(of_splits[s])},
                         "pipeline"),
         std::move(means[s].labels), std::move(means[s].centres)});
  }
  return fitted;
}

std::vector<std::size_t> FeaturePipeline::leave_out(const FeatureTable& training,
                                                    std::span<const int> labels,
                                                    const PipelineSpec& spec, const ClassSums& sums,
                                                    std::span<const std::size_t> which,
                                                    const TakeLeftOut& take) {
  validate(spec);
  check_finite(training);
  const RowPrior prior = prior_for(training, spec);
  const ColumnScales scales = scales_of(prior, spec.weights);
  LargeVector<float> copy;
  const PldaLeaveOneOut fits(
      PldaFit(scatter_in(scales, prior), spec.plda), sums,
      rows_in(scales, training.layout, spec, training.part(0, training.rows(), copy)), labels);
  std::vector<std::size_t> places, rows, others;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (!fits.can_leave_out(which[i])) {
      others.push_back(i);
      continue;
    }
    places.push_back(i);
    rows.push_back(which[i]);
  }
  fits.for_each(rows, [&](std::size_t i, PldaLeaveOneOut::Left left) {
    take(places[i],
         FeaturePipeline(training.layout, spec, {scales, std::move(left.plda)}, "pipeline"),
         std::move(left.transformed));
  });
  return others;
}

ColumnScales FeaturePipeline::units_of(const FeatureTable& table, const PipelineSpec& spec) {
  return scales_of(prior_for(table, spec), spec.weights);
}

ClassSums FeaturePipeline::sums_of(const FeatureTable& table, std::span<const int> labels,
                                   const PipelineSpec& spec, std::span<const std::size_t> which) {
  const ColumnScales scales = units_of(table, spec);
  ClassSums sums(table.layout.columns());
  for (std::size_t first = 0; first < which.size(); first += kRowsHeld) {
    const auto some = which.subspan(first, std::min(kRowsHeld, which.size() - first));
    std::vector<float> rows;
    rows.reserve(some.size() * sums.columns());
    for (const std::size_t i : some) {
      const auto row = table.row(i);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    sums.add(rows_in(scales, table.layout, spec, rows), select_labels(labels, some));
  }
  return sums;
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

std::vector<float> FeaturePipeline::scaled(std::span<const float> rows) const {
  return rows_in(state_.scales, layout_, spec_, rows);
}

void FeaturePipeline::scaled(std::span<const float> rows, std::span<float> result) const {
  scale(state_.scales, layout_, spec_, rows, result);
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
  if (!(table.layout == layout_)) {
    throw UsageError(
        "the features have a different layout from those that the pipeline was fitted to");
  }
  std::vector<float> rows;
  rows.reserve(table.rows() * dimension_);
  LargeVector<float> copy;
  for (std::size_t first = 0; first < table.rows(); first += kRowsHeld) {
    const std::size_t count = std::min(kRowsHeld, table.rows() - first);
    const std::vector<float> part = project(scaled(table.part(first, count, copy)));
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace leafglyph
