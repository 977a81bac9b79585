// The transformation of a feature row before distances: logarithm, scaling, projection; fitted to
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
  kLogMagnitude,  ///< ln(|Z_nm| + log_floor); the global measures are left as they are
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
  /// Linear discriminant (Fisher; Rao 1948) with shrinkage s (Friedman 1989): the directions v of
  /// largest v^T B v / v^T W_s v, W_s = (1 - s) W + s (tr W / d) I, where W is the scatter of the
  /// rows about the means of their classes and B that of these means, both divided by the number
  /// of rows. Each v has v^T W_s v = 1.
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
  /// Dimensions after the projection; 0: as many as there are (classes less one for kDiscriminant).
  int dimensions = 0;
  double shrinkage = 0.3;  ///< s of kDiscriminant, 0..1
  /// Above 0: each channel's own discriminant follows the joint one, times this weight. A row that
  /// fits a class in all channels together need not fit it in each, which reveals unknown leaves.
  double channel_discriminants = 0.0;
  /// Above 0: W has augmentation * V added, V the mean over the augmented copies of training rows
  /// of d d^T, d the copy less its row. Directions that damage, blur and noise change then separate
  /// less. For kDiscriminant, and tables with augmented copies.
  double augmentation = 0.0;
  /// A factor for the scaled columns of the global measures, which are few compared with those of a
  /// channel.
  double measure_weight = 1;
  friend bool operator==(const PipelineSpec&, const PipelineSpec&) = default;
};

/// A projection of some columns of the layout.
struct ProjectionBlock {
  std::vector<std::size_t> columns;
  std::size_t dimensions = 0;
  std::vector<double> matrix;  ///< columns[c]'s share of dimension j: [c * dimensions + j]
};

/// The fitted state; everything a pipeline needs besides its spec and layout.
struct PipelineState {
  std::vector<double> offset;  ///< subtracted from each column of the layout
  std::vector<double> scale;   ///< then multiplied; 0 for a column that was dropped
  /// Empty without a projection; otherwise the joint one of all columns and then, if the spec has
  /// them, that of each channel with the global measures. A row's dimensions are those of the
  /// blocks, one after another.
  std::vector<ProjectionBlock> blocks;
};

/// The projection blocks of a layout: those of a PipelineState without their matrices and
/// dimensions; none if the spec does not project.
std::vector<ProjectionBlock> projection_blocks(const PipelineSpec& spec,
                                               const FeatureLayout& layout);

/// Throws UsageError with the key when a value is out of range or the weights do not fit.
void validate(const PipelineSpec& spec);

class FeaturePipeline {
 public:
  /// Fits to the rows of `training` with classes `labels`. Drops columns that are constant in them.
  /// Throws UsageError when the spec is out of range, InputError when a value is not finite or
  /// every column is constant, Error when W_s is singular.
  static FeaturePipeline fit(const FeatureTable& training, std::span<const int> labels,
                             const PipelineSpec& spec);

  /// A pipeline fitted before. Throws FormatError with `source` when the state does not fit the
  /// layout and spec.
  FeaturePipeline(FeatureLayout layout, PipelineSpec spec, PipelineState state,
                  const std::string& source);

  const FeatureLayout& layout() const { return layout_; }
  const PipelineSpec& spec() const { return spec_; }
  const PipelineState& state() const { return state_; }
  std::size_t dropped_columns() const { return layout_.columns() - kept_.size(); }
  /// Length of a row after the pipeline.
  std::size_t dimension() const { return dimension_; }

  /// Component j of row i at [i * dimension() + j]. A row's result does not depend on the other
  /// rows. Throws UsageError when the table has another layout.
  std::vector<float> transform(const FeatureTable& table) const;
  /// The same before the projection: column j of the layout at [i * layout().columns() + j], 0
  /// where it was dropped.
  std::vector<float> scaled(const FeatureTable& table) const;

 private:
  void check_layout(const FeatureTable& table) const;

  FeatureLayout layout_;
  PipelineSpec spec_;
  PipelineState state_;
  std::vector<std::size_t> kept_;  // columns that were not dropped
  std::size_t dimension_ = 0;
};

/// A d x dimensions matrix: column c's share of dimension j at [c * dimensions + j].
struct LinearProjection {
  std::size_t dimensions = 0;
  std::vector<double> matrix;
};

/// The discriminant of Projection::kDiscriminant for rows x d centred data, which it works in
/// (component c of row i at [i * d + c]) of classes `labels`. `deviations`, more x d, count in W
/// beside those of the rows from the means of their classes. The smaller of a d x d system and one
/// of rows + more is solved. `dimensions` of 0 asks for all. Throws UsageError when there are fewer
/// dimensions than asked for, Error when W_s is singular.
LinearProjection discriminant_projection(std::vector<double> data, std::size_t d,
                                         std::span<const int> labels, double shrinkage,
                                         std::size_t dimensions,
                                         std::span<const double> deviations = {});

/// The principal components of centred data, of largest variance first.
LinearProjection principal_projection(std::span<const double> data, std::size_t d,
                                      std::size_t dimensions);

/// The first column of the global measures, which follow those of the moments.
std::size_t measures_start(const FeatureLayout& layout);

/// The value of a moment's magnitude by PipelineSpec::values; global measures stay.
inline double column_value(const PipelineSpec& spec, float value, bool is_measure) {
  if (spec.values == Values::kMagnitude || is_measure) return value;
  return std::log(static_cast<double>(value) + spec.log_floor);
}

/// The factor of a column: PipelineSpec::measure_weight for a global measure, else 1.
double column_weight(const FeatureLayout& layout, const PipelineSpec& spec, std::size_t column);

/// All values of a table, in its layout.
std::vector<double> column_values(const FeatureTable& table, const PipelineSpec& spec);

/// A column whose standard deviation is below this share of its root mean square contains only
/// rounding: float features carry about 1e-6.
inline constexpr double kConstantTolerance = 1e-5;

}  // namespace leafglyph
