// What fits of Plda are made of: the numbers and means of the rows of classes, and directions from
// eigenvectors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/classifier/plda.h"
#include "classify/table/algebra.h"

namespace leafglyph {

/// What the numbers of rows of classes add up to.
struct ClassSizes {
  double rows = 0;
  /// The sum of 1 / rows: the scatter of the means of classes without difference, in units of the
  /// covariance within classes.
  double inverses = 0;
};
ClassSizes sizes_of(const RemainingClasses& classes);

/// How much a fit to classes weighs them and the prior.
struct PldaBalance {
  double within_total = 0;   ///< n0 + n - K
  double between_total = 0;  ///< n1 + K - 1
  double of_prior = 0;       ///< sqrt(n1 / between_total): of the prior's factors of B
  double noise = 0;          ///< of W, taken off B
};
/// Throws UsageError for one class without a prior of others.
PldaBalance balance_of(const ScatterPrior& prior, const PldaSpec& spec,
                       const RemainingClasses& classes);

/// The mean of the rows that are left. That of a single class is 0, the prior's: against its own
/// mean a class is like nothing. Not if others were taken off, because then ratios are compared
/// with those of more classes.
std::vector<double> mean_to_fit(const RemainingClasses& classes, std::size_t columns);

/// Calls take for numbers that stand for classes, `columns` for each, some classes at a time, so
/// that those of many classes take little memory. append(rows, sum, some) appends those of a class.
template <class T>
void for_class_rows(
    const RemainingClasses& classes, std::size_t columns,
    const std::function<void(double, std::span<const double>, std::vector<T>&)>& append,
    const std::function<void(std::span<const T>)>& take) {
  constexpr std::size_t kTogether = 256;
  std::vector<T> some;
  some.reserve(std::min(kTogether, classes.size()) * columns);
  classes.for_each([&](int, double rows, std::span<const double> sum) {
    append(rows, sum, some);
    if (some.size() < kTogether * columns) return;
    take(some);
    some.clear();
  });
  if (!some.empty()) take(some);
}

/// Calls take for the means of the classes minus their mean, divided by `divisor`.
void for_centred_means(const RemainingClasses& classes, std::size_t columns, double divisor,
                       const std::function<void(std::span<const double>)>& take);

/// The spread b of directions, and their coefficients, one direction after another.
struct Coefficients {
  std::vector<double> values;
  std::vector<double> spread;
};
/// With W = L L^T and B = F^T F, from eigenvectors u with eigenvalues l of F W^-1 F^T,
/// `of_factors`, or of L^-1 B L^-T: u / sqrt(l (1 + b)) or u / sqrt(1 + b), so that W^-1 F^T or
/// L^-T times these has the length of Plda's matrix. b is l less the noise. Throws UsageError if
/// there is none.
Coefficients coefficients_of(SymmetricEigen eigen, double noise, bool of_factors);

}  // namespace leafglyph
