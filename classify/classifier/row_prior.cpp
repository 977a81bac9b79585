#include "classify/classifier/row_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/classifier/feature_pipeline.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

double floor_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kMoments:
      return kMomentFloor;
    case ColumnKind::kHistogram:
      return kHistogramFloor;
    case ColumnKind::kMeasure:
    case ColumnKind::kNetwork:
      break;
  }
  return 0;
}

// A network's values are in one unit. Some hardly vary among the prior's leaves, but do elsewhere.
double network_floor(const RowPrior& prior, std::span<const ColumnKind> kinds) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] != ColumnKind::kNetwork) continue;
    sum += prior.deviation[c];
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double value_of(float value, ColumnKind kind, double log_floor) {
  if (kind != ColumnKind::kMoments || log_floor == 0.0) return value;
  return std::log(static_cast<double>(value) + log_floor);
}

ColumnScales units_of(const RowPrior& prior) {
  const std::vector<ColumnKind> kinds = prior.layout.kinds();
  const double of_network = network_floor(prior, kinds);
  ColumnScales units;
  units.offset = prior.mean;
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    const double floor = kinds[c] == ColumnKind::kNetwork ? of_network : floor_of(kinds[c]);
    const double unit = prior.deviation[c] + floor;
    units.scale.push_back(unit > 0 ? 1 / unit : 0);
    units.limit.push_back(kLargestUnit);
  }
  return units;
}

// The places of the layout's columns among those of the prior.
std::vector<std::size_t> places(const FeatureLayout& of, const FeatureLayout& layout) {
  if (layout.family.row().name != of.family.row().name || layout.order > of.order) {
    throw UsageError(fmt::format("the prior holds moments of order {} of the family {}", of.order,
                                 of.family.row().name));
  }
  std::vector<std::size_t> all;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const auto at = std::ranges::find(of.groups, layout.groups[g].name, &ColumnGroup::name);
    if (at == of.groups.end()) {
      throw UsageError("the prior does not hold '" + layout.groups[g].name + "'");
    }
    const std::size_t first = of.start(static_cast<std::size_t>(at - of.groups.begin()));
    for (std::size_t c = 0; c < layout.width(g); ++c) all.push_back(first + c);
  }
  return all;
}

template <class T>
std::vector<T> taken(const std::vector<T>& rows, std::size_t columns,
                     std::span<const std::size_t> places) {
  std::vector<T> result;
  for (std::size_t first = 0; first < rows.size(); first += columns) {
    for (const std::size_t place : places) result.push_back(rows[first + place]);
  }
  return result;
}

}  // namespace

RowPrior row_prior(const FeatureTable& rows, std::span<const int> labels, double log_floor) {
  const std::size_t columns = rows.layout.columns();
  const std::vector<ColumnKind> kinds = rows.layout.kinds();
  RowPrior prior;
  prior.layout = rows.layout;
  prior.log_floor = log_floor;
  prior.mean.resize(columns);
  prior.deviation.resize(columns);
  const auto n = static_cast<double>(rows.rows());
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
      const std::size_t c = i % columns;
      const double value = value_of(rows.values[i], kinds[c], log_floor);
      if (!std::isfinite(value)) {
        throw InputError(fmt::format("row {} of a prior, column {} is not finite", i / columns,
                                     column_name(rows.layout, c)));
      }
      if (pass == 0) {
        prior.mean[c] += value / n;
      } else {
        prior.deviation[c] += (value - prior.mean[c]) * (value - prior.mean[c]) / n;
      }
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    const double deviation = std::sqrt(prior.deviation[c]);
    // Less is rounding.
    const bool varies = deviation > kConstantTolerance * std::abs(prior.mean[c]);
    prior.deviation[c] = varies ? deviation : 0.0;
  }
  ClassSums sums(columns);
  sums.add(scaled_rows(rows.layout, rows.values, units_of(prior), log_floor), labels);
  prior.scatter = prior_of(sums, kPriorRank);
  return prior_of_matrix(matrix_of(prior), prior.layout, log_floor, sums.classes().size(),
                         static_cast<float>(prior.scatter.mean_noise), "prior");
}

std::vector<float> matrix_of(const RowPrior& prior) {
  const ScatterPrior& scatter = prior.scatter;
  std::vector<float> matrix;
  for (const std::vector<double>* rows :
       {&prior.mean, &prior.deviation, &scatter.remainder, &scatter.between, &scatter.within}) {
    matrix.insert(matrix.end(), rows->begin(), rows->end());
  }
  return matrix;
}

RowPrior prior_of_matrix(std::span<const float> matrix, const FeatureLayout& layout,
                         double log_floor, std::size_t species, double mean_noise,
                         const std::string& source) {
  constexpr std::size_t kBeforeSpecies = 3;
  const std::size_t columns = layout.columns();
  const bool has_rows = columns > 0 && matrix.size() % columns == 0 && species >= 2 &&
                        matrix.size() / columns >= kBeforeSpecies + species;
  if (!has_rows || !(mean_noise >= 0) ||
      !std::ranges::all_of(matrix, [](float value) { return std::isfinite(value); })) {
    throw FormatError(source + ": rows are missing or damaged");
  }
  const auto rows = [&](std::size_t first, std::size_t count) {
    const auto values = matrix.subspan(first * columns, count * columns);
    return std::vector<double>(values.begin(), values.end());
  };
  const std::size_t within = kBeforeSpecies + species;
  return {layout,
          log_floor,
          rows(0, 1),
          rows(1, 1),
          {columns, rows(within, matrix.size() / columns - within), rows(2, 1),
           rows(kBeforeSpecies, species), mean_noise}};
}

RowPrior select_columns(const RowPrior& prior, const FeatureLayout& layout) {
  if (layout == prior.layout) return prior;
  const std::vector<std::size_t> chosen = places(prior.layout, layout);
  const std::size_t columns = prior.layout.columns();
  RowPrior part;
  part.layout = layout;
  part.log_floor = prior.log_floor;
  part.mean = taken(prior.mean, columns, chosen);
  part.deviation = taken(prior.deviation, columns, chosen);
  part.scatter = {chosen.size(), taken(prior.scatter.within, columns, chosen),
                  taken(prior.scatter.remainder, columns, chosen),
                  taken(prior.scatter.between, columns, chosen), prior.scatter.mean_noise};
  return part;
}

ColumnScales scales_of(const RowPrior& prior, const ColumnWeights& weights) {
  const std::vector<ColumnKind> kinds = prior.layout.kinds();
  const auto count = [&](ColumnKind kind) {
    return static_cast<double>(std::ranges::count(kinds, kind));
  };
  const double of_curvature = count(ColumnKind::kHistogram);
  const double of_network = count(ColumnKind::kNetwork);
  const double others = static_cast<double>(kinds.size()) - of_curvature - of_network;
  ColumnScales scales = units_of(prior);
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    double weight = 1;
    if (kinds[c] == ColumnKind::kMeasure) weight = weights.measures;
    if (kinds[c] == ColumnKind::kHistogram && others > 0) {
      weight = weights.curvature * std::sqrt(others / of_curvature);
    }
    if (kinds[c] == ColumnKind::kNetwork && others > 0) {
      weight = weights.network * std::sqrt(others / of_network);
    }
    scales.scale[c] *= weight;
    scales.limit[c] *= weight;
  }
  return scales;
}

ScatterPrior scatter_in(const ColumnScales& scales, const RowPrior& prior) {
  ScatterPrior scatter = prior.scatter;
  const auto weight = [&](std::size_t c) { return scales.limit[c] / kLargestUnit; };
  for (std::vector<double>* factors : {&scatter.within, &scatter.between}) {
    for (std::size_t i = 0; i < factors->size(); ++i) (*factors)[i] *= weight(i % scatter.columns);
  }
  for (std::size_t c = 0; c < scatter.columns; ++c) scatter.remainder[c] *= weight(c) * weight(c);
  return scatter;
}

}  // namespace leafglyph
