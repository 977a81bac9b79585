// Transforms feature rows before distances are computed: logarithm, scaling, projection. Fitted to
// training rows only.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/classifier/fit_work.h"
#include "classify/classifier/plda.h"
#include "classify/classifier/row_prior.h"
#include "classify/table/feature_table.h"
#include "classify/table/folds.h"
#include "features/base/names.h"

namespace leafglyph {

class Keys;

enum class Values {
  kMagnitude,     ///< |Z_nm|
  kLogMagnitude,  ///< ln(|Z_nm| + log_floor); other columns than moments are left as they are
};
template <>
inline constexpr Names<Values, 2> kNamesOf<Values> = {
    "feature values",
    {{{Values::kMagnitude, "magnitude"}, {Values::kLogMagnitude, "log-magnitude"}}}};

enum class Scaling {
  kNone,
  kStandardise,  ///< (x - mean) / standard deviation of the training rows
};
template <>
inline constexpr Names<Scaling, 2> kNamesOf<Scaling> = {
    "scaling", {{{Scaling::kNone, "none"}, {Scaling::kStandardise, "standardise"}}}};

enum class Projection {
  kNone,
  kPlda,  ///< the directions of Plda (plda.h), with the prior of the training rows
};
template <>
inline constexpr Names<Projection, 2> kNamesOf<Projection> = {
    "projection", {{{Projection::kNone, "none"}, {Projection::kPlda, "plda"}}}};

struct PipelineSpec {
  Values values = Values::kMagnitude;
  double log_floor = 1e-3;
  Scaling scaling = Scaling::kNone;  ///< without a projection; kPlda scales as its prior does
  Projection projection = Projection::kNone;
  PldaSpec plda;          ///< for kPlda
  ColumnWeights weights;  ///< for kPlda
  friend bool operator==(const PipelineSpec&, const PipelineSpec&) = default;
};

/// The fitted state; everything a pipeline needs besides its spec and layout.
struct PipelineState {
  ColumnScales scales;       ///< 0 is the scale of a column that was dropped
  std::optional<Plda> plda;  ///< for Projection::kPlda
};

/// The keys of the mapping `pipeline`.
void declare(Keys& keys, PipelineSpec& spec);
/// Throws UsageError with the key when a value is out of range.
void validate(const PipelineSpec& spec);

struct SplitPipelines;

class FeaturePipeline {
 public:
  /// Fits to the rows of `training` with classes `labels`. Drops columns that are constant in them,
  /// or, with kPlda, in the prior. Throws UsageError when the spec is out of range or, with kPlda,
  /// there is no prior of these columns, InputError when a value is not finite or every column is
  /// constant.
  static FeaturePipeline fit(const FeatureTable& training, std::span<const int> labels,
                             const PipelineSpec& spec);
  /// With kPlda, fits also to the rows that each of the splits does not test. `sums` are sums_of()
  /// the rows; null: not known.
  static SplitPipelines fit(const FeatureTable& training, std::span<const int> labels,
                            const PipelineSpec& spec, std::span<const Split> splits,
                            const ClassSums* sums = nullptr, const FitWork& work = {});

  /// With kPlda, calls take(i, pipeline, rows) with a pipeline fitted to the rows but which[i], and
  /// transform() of every row, for those i that PldaLeaveOneOut supports; from several threads.
  /// `sums` are sums_of() the rows. Returns the other i.
  using TakeLeftOut = std::function<void(std::size_t, const FeaturePipeline&, std::vector<float>)>;
  static std::vector<std::size_t> leave_out(const FeatureTable& training,
                                            std::span<const int> labels, const PipelineSpec& spec,
                                            const ClassSums& sums,
                                            std::span<const std::size_t> which,
                                            const TakeLeftOut& take);

  /// With kPlda, the sums of rows `which` of a table in the units of its prior. They are exact
  /// (ClassSums), so that those of a part and of the rest add up to those of all.
  static ClassSums sums_of(const FeatureTable& table, std::span<const int> labels,
                           const PipelineSpec& spec, std::span<const std::size_t> which);

  /// With kPlda, the units in which rows of a table are summed: the scales of its prior.
  static ColumnScales units_of(const FeatureTable& table, const PipelineSpec& spec);

  /// Uses a saved state. Throws FormatError, naming `source`, when the state does not fit the
  /// layout and spec.
  FeaturePipeline(FeatureLayout layout, PipelineSpec spec, PipelineState state,
                  const std::string& source);

  const FeatureLayout& layout() const { return layout_; }
  const PipelineSpec& spec() const { return spec_; }
  const PipelineState& state() const { return state_; }
  std::size_t dropped_columns() const { return layout_.columns() - kept_.size(); }
  /// Length of a row after the pipeline.
  std::size_t dimension() const { return dimension_; }

  /// Component j of row i is at [i * dimension() + j]. A row's result does not depend on the other
  /// rows. Throws UsageError when the table has a different layout.
  std::vector<float> transform(const FeatureTable& table) const;
  /// The same before the projection, for rows of layout(): column j at [i * layout().columns() +
  /// j], 0 if it was dropped.
  std::vector<float> scaled(std::span<const float> rows) const;
  /// The same, written to `result`, which must be as long as the rows.
  void scaled(std::span<const float> rows, std::span<float> result) const;
  /// transform() of rows that are already scaled.
  std::vector<float> project(std::span<const float> scaled) const;

 private:
  FeatureLayout layout_;
  PipelineSpec spec_;
  PipelineState state_;
  std::vector<std::size_t> kept_;  // columns that were not dropped
  std::size_t dimension_ = 0;
};

/// A pipeline fitted to the training rows of a split, and the means of their classes.
struct SplitPipeline {
  FeaturePipeline pipeline;
  std::vector<int> classes;    ///< their labels, ascending
  std::vector<float> centres;  ///< Plda::transform_means of the mean of each class
};

/// A pipeline fitted to all rows, and those of splits, in their order.
struct SplitPipelines {
  FeaturePipeline all;
  std::vector<SplitPipeline> of_splits;
  /// FeaturePipeline::scaled of the rows, if there are at most kRowsHeld; else empty.
  std::vector<float> scaled;
};

/// Rows that are held at a time in other forms than that of their table.
inline constexpr std::size_t kRowsHeld = 4096;

/// A column whose standard deviation is below this share of its root mean square contains only
/// rounding: float features carry about 1e-6.
inline constexpr double kConstantTolerance = 1e-5;

}  // namespace leafglyph
