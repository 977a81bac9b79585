// What leaves of other species teach about feature columns: their units, and how leaves vary within
// and between species.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/plda.h"
#include "classify/table/feature_table.h"
#include "classify/table/row_arithmetic.h"

namespace leafglyph {

/// The weights of columns that are few beside the moments.
struct ColumnWeights {
  double measures = 6;   ///< factor of each global measure
  double curvature = 1;  ///< of the curvature's columns together, in units of moments and measures
  double network = 1;    ///< of the network's columns together, in the same units
  double joined = 1;     ///< factor of the columns of a table (with_joined)
  friend bool operator==(const ColumnWeights&, const ColumnWeights&) = default;
};

/// Column c with value v is used as (v - mean) / (deviation + floor), limited to +- kLargestUnit. v
/// is ln(|Z| + log_floor) for moments. The units are those of the prior's leaves and not of the
/// training leaves, so that sums over training leaves add up. The floor keeps columns in which the
/// prior's leaves hardly differ from deciding: a unit is at least kMomentFloor in the logarithm of
/// a magnitude, kHistogramFloor in the root of a share, and the mean deviation of a network's
/// values.
struct RowPrior {
  FeatureLayout layout;
  double log_floor = 0.03;
  std::vector<double> mean, deviation;  ///< of each column, after the logarithm
  ScatterPrior scatter;                 ///< of the columns in their units
};
inline constexpr double kLargestUnit = 8, kMomentFloor = 0.4, kHistogramFloor = 0.1;
/// Directions of the variance within species that a prior keeps.
inline constexpr std::size_t kPriorRank = 128;

/// The prior that rows of classes `labels` give, rounded to float. Throws UsageError if there are
/// fewer than two classes or no class has two rows, InputError if a value is not finite.
RowPrior row_prior(const FeatureTable& rows, std::span<const int> labels, double log_floor);

/// The prior for the rows of `table`, of classes `labels`, whose last group are columns that the
/// leaves of the prior do not have. Two numbers that all joined columns share follow from the rows:
/// the shares w and b of their variance within and between classes. A unit is such that the
/// variance within classes is r times the mean one of the other columns, and that between them
/// b / w times it. r = b / (b + w / m), for m rows of a class, is how much of what the means of
/// classes differ is not chance: columns of noise hardly count. They vary with nothing else.
RowPrior with_joined(const RowPrior& prior, const FeatureTable& table, std::span<const int> labels);

/// The prior as a matrix with layout.columns() columns, for files: mean, deviation, the scatter's
/// remainder, a row for each of the species between which it has variation, and its rows within.
std::vector<float> matrix_of(const RowPrior& prior);
/// The prior whose matrix_of has these values; the other arguments are what the matrix does not
/// say. Throws FormatError, naming `source`, if rows are missing or a value is not finite.
RowPrior prior_of_matrix(std::span<const float> matrix, const FeatureLayout& layout,
                         double log_floor, std::size_t species, double mean_noise,
                         const std::string& source);

/// The prior of some of its columns: those of a layout with the same groups or fewer, up to the
/// same order or a lower one. Throws UsageError, naming what is missing.
RowPrior select_columns(const RowPrior& prior, const FeatureLayout& layout);

/// The prior's units, times the weights of the columns. Columns that are constant in the prior and
/// have no floor are dropped.
ColumnScales scales_of(const RowPrior& prior, const ColumnWeights& weights);

/// The prior's scatter in these scales.
ScatterPrior scatter_in(const ColumnScales& scales, const RowPrior& prior);

}  // namespace leafglyph
