// Transforms feature rows before distances are computed: logarithm, scaling, projection. Fitted to
// training rows only.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/knn/feature_table.h"
#include "features/base/names.h"

namespace leafglyph {

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
  /// Linear discriminant (Fisher; Rao 1948) with shrinkage s (Friedman 1989): the directions v with
  /// the largest v^T B v / v^T W_s v, where W_s = (1 - s) W + s (tr W / d) I. W is the scatter of
  /// the rows about the means of their classes and B that of these means, both divided by the
  /// number of rows. Each v is scaled to v^T W_s v = 1.
  kDiscriminant,
};
template <>
inline constexpr Names<Projection, 2> kNamesOf<Projection> = {
    "projection", {{{Projection::kNone, "none"}, {Projection::kDiscriminant, "lda"}}}};

struct PipelineSpec {
  Values values = Values::kMagnitude;
  double log_floor = 1e-3;  ///< > 0
  Scaling scaling = Scaling::kNone;
  Projection projection = Projection::kNone;
  /// Dimensions after the projection; 0: as many as possible (classes - 1 for kDiscriminant).
  int dimensions = 0;
  double shrinkage = 0.3;  ///< s of kDiscriminant, 0..1
  /// Above 0: the joint discriminant is followed by one discriminant per channel, times this
  /// weight. A row that fits a class in all channels together may not fit it in each, which reveals
  /// unknown leaves.
  double channel_discriminants = 0.0;
  /// Above 0: adds augmentation * V to W, where V is the mean of d d^T over the augmented copies of
  /// training rows and d is a copy minus its row. Directions that damage, blur and noise change
  /// then separate less. For kDiscriminant, and for tables with augmented copies.
  double augmentation = 0.0;
  /// A factor for the scaled columns of the global measures, which are few compared with the
  /// columns of a channel.
  double measure_weight = 1;
  friend bool operator==(const PipelineSpec&, const PipelineSpec&) = default;
};

/// A projection of some columns of the layout.
struct ProjectionBlock {
  std::vector<std::size_t> columns;
  std::size_t dimensions = 0;
  std::vector<double> matrix;  ///< weight of columns[c] in dimension j: [c * dimensions + j]
};

/// The fitted state; everything a pipeline needs besides its spec and layout.
struct PipelineState {
  std::vector<double> offset;  ///< subtracted from each column of the layout
  std::vector<double> scale;   ///< then multiplied; 0 for a column that was dropped
  /// Empty without a projection. Otherwise the joint block of all columns, followed by one block
  /// for each channel with the global measures, if the spec asks for them. A row's dimensions are
  /// those of the blocks, one after another.
  std::vector<ProjectionBlock> blocks;
};

/// The projection blocks for a layout, as in PipelineState but without matrices and dimensions;
/// none if the spec does not project.
std::vector<ProjectionBlock> projection_blocks(const PipelineSpec& spec,
                                               const FeatureLayout& layout);

/// Throws UsageError with the key when a value is out of range or the weights do not fit.
void validate(const PipelineSpec& spec);

class FeaturePipeline {
 public:
  /// Fits to the rows of `training` with classes `labels`. Drops columns that are constant in them.
  /// Throws UsageError when the spec is out of range or W_s is singular, InputError when a value is
  /// not finite or every column is constant.
  static FeaturePipeline fit(const FeatureTable& training, std::span<const int> labels,
                             const PipelineSpec& spec);

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
  /// The same before the projection: column j of the layout at [i * layout().columns() + j], 0 if
  /// it was dropped.
  std::vector<float> scaled(const FeatureTable& table) const;

 private:
  void check_layout(const FeatureTable& table) const;

  FeatureLayout layout_;
  PipelineSpec spec_;
  PipelineState state_;
  std::vector<ColumnKind> kinds_;  // of the layout's columns
  std::vector<std::size_t> kept_;  // columns that were not dropped
  std::size_t dimension_ = 0;
};

/// A d x dimensions matrix: the weight of column c in dimension j is at [c * dimensions + j].
struct LinearProjection {
  std::size_t dimensions = 0;
  std::vector<double> matrix;
};

/// The discriminant of Projection::kDiscriminant, for centred `data` of rows x d (component c of
/// row i at [i * d + c]) with classes `labels`; uses `data` as work space. `deviations`, more x d,
/// are added to W like the deviations of the rows from their class means. Solves the smaller of a d
/// x d system and one of size rows + more. If `dimensions` is 0, returns as many as there are.
/// Throws UsageError when there are fewer dimensions than requested or W_s is singular.
LinearProjection discriminant_projection(std::vector<double> data, std::size_t d,
                                         std::span<const int> labels, double shrinkage,
                                         std::size_t dimensions,
                                         std::span<const double> deviations = {});

/// The principal components of centred data, largest variance first.
LinearProjection principal_projection(std::span<const double> data, std::size_t d,
                                      std::size_t dimensions);

/// The value of a column after PipelineSpec::values is applied, which is for moments only.
inline double column_value(const PipelineSpec& spec, float value, ColumnKind kind) {
  if (spec.values == Values::kMagnitude || kind != ColumnKind::kMoments) return value;
  return std::log(static_cast<double>(value) + spec.log_floor);
}

/// The factor of a column: PipelineSpec::measure_weight for a global measure, else 1.
double column_weight(const PipelineSpec& spec, ColumnKind kind);

/// All values of a table after column_value, in the table's layout.
std::vector<double> column_values(const FeatureTable& table, const PipelineSpec& spec);

/// A column whose standard deviation is below this share of its root mean square contains only
/// rounding: float features carry about 1e-6.
inline constexpr double kConstantTolerance = 1e-5;

}  // namespace leafglyph
