#include "classify/knn/feature_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "classify/knn/algebra.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Row-major data of rows x d is the same array as a column-major d x rows matrix, in which each row
// of the data is a column.
struct Scatter {
  std::vector<double> within;   // d x rows: each row minus the mean of its class
  std::vector<double> between;  // d x classes: class mean times sqrt(rows of the class / rows)
  std::size_t classes = 0;
};

// Within-class and between-class parts of the data: W = within within^T / rows and B = between
// between^T.
Scatter scatter(std::vector<double> data, std::size_t d, std::span<const int> labels) {
  std::map<int, std::size_t> position;
  for (const int label : labels) position.try_emplace(label, position.size());
  Scatter s;
  s.classes = position.size();
  std::vector<double> means(d * s.classes, 0.0);
  std::vector<double> counts(s.classes, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t c = position.at(labels[i]);
    counts[c] += 1.0;
    for (std::size_t j = 0; j < d; ++j) means[c * d + j] += data[i * d + j];
  }
  for (std::size_t c = 0; c < s.classes; ++c) {
    for (std::size_t j = 0; j < d; ++j) means[c * d + j] /= counts[c];
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* mean = &means[position.at(labels[i]) * d];
    for (std::size_t j = 0; j < d; ++j) data[i * d + j] -= mean[j];
  }
  s.within = std::move(data);
  s.between = std::move(means);
  for (std::size_t c = 0; c < s.classes; ++c) {
    const double weight = std::sqrt(counts[c] / static_cast<double>(labels.size()));
    for (std::size_t j = 0; j < d; ++j) s.between[c * d + j] *= weight;
  }
  return s;
}

double sum_of_squares(std::span<const double> values) {
  double sum = 0.0;
  for (const double v : values) sum += v * v;
  return sum;
}

// Solves (b I + a R R^T) X = M, where R = `within` is d x rows and M is d x columns.
std::vector<double> solve_in_columns(const Scatter& s, std::size_t d, std::size_t rows, double a,
                                     double b) {
  std::vector<double> matrix = outer_gram(s.within, d, rows, a);
  for (std::size_t j = 0; j < d; ++j) matrix[j * d + j] += b;
  std::vector<double> x = s.between;
  solve_positive_definite(matrix, x, d, s.classes);
  return x;
}

// The same by the matrix inversion lemma: X = (M - a R (b I + a R^T R)^{-1} R^T M) / b.
std::vector<double> solve_in_rows(const Scatter& s, std::size_t d, std::size_t rows, double a,
                                  double b) {
  std::vector<double> matrix = inner_gram(s.within, d, rows, a);
  for (std::size_t i = 0; i < rows; ++i) matrix[i * rows + i] += b;
  std::vector<double> y = product_tn(s.within, s.between, rows, d, s.classes);
  solve_positive_definite(matrix, y, rows, s.classes);
  const std::vector<double> correction = product(s.within, y, d, rows, s.classes);
  std::vector<double> x = s.between;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - a * correction[i]) / b;
  return x;
}

std::size_t checked_dimensions(std::size_t requested, std::size_t available, const char* of_what) {
  if (available == 0) {
    throw UsageError(std::string("no ") + of_what +
                     " can be taken: at least two classes and a column that varies are needed");
  }
  if (requested > available) {
    throw UsageError(fmt::format("pipeline.dimensions = {}, but there are only {} {}", requested,
                                 available, of_what));
  }
  return requested == 0 ? available : requested;
}

// Eigenvalues below this share of the largest one are rounding errors.
constexpr double kRankTolerance = 1e-10;

std::size_t rank_of(const std::vector<double>& eigenvalues) {
  const double limit = kRankTolerance * eigenvalues.front();
  return static_cast<std::size_t>(std::count_if(eigenvalues.begin(), eigenvalues.end(),
                                                [&](double v) { return v > limit && v > 0.0; }));
}

// Multiplies `basis` (d x n) by the first `dimensions` eigenvectors and, if `normalise` is set,
// divides column j by the square root of eigenvalue j. The result is row-major.
LinearProjection combine(std::span<const double> basis, std::size_t d, std::size_t n,
                         const SymmetricEigen& eigen, std::size_t dimensions, bool normalise) {
  const std::vector<double> combined =
      product(basis, std::span(eigen.vectors).first(n * dimensions), d, n, dimensions);
  LinearProjection projection{dimensions, std::vector<double>(d * dimensions)};
  for (std::size_t j = 0; j < dimensions; ++j) {
    const double factor = normalise ? 1.0 / std::sqrt(eigen.values[j]) : 1.0;
    for (std::size_t c = 0; c < d; ++c) {
      projection.matrix[c * dimensions + j] = factor * combined[j * d + c];
    }
  }
  return projection;
}

}  // namespace

// Generalised eigenvectors of B = M M^T and W_s, for the d x classes matrix M of scaled class
// means. W_s^{-1} is applied only to M, by the smaller of the two systems, so that an eigenproblem
// of classes x classes remains.
LinearProjection discriminant_projection(std::vector<double> data, std::size_t d,
                                         std::span<const int> labels, double shrinkage,
                                         std::size_t dimensions,
                                         std::span<const double> deviations) {
  const double n = static_cast<double>(labels.size());
  Scatter s = scatter(std::move(data), d, labels);
  s.within.insert(s.within.end(), deviations.begin(), deviations.end());
  const std::size_t rows = s.within.size() / d;
  const double mean_variance = sum_of_squares(s.within) / (n * static_cast<double>(d));
  const double a = (1.0 - shrinkage) / n;
  const double b = shrinkage * mean_variance;
  // With X = W_s^{-1} M and M^T X u = l u, the vector v = X u / sqrt(l) satisfies v^T W_s v = 1 and
  // has v^T B v / v^T W_s v = l.
  const std::vector<double> x =
      rows < d && b > 0.0 ? solve_in_rows(s, d, rows, a, b) : solve_in_columns(s, d, rows, a, b);
  const SymmetricEigen eigen =
      symmetric_eigen(product_tn(s.between, x, s.classes, d, s.classes), s.classes);
  const std::size_t kept = checked_dimensions(
      dimensions, std::min(s.classes - 1, rank_of(eigen.values)), "discriminant directions");
  return combine(x, d, s.classes, eigen, kept, /*normalise=*/true);
}

// Eigenvectors of the d x d covariance if there are at least d rows, otherwise of the smaller
// rows x rows matrix of inner products.
LinearProjection principal_projection(std::span<const double> data, std::size_t d,
                                      std::size_t dimensions) {
  const std::size_t rows = data.size() / d;
  const double scale = 1.0 / static_cast<double>(rows);
  if (d <= rows) {
    const SymmetricEigen eigen = symmetric_eigen(outer_gram(data, d, rows, scale), d);
    const std::size_t kept =
        checked_dimensions(dimensions, rank_of(eigen.values), "principal components");
    std::vector<double> identity(d * d, 0.0);
    for (std::size_t j = 0; j < d; ++j) identity[j * d + j] = 1.0;
    return combine(identity, d, d, eigen, kept, /*normalise=*/false);
  }
  // The eigenvectors of R R^T / n are R u / sqrt(n l), for eigenvectors u of R^T R / n with
  // eigenvalue l.
  const SymmetricEigen eigen = symmetric_eigen(inner_gram(data, d, rows, scale), rows);
  const std::size_t kept =
      checked_dimensions(dimensions, rank_of(eigen.values), "principal components");
  LinearProjection projection = combine(data, d, rows, eigen, kept, /*normalise=*/true);
  for (double& v : projection.matrix) v *= std::sqrt(scale);
  return projection;
}

}  // namespace leafglyph
