#include "classify/classifier/row_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "classify/classifier/fold_judge.h"
#include "features/base/errors.h"
#include "features/base/npy.h"

namespace leafglyph {
namespace {

constexpr std::size_t kBeforeDirections = 4;  // offset, scale, limit, mean

// The spec of a pipeline of which only the state matters.
PipelineSpec spec_with(double log_floor) {
  PipelineSpec spec;
  spec.values = Values::kLogMagnitude;
  spec.projection = Projection::kPlda;
  spec.log_floor = log_floor;
  return spec;
}

/// Where the columns of a layout are among those of another one.
std::vector<std::size_t> places_in(const FeatureLayout& own, const FeatureLayout& layout) {
  std::map<std::string, std::size_t> place;
  for (std::string& name : column_names(own)) place.emplace(std::move(name), place.size());
  std::vector<std::size_t> places;
  for (const std::string& name : column_names(layout)) {
    const auto found = place.find(name);
    if (found == place.end()) {
      throw UsageError("the model was trained with the column " + name +
                       ", which these features do not have");
    }
    places.push_back(found->second);
  }
  return places;
}

FeaturePipeline first_directions(const FeaturePipeline& pipeline, const FeatureLayout& own,
                                 std::size_t directions) {
  const std::optional<Plda>& plda = pipeline.state().plda;
  if (!plda) {
    throw UsageError(
        "the model has no directions, because it was trained with "
        "pipeline.projection: none; train one with leaf.yaml");
  }
  if (directions == 0 || directions > plda->dimension()) {
    throw UsageError(fmt::format("{} directions: the model has {}; name 1 to {}", directions,
                                 plda->dimension(), plda->dimension()));
  }
  const std::vector<std::size_t> places = places_in(own, pipeline.layout());
  const std::size_t columns = own.columns(), p = plda->dimension();
  const ColumnScales& scales = pipeline.state().scales;
  ColumnScales wider{std::vector<double>(columns), std::vector<double>(columns),
                     std::vector<double>(columns)};
  std::vector<double> mean(columns), matrix(columns * directions);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const std::size_t to = places[c];
    wider.offset[to] = scales.offset[c];
    wider.scale[to] = scales.scale[c];
    wider.limit[to] = scales.limit[c];
    mean[to] = plda->mean()[c];
    const auto weights = plda->matrix().subspan(c * p, directions);
    std::ranges::copy(weights, &matrix[to * directions]);
  }
  const auto spread = plda->spread().first(directions);
  return {own,
          spec_with(pipeline.spec().log_floor),
          {std::move(wider),
           Plda(std::move(mean), std::move(matrix), {spread.begin(), spread.end()}, "model")},
          "model"};
}

FeaturePipeline read_pipeline(std::string_view bytes, const FeatureLayout& own,
                              const std::string& source) {
  const NpyArray<double> array = parse_npy<double>(bytes, source);
  const std::size_t columns = own.columns(), width = columns + 1;
  if (array.shape.size() != 2 || array.shape[0] <= kBeforeDirections || array.shape[1] != width) {
    throw FormatError(source + ": does not project the columns of these features");
  }
  const std::size_t directions = array.shape[0] - kBeforeDirections;
  const auto row = [&](std::size_t i) {
    const auto values = std::span(array.values).subspan(i * width, columns);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto last = [&](std::size_t i) { return array.values[i * width + columns]; };
  std::vector<double> matrix(columns * directions), spread;
  for (std::size_t k = 0; k < directions; ++k) {
    spread.push_back(last(kBeforeDirections + k));
    for (std::size_t c = 0; c < columns; ++c) {
      matrix[c * directions + k] = array.values[(kBeforeDirections + k) * width + c];
    }
  }
  const PipelineSpec spec = spec_with(last(0));
  try {
    validate(spec);
  } catch (const UsageError& error) {
    throw FormatError(source + ": " + error.what());
  }
  return {own, spec, {{row(0), row(1), row(2)}, Plda(row(3), matrix, spread, source)}, source};
}

}  // namespace

RowProjection::RowProjection(const FeaturePipeline& pipeline, const FeatureLayout& own,
                             std::size_t directions)
    : pipeline_(first_directions(pipeline, own, directions)) {}

RowProjection::RowProjection(std::string_view bytes, const FeatureLayout& own,
                             const std::string& source)
    : pipeline_(read_pipeline(bytes, own, source)) {}

std::string RowProjection::bytes() const {
  const ColumnScales& scales = pipeline_.state().scales;
  const Plda& plda = *pipeline_.state().plda;
  std::vector<double> values;
  const auto add = [&](std::span<const double> row, double last) {
    values.insert(values.end(), row.begin(), row.end());
    values.push_back(last);
  };
  add(scales.offset, pipeline_.spec().log_floor);
  add(scales.scale, 0);
  add(scales.limit, 0);
  add(plda.mean(), 0);
  for (std::size_t k = 0; k < directions(); ++k) {
    std::vector<double> weights;
    for (std::size_t c = 0; c < columns(); ++c) {
      weights.push_back(plda.matrix()[c * directions() + k]);
    }
    add(weights, plda.spread()[k]);
  }
  const std::array<std::size_t, 2> shape = {kBeforeDirections + directions(), columns() + 1};
  return npy_bytes(std::span<const double>(values), shape);
}

std::vector<std::string> RowProjection::names() const {
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= directions(); ++k) names.push_back(fmt::format("direction_{}", k));
  return names;
}

std::vector<float> RowProjection::apply(std::span<const float> rows) const {
  const std::size_t d = columns(), p = directions();
  if (rows.size() % d != 0) throw UsageError("RowProjection: the rows have other columns");
  std::vector<float> result;
  result.reserve(rows.size() / d * p);
  for (std::size_t first = 0; first < rows.size(); first += kRowsHeld * d) {
    const auto part = rows.subspan(first, std::min(kRowsHeld * d, rows.size() - first));
    const std::vector<float> along = compared(pipeline_.project(pipeline_.scaled(part)), pipeline_);
    result.insert(result.end(), along.begin(), along.end());
  }
  for (std::size_t i = 0; i < result.size(); i += p) {
    const auto row = std::span(result).subspan(i, p);
    const double length = norm(row);
    if (!(length > 0)) continue;
    for (float& value : row) value = static_cast<float>(value / length);
  }
  return result;
}

}  // namespace leafglyph
