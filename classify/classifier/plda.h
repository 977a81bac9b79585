// Probabilistic linear discriminant analysis with a prior: how probable it is that a row is of a
// class, compared with being of a class that was never seen.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/table/row_arithmetic.h"
#include "features/base/keys.h"

namespace leafglyph {

/// How rows of other classes vary, which stands in for what few own rows cannot show. Matrices are
/// rows of factors: W0 = within^T within, and so on; column j of row i at [i * columns + j].
struct ScatterPrior {
  std::size_t columns = 0;
  std::vector<double> within;     ///< W0: covariance of rows about the means of their classes
  std::vector<double> remainder;  ///< one value per column, which is added to the diagonal of W0
  std::vector<double> between;    ///< B0: covariance of the means of the classes
  double mean_noise = 0;          ///< the share of W0 in B0, since means of few rows are uncertain

  std::size_t species() const { return between.size() / columns; }
};

/// The prior that rows of other classes give. `rank` rows of `within` are kept, those of the
/// largest variance; what they leave out is the remainder. Throws UsageError if there are fewer
/// than two classes or no class has two rows.
ScatterPrior prior_of(const ClassSums& sums, std::size_t rank);

struct PldaSpec {
  double prior_rows = 30;     ///< n0: the number of own rows that W0 weighs as much as
  double prior_classes = 60;  ///< n1: the number of own classes that B0 weighs as much as
  double shrinkage = 0.7;     ///< s
  /// lambda: W also has lambda times the mean of d d^T over deviations d, which show what
  /// varies within a class (augmented copies minus their rows).
  double augmentation = 0;
  friend bool operator==(const PldaSpec&, const PldaSpec&) = default;
};

/// s = 0 would leave W without an inverse where there are fewer rows than columns.
inline constexpr Range kShrinkages{1e-6, 1.0};
/// Keys of the mapping `pipeline`.
void declare(Keys& keys, PldaSpec& spec);
/// Throws UsageError with the key when a value is out of range.
void validate(const PldaSpec& spec);

/// The two-covariance model of Bruemmer and de Villiers ("The speaker partitioning problem", 2010),
/// with the length normalisation of Garcia-Romero and Espy-Wilson (Interspeech 2011); Ioffe (ECCV
/// 2006) introduced the analysis. For n rows of K classes with the scatter S within classes:
///
///   W = (n0 W0 + S) / (n0 + n - K), then W = (1 - s) W + s (tr W / columns) I,
///   B = (n1 B0 + B_S) / (n1 + K - 1), B_S the scatter of the K class means, less what the
///       uncertainty of means adds: W times (n1 mean_noise + sum of 1 / rows of class) / (n1 + K -
///       1).
///
/// T diagonalises both: T W T^T = I, T B T^T = diag(b). Directions with b <= kLeastSpread are left
/// out. A row z becomes x = T (z - mean) / sqrt(1 + b), scaled to the length sqrt(dimension): a row
/// of an unknown class then has about variance 1 in each direction.
class Plda {
 public:
  static constexpr double kLeastSpread = 0.02;

  /// A fitted model that was saved: mean(), matrix() and spread(). Throws FormatError, naming
  /// `source`, if they do not fit together.
  Plda(std::vector<double> mean, std::vector<double> matrix, std::vector<double> spread,
       const std::string& source);

  std::size_t columns() const { return mean_.size(); }
  std::size_t dimension() const { return spread_.size(); }
  /// b of each direction, largest first.
  std::span<const double> spread() const { return spread_; }

  std::span<const double> mean() const { return mean_; }  ///< of the rows
  /// T / sqrt(1 + b): the weight of column c in direction k at [c * dimension() + k].
  std::span<const double> matrix() const { return matrix_; }

  /// x of each row: component j of row i at [i * dimension() + j]. A row's result does not depend
  /// on the other rows. It is computed from the row minus the mean, rounded to float (RowProducts).
  std::vector<float> transform(std::span<const float> rows) const;
  /// x of means of rows, whose lengths are left as they are: near the mean of the rows' x.
  std::vector<float> transform_means(std::span<const float> means) const;
  /// What a row T (z - mean) / sqrt(1 + b) is multiplied by to become x.
  static double factor_to_length(std::span<const double> row);

 private:
  std::vector<float> along(std::span<const float> rows, bool normalised) const;

  std::vector<double> mean_, matrix_;
  std::vector<double> spread_;
  RowProducts products_;  // with matrix_
};

/// Rows that Plda is fitted to: n0 W0 and the sum of z z^T in float, and the totals of their
/// classes.
class PldaScatter {
 public:
  /// Takes off each scatter some of the rows of the sums that it was made with, which must outlive
  /// it. Throws UsageError if the lengths do not fit.
  static void take_off(std::span<PldaScatter> scatters, std::span<const LabelledRows> rows);
  /// The classes of the rows that are left. Throws what RemainingClasses throws.
  RemainingClasses classes() const { return {sums_->classes(), &off_}; }
  /// After PldaFit::fit: L of W = L L^T, column by column, its lower triangle.
  std::span<const float> factor() const { return products_; }

 private:
  friend class PldaFit;
  PldaScatter(LargeVector<float> products, const ClassSums& sums)
      : products_(std::move(products)), sums_(&sums) {}

  LargeVector<float> products_;  // a lower triangle, column by column
  const ClassSums* sums_;
  ClassTotals off_;
};

/// Fits Plda to rows whose sums are known, and to these without some of them.
class PldaFit {
 public:
  /// Throws UsageError if a value of the spec is out of range.
  PldaFit(const ScatterPrior& prior, const PldaSpec& spec);

  /// Throws UsageError if the rows have other columns than the prior.
  PldaScatter scatter_of(const ClassSums& sums) const;
  /// The scatter is used up: only its classes() and factor() are left, and its memory for another
  /// to be assigned to it. `deviations` are sums, as of one class, over those of
  /// PldaSpec::augmentation. Throws UsageError if they have other columns, there is nothing that
  /// separates classes, or more rows of a class were taken off than there are.
  Plda fit(PldaScatter& scatter, const ClassSums* deviations = nullptr) const;

  const ScatterPrior& prior() const { return prior_; }
  const PldaSpec& spec() const { return spec_; }
  /// n0 W0: a lower triangle, column by column, with 0 above it.
  std::span<const float> prior_within() const { return within_; }

 private:
  ScatterPrior prior_;
  PldaSpec spec_;
  LargeVector<float> within_;
};

/// The classes of a model as seen in the directions of a Plda.
class ClassLikelihood {
 public:
  /// For the sums of rows that were transformed by a Plda with that spread. Throws UsageError if
  /// they have another length.
  ClassLikelihood(std::span<const double> spread, const ClassTotals& totals);
  /// One that was saved: the number of rows of each class, by label, and means(). Throws UsageError
  /// if they do not fit together.
  ClassLikelihood(std::span<const double> spread, const std::map<int, std::size_t>& counts,
                  std::vector<double> means);

  /// The mean of class number c in direction j at [c * directions + j].
  std::span<const double> means() const { return means_; }
  /// The labels of the classes, ascending, and the number of one of them.
  std::span<const int> labels() const { return labels_; }
  std::size_t place_of(int label) const;

  /// The logarithm of p(x | class number c) / p(x | a class that was never seen). x is a
  /// transformed row, or the mean of `queries` rows that are of one class. With beta = b / (1 + b)
  /// and omega = 1 / (1 + b), for a class of m rows with mean y:
  ///
  ///   g = m beta / (m beta + omega), v = omega / queries + beta omega / (m beta + omega),
  ///   sum over directions of log N(x; g y, v) - log N(x; 0, beta + omega / queries).
  double log_ratio(std::size_t c, std::span<const float> x, std::size_t queries = 1) const;

 private:
  void check(std::size_t c, std::span<const float> x) const;
  std::vector<double> beta_;
  std::vector<int> labels_;
  std::vector<double> counts_;
  std::vector<double> means_;
};

}  // namespace leafglyph
