#include "classify/classifier/split_fits.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "classify/classifier/class_sums.h"
#include "features/base/aligned_vector.h"
#include "features/base/threads.h"

namespace leafglyph {

double log_floor_of(const PipelineSpec& spec) {
  return spec.values == Values::kMagnitude ? 0.0 : spec.log_floor;
}

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

namespace {

// The scaled rows of a table, made a part at a time. If one part is the whole table, it is kept.
class UnitRows {
 public:
  UnitRows(const FeatureTable& table, const ColumnScales& scales, const PipelineSpec& spec)
      : table_(table), scales_(scales), spec_(spec) {
    if (table.rows() > kRowsHeld) return;
    LargeVector<float> copy;
    kept_ = rows_in(scales_, table_.layout, spec_, table_.part(0, table.rows(), copy));
  }

  // All of them, if they are a single part. They are gone from here then.
  std::vector<float> kept() { return std::move(kept_); }

  // Goes through the table a part at a time. `take` receives the rows of that part that belong to
  // each group; the row numbers of a group ascend. Then `passed` receives the part's number of
  // rows.
  void for_groups(std::span<const std::span<const std::size_t>> groups, std::span<const int> labels,
                  const std::function<void(std::span<const LabelledRows>)>& take,
                  const std::function<void(std::size_t)>& passed) {
    const std::size_t columns = table_.layout.columns();
    std::vector<std::size_t> next(groups.size());
    std::vector<GroupCopy> copies(groups.size());
    std::vector<LabelledRows> of_groups(groups.size());
    for (std::size_t first = 0; first < table_.rows(); first += together_) {
      const std::size_t end = std::min(table_.rows(), first + together_);
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

  // The shorter a loop, the more of it the threads of a large team wait for the last of them.
  static std::size_t rows_together() {
    constexpr std::size_t kThreads = 16;
    return kRowsHeld *
           std::max<std::size_t>(1, static_cast<std::size_t>(thread_count()) / kThreads);
  }

  const FeatureTable& table_;
  const ColumnScales& scales_;
  const PipelineSpec& spec_;
  std::size_t together_ = rows_together();
  std::vector<float> kept_;
  LargeVector<float> copy_, made_;
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

// The sums of the differences between augmented copies and their rows, for the rows that are
// wanted.
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

SplitFits fits_of_sums(const FittedTo& to, const PldaFit& fit, const ClassSums& sums,
                       UnitRows& units, const FitWork& work) {
  const PldaScatter all = fit.scatter_of(sums);
  SplitFits made(to.tested.size());
  // A table of several parts is gone through once, for all fits together. For a table of one part,
  // no more fits are under way than threads, because their memory then stays in the caches.
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

}  // namespace

SplitFits fits_without(const FittedTo& to, const ScatterPrior& prior, const ClassSums* sums,
                       const FitWork& work) {
  UnitRows units(to.table, to.scales, to.spec);
  std::optional<ClassSums> own;
  if (sums == nullptr) own = sums_in(units, to.labels, to.table.layout.columns(), work);
  SplitFits made = fits_of_sums(to, PldaFit(prior, to.spec.plda), own ? *own : *sums, units, work);
  made.scaled = units.kept();
  return made;
}

}  // namespace leafglyph
