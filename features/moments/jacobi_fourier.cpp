#include "features/moments/jacobi_fourier.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {

// Exponents of sin(phi / 2) and cos(phi / 2) in J_n: q - 2 and p - q.
JacobiFourier::JacobiFourier(const JacobiWeight& weight, int order)
    : recurrence_({weight.alpha - weight.beta, weight.beta - 1.0}, order),
      inner_degree_(std::max(0, static_cast<int>(std::floor(weight.beta - 2.0)))),
      outer_degree_(static_cast<int>(std::floor(weight.alpha - weight.beta))),
      inner_power_((weight.beta - 2.0 - inner_degree_) / 2.0),
      outer_power_((weight.alpha - weight.beta - outer_degree_) / 2.0),
      scale_(std::pow(2.0L, weight.alpha / 2.0L)) {}

void JacobiFourier::smooth_parts(double phi, std::span<double> values) const {
  const long double sine = std::sin(phi / 2.0L);
  const long double cosine = std::cos(phi / 2.0L);
  fill(sine * sine, cosine * cosine, values);
}

void JacobiFourier::values(double rho, std::span<double> values) const {
  if (rho < kCentreRadius) {
    std::fill(values.begin(), values.end(), 0.0);
    return;
  }
  const long double rest = std::max(0.0L, 1.0L - rho);  // exact, as the angle phi needs it
  fill(rho, rest, values);
  const double factor =
      std::pow(rho, inner_power_) * std::pow(static_cast<double>(rest), outer_power_);
  for (double& value : values) value *= factor;
}

void JacobiFourier::fill(long double r, long double rest, std::span<double> values) const {
  std::vector<long double> polynomials(values.size());
  recurrence_.evaluate(r - rest, polynomials);
  const long double factor =
      scale_ * std::pow(r, inner_degree_ / 2.0L) * std::pow(rest, outer_degree_ / 2.0L);
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = static_cast<double>((n % 2 == 0 ? factor : -factor) * polynomials[n]);
  }
}

void validate_jacobi_fourier(const JacobiWeight& weight) {
  const double p = weight.alpha;
  const double q = weight.beta;
  if (q >= 1.0 && p >= q && p <= kMaxJacobiFourierParameter) return;
  throw UsageError("jacobi-fourier with p = " + number_text(p) + ", q = " + number_text(q) +
                   "; use 1 <= q <= p <= " + number_text(kMaxJacobiFourierParameter));
}

}  // namespace leafglyph
