#include "features/moments/radial_basis.h"

#include <numbers>

#include "features/base/errors.h"
#include "features/moments/bessel.h"

namespace leafglyph {

RadialBasis::RadialBasis(Family family, int order) : indices_(moment_indices(family, order)) {
  if (!is_circular(family)) {
    throw UsageError("the " + std::string(family_name(family)) +
                     " family has no radial part; use a circular family");
  }
  if (family == Family::kBesselFourier) {
    zeros_ = bessel_j1_zeros(order);
    for (const double zero : zeros_) norms_.push_back(bessel_fourier_norm(zero));
    return;
  }
  for (int m = 0; m <= order; ++m) {
    const RadialRecurrence& recurrence = recurrences_.emplace_back(family, m, order);
    auto& positions = positions_.emplace_back();
    for (int i = 0; i < recurrence.count(); ++i) {
      positions.push_back(moment_position(family, recurrence.order_of(i), m));
    }
  }
}

void RadialBasis::evaluate(double rho, std::span<double> values) const {
  if (zeros_.empty()) {
    evaluate_polynomials(rho, values);
  } else {
    evaluate_bessel(rho, values);
  }
}

void RadialBasis::evaluate_polynomials(double rho, std::span<double> values) const {
  std::vector<double> radial;
  for (std::size_t m = 0; m < recurrences_.size(); ++m) {
    radial_values(recurrences_[m], rho, radial);
    for (std::size_t i = 0; i < radial.size(); ++i) {
      const int n = recurrences_[m].order_of(static_cast<int>(i));
      values[positions_[m][i]] = (n + 1) / std::numbers::pi * radial[i];
    }
  }
}

void RadialBasis::evaluate_bessel(double rho, std::span<double> values) const {
  std::vector<double> radial(zeros_.size());
  for (std::size_t n = 0; n < zeros_.size(); ++n) {
    radial[n] = norms_[n] * bessel_j1(zeros_[n] * rho);
  }
  for (std::size_t c = 0; c < indices_.size(); ++c) {
    values[c] = radial[static_cast<std::size_t>(indices_[c].n - 1)];
  }
}

}  // namespace leafglyph
