#include "features/bessel_fourier/ring_functions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "features/base/errors.h"
#include "features/moments/jacobi_fourier.h"
#include "features/moments/radial.h"
#include "features/moments/turns.h"

namespace leafglyph {
namespace {

bool is_polar_harmonic(Family family) {
  return family == Family::kPolarExponent || family == Family::kPolarCosine ||
         family == Family::kPolarSine;
}

// Whether the moments of n and -n come from one row of sines and one of cosines.
bool in_pairs(Family family) { return family.row().phase != nullptr; }

std::size_t rows_of(const MomentSpec& spec) {
  const auto order = static_cast<std::size_t>(spec.order);
  if (in_pairs(spec.family)) return 2 * order + 1;
  return order + 1 - static_cast<std::size_t>(spec.family.row().lowest_order);
}

// The order n of a row.
int order_of_row(const MomentSpec& spec, std::size_t row) {
  if (!in_pairs(spec.family)) return static_cast<int>(row) + spec.family.row().lowest_order;
  return static_cast<int>((row + 1) / 2) * (row % 2 == 1 ? 1 : -1);
}

void fill_bessel(const MomentSpec& spec, RingFunctions& functions) {
  const auto zeros = std::make_shared<const std::vector<double>>(bessel_j1_zeros(spec.order));
  functions.top_phase = zeros->back();
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

// Rows 1, sin, cos, sin, cos, ... of 2 pi n u, times a scale.
void fill_pairs(double scale, RingFunctions& functions) {
  functions.values = [scale](double u, std::span<double> values) {
    values[0] = scale;
    for (std::size_t row = 1; row < values.size(); row += 2) {
      const double angle = half_turns(static_cast<double>(row + 1), u);
      values[row] = scale * std::sin(angle);
      values[row + 1] = scale * std::cos(angle);
    }
  };
}

// Polar harmonic transforms: sqrt(s / 2) rho^{s/2 - 1} times functions of u = rho^s.
void fill_polar(const MomentSpec& spec, RingFunctions& functions) {
  const double scale = std::sqrt(spec.weight.alpha / 2.0);
  functions.inner_power = spec.weight.alpha / 2.0 - 1.0;
  if (spec.family == Family::kPolarExponent) {
    fill_pairs(scale, functions);
  } else if (spec.family == Family::kPolarCosine) {
    functions.values = [scale](double u, std::span<double> values) {
      for (std::size_t n = 0; n < values.size(); ++n) {
        values[n] = scale * std::cos(half_turns(static_cast<double>(n), u));
      }
    };
  } else {
    functions.values = [scale](double u, std::span<double> values) {
      for (std::size_t row = 0; row < values.size(); ++row) {
        values[row] = scale * std::sin(half_turns(static_cast<double>(row + 1), u));
      }
    };
  }
}

}  // namespace

double RingFunctions::coordinate(double rho) const {
  if (!by_angle) return power == 1.0 ? rho : std::pow(rho, power);
  return 2.0 / std::numbers::pi * std::atan2(std::sqrt(rho), std::sqrt(std::max(0.0, 1.0 - rho)));
}

double RingFunctions::factor(double rho) const {
  if (!by_point) return 1.0;  // Bessel-Fourier
  if (rho < kCentreRadius) return 0.0;
  return std::pow(rho, inner_power) * std::pow(std::max(0.0, 1.0 - rho), outer_power);
}

bool has_ring_functions(Family family) {
  return family == Family::kBesselFourier || family == Family::kJacobiFourier ||
         family == Family::kExponentFourier || is_polar_harmonic(family);
}

RingFunctions ring_bounds(const MomentSpec& spec) {
  if (!has_ring_functions(spec.family)) throw UsageError("rings do not support " + describe(spec));
  RingFunctions functions;
  functions.rows = rows_of(spec);
  functions.by_angle = spec.family == Family::kJacobiFourier;
  functions.by_point = spec.family != Family::kBesselFourier;
  functions.in_pairs = in_pairs(spec.family);
  functions.power = is_polar_harmonic(spec.family) ? spec.weight.alpha : 1.0;
  if (spec.family == Family::kBesselFourier) {
    functions.top_phase =
        std::numbers::pi * (spec.order + 0.25);  // lambda_n < pi (n + 1/4) (DLMF 10.21.19)
  } else if (spec.family == Family::kJacobiFourier) {
    functions.top_phase = std::numbers::pi * (spec.order + std::max(0.0, spec.weight.alpha) / 2.0);
  } else {
    functions.top_phase = (functions.in_pairs ? 2.0 : 1.0) * std::numbers::pi * spec.order;
  }
  functions.top_phase = std::max(functions.top_phase, 1.0);
  return functions;
}

RingFunctions ring_functions(const MomentSpec& spec) {
  RingFunctions functions = ring_bounds(spec);
  const std::vector<double> norms = spec.family.row().norms(spec.order);
  for (std::size_t row = 0; row < functions.rows; ++row) {
    functions.norms.push_back(norms[static_cast<std::size_t>(std::abs(order_of_row(spec, row)))]);
  }
  if (spec.family == Family::kBesselFourier) {
    fill_bessel(spec, functions);
  } else if (spec.family == Family::kJacobiFourier) {
    fill_jacobi(spec, functions);
  } else if (is_polar_harmonic(spec.family)) {
    fill_polar(spec, functions);
  } else {
    functions.inner_power = -0.5;
    fill_pairs(1.0, functions);
  }
  return functions;
}

std::vector<std::size_t> ring_positions(const MomentSpec& spec) {
  const RingFunctions functions = ring_bounds(spec);
  std::vector<std::size_t> positions;
  for (std::size_t row = 0; row < functions.rows; ++row) {
    const int n = order_of_row(spec, row);
    for (int m = 0; m <= angular_order_of(spec); ++m) {
      positions.push_back(moment_position(spec, n, m));
    }
  }
  return positions;
}

}  // namespace leafglyph
