#include "classify/classifier/row_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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
    case ColumnKind::kJoined:
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

// Rows of factors with 0 in `added` more columns.
std::vector<double> widened(const std::vector<double>& rows, std::size_t columns,
                            std::size_t added) {
  std::vector<double> wide;
  for (std::size_t first = 0; first < rows.size(); first += columns) {
    const auto row = std::span(rows).subspan(first, columns);
    wide.insert(wide.end(), row.begin(), row.end());
    wide.resize(wide.size() + added);
  }
  return wide;
}

// Mean and deviation of a column of the rows; of what is constant but for rounding the deviation
// is 0.
std::pair<double, double> mean_and_deviation(const FeatureTable& table, std::size_t column) {
  const auto n = static_cast<double>(table.rows());
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) mean += table.row(i)[column] / n;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double off = table.row(i)[column] - mean;
    variance += off * off / n;
  }
  const double deviation = std::sqrt(variance);
  return {mean, deviation > kConstantTolerance * std::abs(mean) ? deviation : 0.0};
}

/// Variances of columns, as means over these.
struct Variances {
  double within = 1, between = 1;  ///< classes
  double of_means = 0;             ///< what the means of classes vary by chance
};

// By the analysis of variance of rows in units; columns that are 0 in all of them do not count. A
// single class, or one row of each, says nothing.
Variances variances_of(std::span<const float> rows, std::span<const int> labels) {
  const std::size_t columns = rows.size() / labels.size();
  std::map<int, double> counts;
  std::map<int, std::vector<double>> sums;
  std::vector<double> squares(columns), all(columns);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++counts[labels[i]];
    std::vector<double>& sum = sums[labels[i]];
    sum.resize(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = rows[i * columns + c];
      sum[c] += value;
      all[c] += value;
      squares[c] += value * value;
    }
  }
  const auto n = static_cast<double>(labels.size()), classes = static_cast<double>(counts.size());
  const auto used =
      static_cast<double>(std::ranges::count_if(squares, [](double square) { return square > 0; }));
  if (used == 0 || classes < 2 || n <= classes) return {};
  double within = 0, between = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    double of_classes = 0;
    for (const auto& [label, count] : counts) of_classes += sums[label][c] * sums[label][c] / count;
    within += squares[c] - of_classes;
    between += of_classes - all[c] * all[c] / n;
  }
  const double of_rows = within / (used * (n - classes)), by_chance = of_rows * classes / n;
  const double of_means = between / (used * (classes - 1)) * classes / n;
  return {of_rows, std::max(0.0, of_means - by_chance), by_chance};
}

// The columns of the table from `first` to before `end`, as those of a row.
std::vector<float> columns_of(const FeatureTable& table, std::size_t first, std::size_t end) {
  std::vector<float> values;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i).subspan(first, end - first);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

// Joined columns that hardly vary within classes are taken to vary by this share of their variance.
constexpr double kLeastWithin = 0.05;

}  // namespace

RowPrior with_joined(const RowPrior& prior, const FeatureTable& table,
                     std::span<const int> labels) {
  const std::size_t own = prior.layout.columns(), all = table.layout.columns(), added = all - own;
  RowPrior joined = prior;
  joined.layout = table.layout;
  for (std::size_t c = own; c < all; ++c) {
    const auto [mean, deviation] = mean_and_deviation(table, c);
    joined.mean.push_back(mean);
    joined.deviation.push_back(deviation);
  }
  std::vector<float> values = columns_of(table, own, all);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = own + i % added;
    const double off = values[i] - joined.mean[c];
    values[i] = joined.deviation[c] > 0 ? static_cast<float>(off / joined.deviation[c]) : 0.0F;
  }
  const Variances variances = variances_of(values, labels);
  const double of_rows = std::max(kLeastWithin, variances.within);
  const double of_others = variances_of(scaled_rows(prior.layout, columns_of(table, 0, own),
                                                    units_of(prior), prior.log_floor),
                                        labels)
                               .within;
  const double counts = variances.between / (variances.between + variances.of_means);
  const double within = variances.between > 0 ? counts * of_others : 0;
  const double between = within * variances.between / of_rows;
  ScatterPrior& scatter = joined.scatter;
  scatter.columns = all;
  scatter.within = widened(prior.scatter.within, own, added);
  scatter.between = widened(prior.scatter.between, own, added);
  for (std::size_t c = own; c < all; ++c) {
    // Nothing is said of columns in which classes do not differ at all: they are dropped.
    double& unit = joined.deviation[c];
    unit = within > 0 ? unit * std::sqrt(of_rows / within) : 0;
    scatter.remainder.push_back(unit > 0 ? within : 0);
    if (unit == 0) continue;
    scatter.between.resize(scatter.between.size() + all);
    scatter.between[scatter.between.size() - all + c] = std::sqrt(between);
  }
  return joined;
}

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
  const double others =
      static_cast<double>(kinds.size()) - of_curvature - of_network - count(ColumnKind::kJoined);
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
    if (kinds[c] == ColumnKind::kJoined) weight = weights.joined;
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
