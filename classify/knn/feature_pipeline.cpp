#include "classify/knn/feature_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "classify/knn/plda_leave_one_out.h"
#include "features/base/errors.h"
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

// The log_floor of scaled_rows.
double log_floor_of(const PipelineSpec& spec) {
  return spec.values == Values::kMagnitude ? 0.0 : spec.log_floor;
}

// Rows as the pipeline scales them. With kPlda they are rounded, so that their sums are exact.
void scale(const ColumnScales& scales, const FeatureLayout& layout, const PipelineSpec& spec,
           std::span<const float> rows, std::span<float> scaled) {
  const float grid = spec.projection == Projection::kPlda ? ClassSums::kGrid : 0;
  scale_rows(layout, rows, scales, log_floor_of(spec), grid, scaled);
}

std::vector<float> rows_in(const ColumnScales& scales, const FeatureLayout& layout,
                           const PipelineSpec& spec, std::span<const float> rows) {
  std::vector<float> scaled(rows.size());
  scale(scales, layout, spec, rows, scaled);
  return scaled;
}

// Scales as spec.scaling says. Without a projection a shift does not change distances.
ColumnScales fit_scales(const FeatureTable& training, const PipelineSpec& spec) {
  const std::size_t columns = training.layout.columns();
  const ColumnScales as_they_are{std::vector<double>(columns, 0.0),
                                 std::vector<double>(columns, 1.0),
                                 std::vector<double>(columns, kUnlimited)};
  std::vector<float> copy;
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

// The rows of a table in units, a part of them at a time. A single part is kept.
class UnitRows {
 public:
  UnitRows(const FeatureTable& table, const ColumnScales& scales, const PipelineSpec& spec)
      : table_(table), scales_(scales), spec_(spec) {
    if (table.rows() > kRowsHeld) return;
    std::vector<float> copy;
    kept_ = rows_in(scales_, table_.layout, spec_, table_.part(0, table.rows(), copy));
  }

  // All of them, if they are a single part. They are gone from here then.
  std::vector<float> kept() { return std::move(kept_); }

  // Calls take for some rows of the table after others, with those of each of several groups, whose
  // numbers ascend. `passed` receives how many rows of the table were seen since it was called
  // last.
  void for_groups(std::span<const std::span<const std::size_t>> groups, std::span<const int> labels,
                  const std::function<void(std::span<const LabelledRows>)>& take,
                  const std::function<void(std::size_t)>& passed) {
    const std::size_t columns = table_.layout.columns();
    std::vector<std::size_t> next(groups.size());
    std::vector<GroupCopy> copies(groups.size());
    std::vector<LabelledRows> of_groups(groups.size());
    for (std::size_t first = 0; first < table_.rows(); first += kRowsHeld) {
      const std::size_t end = std::min(table_.rows(), first + kRowsHeld);
      const std::span<const float> all = kept_.empty() ? made(first, end) : kept_;
      parallel_for(groups.size(), [&](std::size_t g) {
        const auto begin = groups[g].begin() + static_cast<std::ptrdiff_t>(next[g]);
        const auto some = std::span(begin, std::lower_bound(begin, groups[g].end(), end));
        next[g] += some.size();
        of_groups[g] =
            rows_of(some, {all, labels.subspan(first, end - first)}, first, columns, copies[g]);
      });
      take(of_groups);
      passed(end - first);
    }
  }

 private:
  // The rows of a group that do not lie together.
  struct GroupCopy {
    std::vector<float> rows;
    std::vector<int> labels;
  };

  static LabelledRows rows_of(std::span<const std::size_t> some, const LabelledRows& all,
                              std::size_t first, std::size_t columns, GroupCopy& copy) {
    if (some.empty()) return {};
    if (some.back() - some.front() + 1 == some.size()) {
      return {all.values.subspan((some.front() - first) * columns, some.size() * columns),
              all.labels.subspan(some.front() - first, some.size())};
    }
    copy.rows.clear();
    copy.labels.clear();
    for (const std::size_t i : some) {
      const auto row = all.values.subspan((i - first) * columns, columns);
      copy.rows.insert(copy.rows.end(), row.begin(), row.end());
      copy.labels.push_back(all.labels[i - first]);
    }
    return {copy.rows, copy.labels};
  }

  std::span<const float> made(std::size_t first, std::size_t end) {
    const std::span<const float> rows = table_.part(first, end - first, copy_);
    made_.resize(rows.size());
    scale(scales_, table_.layout, spec_, rows, made_);
    return made_;
  }

  const FeatureTable& table_;
  const ColumnScales& scales_;
  const PipelineSpec& spec_;
  std::vector<float> kept_, copy_;
  LargeVector<float> made_;
};

// The labels of classes, and their means in the directions of a fit.
struct ClassMeans {
  std::vector<int> labels;
  std::vector<float> centres;
};
ClassMeans means_of(const RemainingClasses& classes, const Plda& plda) {
  constexpr std::size_t kTogether = 256;
  ClassMeans means;
  std::vector<float> some;
  const auto transform = [&] {
    const std::vector<float> centres = plda.transform_means(some);
    means.centres.insert(means.centres.end(), centres.begin(), centres.end());
    some.clear();
  };
  classes.for_each([&](int label, double rows, std::span<const double> sum) {
    means.labels.push_back(label);
    const double share = 1.0 / rows;
    for (const double value : sum) some.push_back(static_cast<float>(share * value));
    if (some.size() == kTogether * plda.columns()) transform();
  });
  if (!some.empty()) transform();
  return means;
}

// The sums of what augmented copies differ by from their rows, for the rows that are wanted.
ClassSums deviation_sums(const FeatureTable& table, const ColumnScales& scales,
                         const PipelineSpec& spec,
                         const std::function<bool(std::size_t)>& is_wanted) {
  ClassSums sums(table.layout.columns());
  if (spec.plda.augmentation == 0.0) return sums;
  for (std::size_t i = 0; i < table.augmented.of.size(); ++i) {
    const std::size_t of = table.augmented.of[i];
    if (!is_wanted(of)) continue;
    std::vector<float> deviation = rows_in(scales, table.layout, spec, table.augmented_row(i));
    const std::vector<float> row = rows_in(scales, table.layout, spec, table.row(of));
    for (std::size_t c = 0; c < row.size(); ++c) deviation[c] -= row[c];
    sums.add(deviation, std::vector<int>{0});
  }
  return sums;
}

/// Fits to all rows, and to those that each split does not test, and the means of their classes,
/// but for those of all rows.
struct Fits {
  std::vector<std::optional<Plda>> fits;
  std::vector<ClassMeans> means;
};

/// Rows that are fitted to: their table and classes, and `tested`, which rows each fit is without.
struct FittedTo {
  const FeatureTable& table;
  std::span<const int> labels;
  const ColumnScales& scales;
  const PipelineSpec& spec;
  std::span<const std::span<const std::size_t>> tested;
};

ClassSums sums_in(UnitRows& units, std::span<const int> labels, std::size_t columns,
                  const FitWork& work) {
  ClassSums sums(columns);
  std::vector<std::size_t> every(labels.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  const std::vector<std::span<const std::size_t>> whole = {every};
  units.for_groups(
      whole, labels,
      [&](std::span<const LabelledRows> rows) {
        sums.add(rows.front().values, rows.front().labels);
      },
      [&](std::size_t rows) { work.summed(rows); });
  return sums;
}

Fits fits_of_sums(const FittedTo& to, const PldaFit& fit, const ClassSums& sums, UnitRows& units,
                  const FitWork& work) {
  const PldaScatter all = fit.scatter_of(sums);
  Fits made{std::vector<std::optional<Plda>>(to.tested.size()),
            std::vector<ClassMeans>(to.tested.size())};
  // Several parts are made for all fits together; with a single one, memory that is used again at
  // once is faster.
  const std::size_t together =
      to.labels.size() > kRowsHeld ? to.tested.size() : static_cast<std::size_t>(thread_count());
  std::vector<PldaScatter> rest(std::min(to.tested.size(), together), all);
  for (std::size_t first = 0; first < to.tested.size(); first += rest.size()) {
    const std::size_t count = std::min(rest.size(), to.tested.size() - first);
    if (first > 0) std::fill_n(rest.begin(), count, all);
    units.for_groups(
        to.tested.subspan(first, count), to.labels,
        [&](std::span<const LabelledRows> rows) {
          PldaScatter::take_off(std::span(rest).first(count), rows);
        },
        [&](std::size_t rows) {
          if (first + count == to.tested.size()) work.taken_off(rows);
        });
    parallel_for(count, [&](std::size_t i) {
      const std::size_t f = first + i;
      const ClassSums varied = deviation_sums(to.table, to.scales, to.spec, [&](std::size_t row) {
        return !std::ranges::binary_search(to.tested[f], row);
      });
      made.fits[f] = fit.fit(rest[i], &varied);
      if (f > 0) made.means[f] = means_of(rest[i].classes(), *made.fits[f]);
      work.fitted();
    });
  }
  return made;
}

Fits fits_of_kernel(const FittedTo& to, const KnownRows& known, std::span<const float> rows,
                    const FitWork& work) {
  const std::size_t columns = to.table.layout.columns();
  ClassTotals totals;
  add_to(totals, rows, to.labels, columns);
  Fits made{std::vector<std::optional<Plda>>(to.tested.size()),
            std::vector<ClassMeans>(to.tested.size())};
  parallel_for({.count = to.tested.size(), .helps_within = true}, [&](std::size_t f) {
    std::vector<std::size_t> places;
    std::vector<int> labels;
    ClassTotals off;
    for (std::size_t i = 0; i < to.labels.size(); ++i) {
      if (std::ranges::binary_search(to.tested[f], i)) {
        add_to(off, rows.subspan(i * columns, columns), to.labels.subspan(i, 1), columns);
      } else {
        places.push_back(known.places[i]);
        labels.push_back(to.labels[i]);
      }
    }
    const RemainingClasses classes(totals, &off);
    made.fits[f] = known.kernel->fit(places, labels, classes);
    if (f > 0) made.means[f] = means_of(classes, *made.fits[f]);
    work.fitted();
  });
  return made;
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
                                     const PipelineSpec& spec) {
  return fit(training, labels, spec, {}).all;
}

SplitPipelines FeaturePipeline::fit(const FeatureTable& training, std::span<const int> labels,
                                    const PipelineSpec& spec, std::span<const Split> splits,
                                    const KnownRows& known, const FitWork& work) {
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
    const FittedTo to{training, labels, state.scales, spec, tested};
    UnitRows units(training, state.scales, spec);
    Fits made;
    if (known.kernel != nullptr) {
      scaled = units.kept();
      made = fits_of_kernel(to, known, scaled, work);
    } else {
      std::optional<ClassSums> own;
      if (known.sums == nullptr) {
        own = sums_in(units, labels, training.layout.columns(), work);
      }
      made = fits_of_sums(to, PldaFit(scatter_in(state.scales, prior), spec.plda),
                          own ? *own : *known.sums, units, work);
      scaled = units.kept();
    }
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
  std::vector<float> copy;
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

std::unique_ptr<PldaKernel> FeaturePipeline::kernel_of(const FeatureTable& table,
                                                       std::span<const int> labels,
                                                       const PipelineSpec& spec,
                                                       std::size_t fitted) {
  const RowPrior prior = prior_for(table, spec);
  const ColumnScales scales = scales_of(prior, spec.weights);
  PldaFit fit(scatter_in(scales, prior), spec.plda);
  if (table.rows() > kRowsHeld || !PldaKernel::pays(fit, table.rows(), fitted)) return nullptr;
  std::vector<float> copy;
  return std::make_unique<PldaKernel>(
      std::move(fit), rows_in(scales, table.layout, spec, table.part(0, table.rows(), copy)),
      labels, fitted);
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
  std::vector<float> copy;
  for (std::size_t first = 0; first < table.rows(); first += kRowsHeld) {
    const std::size_t count = std::min(kRowsHeld, table.rows() - first);
    const std::vector<float> part = project(scaled(table.part(first, count, copy)));
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace leafglyph
