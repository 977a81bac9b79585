#include "classify/classifier/plda_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {

ClassSizes sizes_of(const RemainingClasses& classes) {
  ClassSizes sizes;
  classes.for_each([&](int, double rows, std::span<const double>) {
    sizes.rows += rows;
    sizes.inverses += 1 / rows;
  });
  return sizes;
}

PldaBalance balance_of(const ScatterPrior& prior, const PldaSpec& spec,
                       const RemainingClasses& classes) {
  const ClassSizes sizes = sizes_of(classes);
  const double n1 = spec.prior_classes, own = static_cast<double>(classes.size()) - 1;
  const double total = n1 + own;
  if (!(own >= 0) || !(total > 0)) {
    throw UsageError("one class alone can only be recognised with a prior of other classes");
  }
  // At least 1: with one row of each class and no prior of rows, W would be divided by 0.
  const double freedom = std::max(1.0, sizes.rows - static_cast<double>(classes.size()));
  return {spec.prior_rows + freedom, total, std::sqrt(n1 / total),
          (n1 * prior.mean_noise + sizes.inverses) / total};
}

std::vector<double> mean_to_fit(const RemainingClasses& classes, std::size_t columns) {
  return classes.before() > 1 ? mean_of(classes, columns) : std::vector<double>(columns);
}

void for_centred_means(const RemainingClasses& classes, std::size_t columns, double divisor,
                       const std::function<void(std::span<const double>)>& take) {
  // A pass of its own for the mean of the means, because only some means are in memory at a time.
  std::vector<double> centre(columns);
  const double share = 1.0 / static_cast<double>(classes.size());
  classes.for_each([&](int, double rows, std::span<const double> sum) {
    for (std::size_t j = 0; j < columns; ++j) centre[j] += share * (sum[j] / rows);
  });
  for_class_rows<double>(
      classes, columns,
      [&](double rows, std::span<const double> sum, std::vector<double>& means) {
        for (std::size_t j = 0; j < columns; ++j) {
          means.push_back((sum[j] / rows - centre[j]) / divisor);
        }
      },
      take);
}

Coefficients coefficients_of(SymmetricEigen eigen, double noise, bool of_factors) {
  Coefficients coefficients{std::move(eigen.vectors), {}};
  const std::size_t p = eigen.values.size();
  if (p == 0) {
    throw UsageError("the classes do not differ in any direction more than their rows vary");
  }
  const std::size_t rank = coefficients.values.size() / p;
  for (std::size_t j = 0; j < p; ++j) {
    // The eigenvalue is of B before what the uncertainty of the means adds is taken off.
    const double b = eigen.values[j] - noise;
    coefficients.spread.push_back(b);
    // F^T u has the squared length l under W^-1, and L^-T u the length 1. The factor
    // 1 / sqrt(1 + b) gives x the variance 1 over all classes.
    const double factor = 1.0 / std::sqrt((of_factors ? eigen.values[j] : 1.0) * (1.0 + b));
    for (std::size_t i = 0; i < rank; ++i) coefficients.values[j * rank + i] *= factor;
  }
  return coefficients;
}

}  // namespace leafglyph
