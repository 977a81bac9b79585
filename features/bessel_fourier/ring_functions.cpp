#include "features/bessel_fourier/ring_functions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "features/base/errors.h"
#include "features/moments/jacobi_fourier.h"
#include "features/moments/radial.h"

namespace leafglyph {
namespace {

std::size_t rows_of(const MomentSpec& spec) {
  const auto order = static_cast<std::size_t>(spec.order);
  if (spec.family == Family::kBesselFourier) return order;
  return spec.family == Family::kExponentFourier ? 2 * order + 1 : order + 1;
}

void fill_bessel(const MomentSpec& spec, RingFunctions& functions) {
  const auto zeros = std::make_shared<const std::vector<double>>(bessel_j1_zeros(spec.order));
  functions.top_phase = zeros->back();
  functions.norms.clear();
  for (const double zero : *zeros) functions.norms.push_back(bessel_fourier_norm(zero));
  functions.values = [zeros](double u, std::span<double> values) {
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = bessel_j1((*zeros)[n] * u);
  };
}

void fill_jacobi(const MomentSpec& spec, RingFunctions& functions) {
  const auto radial = std::make_shared<const JacobiFourier>(spec.weight, spec.order);
  functions.inner_power = radial->inner_power();
  functions.outer_power = radial->outer_power();
  functions.values = [radial](double u, std::span<double> values) {
    radial->smooth_parts(std::numbers::pi * u, values);
  };
}

void fill_exponent(RingFunctions& functions) {
  functions.inner_power = -0.5;
  functions.values = [](double u, std::span<double> values) {
    values[0] = 1.0;
    for (std::size_t row = 1; row < values.size(); row += 2) {
      // 2 pi n u less its whole turns, without the rounding of n u
      const std::size_t order = (row + 1) / 2;
      const auto n = static_cast<double>(order);
      const double turns = n * u;
      const double angle =
          2.0 * std::numbers::pi * (turns - std::round(turns) + std::fma(n, u, -turns));
      values[row] = std::sin(angle);
      values[row + 1] = std::cos(angle);
    }
  };
}

}  // namespace

double RingFunctions::coordinate(double rho) const {
  if (!by_angle) return rho;
  return 2.0 / std::numbers::pi * std::atan2(std::sqrt(rho), std::sqrt(std::max(0.0, 1.0 - rho)));
}

double RingFunctions::factor(double rho) const {
  if (!by_point) return 1.0;  // Bessel-Fourier
  if (rho < kCentreRadius) return 0.0;
  return std::pow(rho, inner_power) * std::pow(std::max(0.0, 1.0 - rho), outer_power);
}

bool has_ring_functions(Family family) {
  return family == Family::kBesselFourier || family == Family::kJacobiFourier ||
         family == Family::kExponentFourier;
}

RingFunctions ring_bounds(const MomentSpec& spec) {
  if (!has_ring_functions(spec.family)) throw UsageError("rings do not support " + describe(spec));
  RingFunctions functions;
  functions.rows = rows_of(spec);
  functions.by_angle = spec.family == Family::kJacobiFourier;
  functions.by_point = spec.family != Family::kBesselFourier;
  functions.in_pairs = spec.family == Family::kExponentFourier;
  if (spec.family == Family::kBesselFourier) {
    functions.top_phase =
        std::numbers::pi * (spec.order + 0.25);  // lambda_n < pi (n + 1/4) (DLMF 10.21.19)
  } else if (spec.family == Family::kJacobiFourier) {
    functions.top_phase = std::numbers::pi * (spec.order + std::max(0.0, spec.weight.alpha) / 2.0);
  } else {
    functions.top_phase = 2.0 * std::numbers::pi * spec.order;
  }
  functions.top_phase = std::max(functions.top_phase, 1.0);
  return functions;
}

RingFunctions ring_functions(const MomentSpec& spec) {
  RingFunctions functions = ring_bounds(spec);
  functions.norms.assign(functions.rows, 1.0 / (2.0 * std::numbers::pi));
  if (spec.family == Family::kBesselFourier) {
    fill_bessel(spec, functions);
  } else if (spec.family == Family::kJacobiFourier) {
    fill_jacobi(spec, functions);
  } else {
    fill_exponent(functions);
  }
  return functions;
}

std::vector<std::size_t> ring_positions(const MomentSpec& spec) {
  const RingFunctions functions = ring_bounds(spec);
  std::vector<std::size_t> positions;
  for (std::size_t row = 0; row < functions.rows; ++row) {
    int n = static_cast<int>(row) + spec.family.row().lowest_order;
    if (functions.in_pairs) n = static_cast<int>((row + 1) / 2) * (row % 2 == 1 ? 1 : -1);
    for (int m = 0; m <= angular_order_of(spec); ++m) {
      positions.push_back(moment_position(spec, n, m));
    }
  }
  return positions;
}

}  // namespace leafglyph
