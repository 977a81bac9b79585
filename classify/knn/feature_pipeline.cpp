#include "classify/knn/feature_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

void check_finite(const FeatureTable& table) {
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (!std::isfinite(table.values[i])) {
      const std::size_t columns = table.layout.columns();
      throw InputError(fmt::format("feature row {}, column {} is not finite", i / columns,
                                   column_name(table.layout, i % columns)));
    }
  }
}

struct ColumnMoments {
  std::vector<double> mean;
  std::vector<double> deviation;
  std::vector<double> root_mean_square;
};

ColumnMoments column_moments(const FeatureTable& table, const PipelineSpec& spec) {
  const std::size_t columns = table.layout.columns();
  const double n = static_cast<double>(table.rows());
  const std::vector<double> values = column_values(table, spec);
  ColumnMoments m{std::vector<double>(columns), std::vector<double>(columns),
                  std::vector<double>(columns)};
  for (std::size_t i = 0; i < values.size(); ++i) m.mean[i % columns] += values[i] / n;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i % columns;
    m.deviation[c] += (values[i] - m.mean[c]) * (values[i] - m.mean[c]) / n;
    m.root_mean_square[c] += values[i] * values[i] / n;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    m.deviation[c] = std::sqrt(m.deviation[c]);
    m.root_mean_square[c] = std::sqrt(m.root_mean_square[c]);
  }
  return m;
}

std::vector<std::size_t> kept_columns(const std::vector<double>& scale) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < scale.size(); ++c) {
    if (scale[c] != 0.0) kept.push_back(c);
  }
  return kept;
}

PipelineState fit_scaling(const FeatureTable& training, const PipelineSpec& spec) {
  const ColumnMoments m = column_moments(training, spec);
  const std::size_t columns = training.layout.columns();
  const std::vector<ColumnKind> kinds = training.layout.kinds();
  PipelineState state;
  state.offset.assign(columns, 0.0);
  state.scale.assign(columns, 0.0);
  for (std::size_t c = 0; c < columns; ++c) {
    if (m.deviation[c] <= kConstantTolerance * m.root_mean_square[c]) continue;
    // A projection needs centred rows. Without one, a shift does not change distances.
    const bool standardise = spec.scaling == Scaling::kStandardise;
    if (standardise || spec.projection != Projection::kNone) state.offset[c] = m.mean[c];
    state.scale[c] = column_weight(spec, kinds[c]) * (standardise ? 1.0 / m.deviation[c] : 1.0);
  }
  return state;
}

// Column c of a row, scaled; 0 if the column was dropped.
double scaled_value(const PipelineSpec& spec, const PipelineState& state,
                    std::span<const ColumnKind> kinds, std::span<const float> row, std::size_t c) {
  if (state.scale[c] == 0.0) return 0.0;
  return (column_value(spec, row[c], kinds[c]) - state.offset[c]) * state.scale[c];
}

void scale_row(const PipelineSpec& spec, const PipelineState& state,
               std::span<const ColumnKind> kinds, std::span<const float> row,
               std::span<double> out) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    out[c] = scaled_value(spec, state, kinds, row, c);
  }
}

// Differences between the augmented copies and their rows, in the kept columns of a block. They are
// scaled so that, averaged over the training rows, their squares have the weight spec.augmentation.
std::vector<double> augmented_deviations(const FeatureTable& training, const PipelineState& state,
                                         const PipelineSpec& spec, const ProjectionBlock& block,
                                         std::span<const std::size_t> kept) {
  std::vector<double> deviations;
  const std::vector<std::size_t>& of = training.augmented.of;
  if (spec.augmentation == 0.0 || of.empty()) return deviations;
  const double factor = std::sqrt(spec.augmentation * static_cast<double>(training.rows()) /
                                  static_cast<double>(of.size()));
  const std::vector<ColumnKind> kinds = training.layout.kinds();
  deviations.reserve(of.size() * kept.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    const std::span<const float> augmented = training.augmented_row(i), row = training.row(of[i]);
    for (const std::size_t c : kept) {
      const std::size_t column = block.columns[c];
      deviations.push_back(factor * (scaled_value(spec, state, kinds, augmented, column) -
                                     scaled_value(spec, state, kinds, row, column)));
    }
  }
  return deviations;
}

// Fits the projection of a block to its kept columns and expands it to all columns of the block.
// Only the kept columns are ever stored scaled.
void fit_block(const FeatureTable& training, const PipelineState& state,
               std::span<const int> labels, const PipelineSpec& spec, bool joint,
               ProjectionBlock& block) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    if (state.scale[block.columns[c]] != 0.0) kept.push_back(c);
  }
  block.matrix.clear();
  if (kept.empty()) return;
  std::vector<double> data;
  data.reserve(labels.size() * kept.size());
  const std::vector<ColumnKind> kinds = training.layout.kinds();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<const float> row = training.row(i);
    for (const std::size_t c : kept) {
      data.push_back(scaled_value(spec, state, kinds, row, block.columns[c]));
    }
  }
  const auto dimensions = static_cast<std::size_t>(joint ? spec.dimensions : 0);
  const LinearProjection projection =
      discriminant_projection(std::move(data), kept.size(), labels, spec.shrinkage, dimensions,
                              augmented_deviations(training, state, spec, block, kept));
  const double weight = joint ? 1.0 : spec.channel_discriminants;
  block.dimensions = projection.dimensions;
  block.matrix.assign(block.columns.size() * block.dimensions, 0.0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    for (std::size_t j = 0; j < block.dimensions; ++j) {
      block.matrix[kept[k] * block.dimensions + j] =
          weight * projection.matrix[k * block.dimensions + j];
    }
  }
}

void project_row(const PipelineState& state, std::span<const double> scaled, float* out,
                 std::vector<double>& sums) {
  for (const ProjectionBlock& block : state.blocks) {
    sums.assign(block.dimensions, 0.0);
    for (std::size_t c = 0; c < block.columns.size(); ++c) {
      const double value = scaled[block.columns[c]];
      const double* share = block.matrix.data() + c * block.dimensions;
      for (std::size_t j = 0; j < block.dimensions; ++j) sums[j] += value * share[j];
    }
    out = std::copy(sums.begin(), sums.end(), out);
  }
}

}  // namespace

void validate(const PipelineSpec& spec) {
  if (!(spec.log_floor > 0.0) || !std::isfinite(spec.log_floor)) {
    throw UsageError("pipeline.log_floor must be above 0");
  }
  if (!(spec.shrinkage >= 0.0 && spec.shrinkage <= 1.0)) {
    throw UsageError("pipeline.shrinkage must be from 0 to 1");
  }
  if (!(spec.channel_discriminants >= 0.0) || !std::isfinite(spec.channel_discriminants)) {
    throw UsageError("pipeline.channel_discriminants must be 0 or more");
  }
  if (spec.channel_discriminants > 0.0 && spec.projection != Projection::kDiscriminant) {
    throw UsageError("pipeline.channel_discriminants needs pipeline.projection: lda");
  }
  if (!(spec.augmentation >= 0.0) || !std::isfinite(spec.augmentation)) {
    throw UsageError("pipeline.augmentation must be 0 or more");
  }
  if (spec.augmentation > 0.0 && spec.projection != Projection::kDiscriminant) {
    throw UsageError("pipeline.augmentation needs pipeline.projection: lda");
  }
  if (spec.dimensions < 0) throw UsageError("pipeline.dimensions must not be negative");
  if (!(spec.measure_weight > 0.0) || !std::isfinite(spec.measure_weight)) {
    throw UsageError("pipeline.measure_weight must be above 0; leave the measures out instead");
  }
}

std::vector<ProjectionBlock> projection_blocks(const PipelineSpec& spec,
                                               const FeatureLayout& layout) {
  if (spec.projection == Projection::kNone) return {};
  std::vector<ProjectionBlock> blocks(1);
  blocks[0].columns.resize(layout.columns());
  std::iota(blocks[0].columns.begin(), blocks[0].columns.end(), std::size_t{0});
  if (!(spec.channel_discriminants > 0.0)) return blocks;
  std::vector<std::size_t> measures;
  const std::vector<ColumnKind> kinds = layout.kinds();
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] == ColumnKind::kMeasure) measures.push_back(c);
  }
  for (std::size_t group = 0; group < layout.groups.size(); ++group) {
    if (layout.groups[group].kind == ColumnKind::kMeasure) continue;
    ProjectionBlock block;
    block.columns.resize(layout.width(group));
    std::iota(block.columns.begin(), block.columns.end(), layout.start(group));
    block.columns.insert(block.columns.end(), measures.begin(), measures.end());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

FeaturePipeline FeaturePipeline::fit(const FeatureTable& training, std::span<const int> labels,
                                     const PipelineSpec& spec) {
  validate(spec);
  if (labels.size() != training.rows() || labels.empty()) {
    throw UsageError(fmt::format("{} labels for {} training rows", labels.size(), training.rows()));
  }
  check_finite(training);
  check_finite({training.layout, training.augmented.values});
  PipelineState state = fit_scaling(training, spec);
  if (kept_columns(state.scale).empty())
    throw InputError("every feature is the same for all training leaves");
  state.blocks = projection_blocks(spec, training.layout);
  if (!state.blocks.empty()) {
    for (std::size_t b = 0; b < state.blocks.size(); ++b) {
      fit_block(training, state, labels, spec, /*joint=*/b == 0, state.blocks[b]);
    }
  }
  return FeaturePipeline(training.layout, spec, std::move(state), "pipeline");
}

FeaturePipeline::FeaturePipeline(FeatureLayout layout, PipelineSpec spec, PipelineState state,
                                 const std::string& source)
    : layout_(std::move(layout)), spec_(spec), state_(std::move(state)), kinds_(layout_.kinds()) {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  const std::vector<ProjectionBlock> blocks = projection_blocks(spec_, layout_);
  bool fits = state_.offset.size() == layout_.columns() &&
              state_.scale.size() == layout_.columns() && finite(state_.offset) &&
              finite(state_.scale) && state_.blocks.size() == blocks.size();
  for (std::size_t b = 0; fits && b < blocks.size(); ++b) {
    const ProjectionBlock& block = state_.blocks[b];
    fits = block.columns == blocks[b].columns &&
           block.matrix.size() == block.columns.size() * block.dimensions && finite(block.matrix);
    dimension_ += block.dimensions;
  }
  if (fits) kept_ = kept_columns(state_.scale);
  if (blocks.empty()) dimension_ = kept_.size();
  if (!fits || dimension_ == 0) {
    throw FormatError(source + ": the fitted pipeline does not match the features; train again");
  }
}

void FeaturePipeline::check_layout(const FeatureTable& table) const {
  if (table.layout == layout_) return;
  throw UsageError(
      "the features have a different layout from those that the pipeline was fitted to");
}

std::vector<float> FeaturePipeline::scaled(const FeatureTable& table) const {
  check_layout(table);
  const std::size_t columns = layout_.columns();
  std::vector<float> result(table.values.size());
  parallel_for({table.rows(), /*at_a_time=*/16}, [&](std::size_t r) {
    const std::span<const float> row = table.row(r);
    for (std::size_t c = 0; c < columns; ++c) {
      result[r * columns + c] = static_cast<float>(scaled_value(spec_, state_, kinds_, row, c));
    }
  });
  return result;
}

std::vector<float> FeaturePipeline::transform(const FeatureTable& table) const {
  check_layout(table);
  std::vector<float> result(table.rows() * dimension_);
  // Row by row, because the sums of a matrix product could depend on the number of rows.
  parallel_for_with_scratch({table.rows(), /*at_a_time=*/16}, [&]() -> RoundJob {
    return [&, scaled = std::vector<double>(layout_.columns()),
            sums = std::vector<double>()](std::size_t r) mutable {
      scale_row(spec_, state_, kinds_, table.row(r), scaled);
      float* to = &result[r * dimension_];
      if (state_.blocks.empty()) {
        for (const std::size_t c : kept_) *to++ = static_cast<float>(scaled[c]);
      } else {
        project_row(state_, scaled, to, sums);
      }
    };
  });
  return result;
}

double column_weight(const PipelineSpec& spec, ColumnKind kind) {
  return kind == ColumnKind::kMeasure ? spec.measure_weight : 1.0;
}

std::vector<double> column_values(const FeatureTable& table, const PipelineSpec& spec) {
  const std::size_t columns = table.layout.columns();
  const std::vector<ColumnKind> kinds = table.layout.kinds();
  std::vector<double> values(table.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = column_value(spec, table.values[i], kinds[i % columns]);
  }
  return values;
}

}  // namespace leafglyph
