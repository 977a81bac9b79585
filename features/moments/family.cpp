#include "features/moments/family.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/moments/ball_moments.h"
#include "features/moments/jacobi_fourier.h"
#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"
#include "features/moments/triangle_places.h"
#include "features/moments/turns.h"

namespace leafglyph {
namespace {

int degree(const MomentIndex& index) { return index.n; }

// Zernike (steps of 2) and pseudo-Zernike (steps of 1): R_nm for 0 <= m <= n, by n, then by m.

template <int kStep>
bool has_polynomial(int n, int m) {
  return m >= 0 && m <= n && (n - m) % kStep == 0;
}

template <int kStep>
std::vector<MomentIndex> polynomial_indices(int order) {
  std::vector<MomentIndex> indices;
  for (int n = 0; n <= order; ++n) {
    for (int m = n % kStep; m <= n; m += kStep) indices.push_back({n, m});
  }
  return indices;
}

std::size_t zernike_count(int order) {
  const auto t = static_cast<std::size_t>(order);
  return (t / 2 + 1) * ((t + 1) / 2 + 1);
}
std::size_t zernike_position(int n, int m) {
  return (n == 0 ? 0 : zernike_count(n - 1)) + static_cast<std::size_t>(m / 2);
}

template <int kStep>
std::size_t polynomial_position(int n, int m) {
  return kStep == 2 ? zernike_position(n, m) : triangle_position(n, m);
}

std::vector<double> polynomial_norms(int order) {
  std::vector<double> norms;
  for (int n = 0; n <= order; ++n) norms.push_back((n + 1) / std::numbers::pi);
  return norms;
}

template <int kStep>
constexpr Family kPolynomialFamily = kStep == 2 ? Family::kZernike : Family::kPseudoZernike;

template <int kStep>
std::function<double(double)> polynomial(const JacobiWeight& /*weight*/, int n, int m) {
  return [recurrence = RadialRecurrence(kPolynomialFamily<kStep>, m, n)](double rho) {
    std::vector<double> values;
    radial_values(recurrence, rho, values);
    return values.back();
  };
}

template <int kStep>
RadialFunctions polynomials(const JacobiWeight& /*weight*/, int order) {
  std::vector<RadialRecurrence> recurrences;
  for (int m = 0; m <= order; ++m) recurrences.emplace_back(kPolynomialFamily<kStep>, m, order);
  return [recurrences = std::move(recurrences)](double rho, std::span<double> values) {
    std::vector<double> radial;
    for (const RadialRecurrence& recurrence : recurrences) {
      radial_values(recurrence, rho, radial);
      for (int i = 0; i < recurrence.count(); ++i) {
        values[polynomial_position<kStep>(recurrence.order_of(i), recurrence.m)] =
            radial[static_cast<std::size_t>(i)];
      }
    }
  };
}

// Bessel-Fourier: J_1(lambda_n rho) for 1 <= n <= T, 0 <= m <= T, by max(n, m).

bool has_bessel(int n, int m) { return n >= 1 && m >= 0; }

std::size_t bessel_count(int order) {
  const auto t = static_cast<std::size_t>(order);
  return t * (t + 1);
}
int shell_of(const MomentIndex& index) { return std::max(index.n, index.m); }
std::size_t bessel_position(int n, int m) {
  const int shell = std::max(n, m);
  return bessel_count(shell - 1) + static_cast<std::size_t>(n < shell ? n - 1 : shell - 1 + m);
}
std::vector<MomentIndex> bessel_indices(int order) {
  std::vector<MomentIndex> indices;
  for (int shell = 1; shell <= order; ++shell) {
    for (int n = 1; n < shell; ++n) indices.push_back({n, shell});
    for (int m = 0; m <= shell; ++m) indices.push_back({shell, m});
  }
  return indices;
}

std::vector<double> bessel_norms(int order) {
  std::vector<double> norms(1, 0.0);  // there is no n = 0
  for (const double zero : bessel_j1_zeros(order)) norms.push_back(bessel_fourier_norm(zero));
  return norms;
}
std::function<double(double)> bessel(const JacobiWeight& /*weight*/, int n, int /*m*/) {
  return [zero = bessel_j1_zeros(n).back()](double rho) { return bessel_j1(zero * rho); };
}
RadialFunctions bessels(const JacobiWeight& /*weight*/, int order) {
  return [zeros = bessel_j1_zeros(order), indices = bessel_indices(order)](
             double rho, std::span<double> values) {
    std::vector<double> radial;
    radial.reserve(zeros.size());
    for (const double zero : zeros) radial.push_back(bessel_j1(zero * rho));
    for (std::size_t c = 0; c < indices.size(); ++c) {
      values[c] = radial[static_cast<std::size_t>(indices[c].n - 1)];
    }
  };
}

// Jacobi-Fourier: J_n(p, q, rho) for 0 <= n <= T, 0 <= m <= T, by max(n, m).

bool has_jacobi_fourier(int n, int m) { return n >= 0 && m >= 0; }

std::size_t jacobi_fourier_count(int order) {
  const auto t = static_cast<std::size_t>(order);
  return (t + 1) * (t + 1);
}
std::size_t jacobi_fourier_position(int n, int m) {
  const auto shell = static_cast<std::size_t>(std::max(n, m));
  return shell * shell + static_cast<std::size_t>(n < m ? n : n + m);
}
std::vector<MomentIndex> jacobi_fourier_indices(int order) {
  std::vector<MomentIndex> indices;
  for (int shell = 0; shell <= order; ++shell) {
    for (int n = 0; n < shell; ++n) indices.push_back({n, shell});
    for (int m = 0; m <= shell; ++m) indices.push_back({shell, m});
  }
  return indices;
}

std::vector<double> angular_norms(int order) {
  return std::vector<double>(static_cast<std::size_t>(order) + 1, 0.5 / std::numbers::pi);
}
std::function<double(double)> jacobi_fourier(const JacobiWeight& weight, int n, int /*m*/) {
  return [functions = JacobiFourier(weight, n), n](double rho) {
    std::vector<double> values(static_cast<std::size_t>(n) + 1);
    functions.values(rho, values);
    return values.back();
  };
}
RadialFunctions jacobi_fouriers(const JacobiWeight& weight, int order) {
  return [functions = JacobiFourier(weight, order), order, indices = jacobi_fourier_indices(order)](
             double rho, std::span<double> values) {
    std::vector<double> radial(static_cast<std::size_t>(order) + 1);
    functions.values(rho, radial);
    for (std::size_t c = 0; c < indices.size(); ++c) {
      values[c] = radial[static_cast<std::size_t>(indices[c].n)];
    }
  };
}

// Exponent-Fourier: rho^{-1/2} e^{-2 pi j n rho} for -T <= n <= T, 0 <= m <= T, by max(|n|, m).

bool has_exponent(int /*n*/, int m) { return m >= 0; }

std::size_t exponent_count(int order) {
  const auto t = static_cast<std::size_t>(order);
  return (2 * t + 1) * (t + 1);
}
int exponent_shell(const MomentIndex& index) { return std::max(std::abs(index.n), index.m); }
std::vector<MomentIndex> exponent_indices(int order) {
  std::vector<MomentIndex> indices;
  for (int shell = 0; shell <= order; ++shell) {
    for (int n = -shell; n <= shell; ++n) {
      for (int m = std::abs(n) < shell ? shell : 0; m <= shell; ++m) indices.push_back({n, m});
    }
  }
  return indices;
}
std::size_t exponent_position(int n, int m) {
  const int shell = exponent_shell({n, m});
  if (shell == 0) return 0;
  // Of its shell: m = 0 ... shell for n = -shell, then one each, then m = 0 ... shell again.
  const int within = n == -shell ? m : n < shell ? shell + shell + n : 3 * shell + m;
  return exponent_count(shell - 1) + static_cast<std::size_t>(within);
}

double inverse_root(double rho) { return rho < kCentreRadius ? 0.0 : 1.0 / std::sqrt(rho); }

// Polar harmonic transforms (Yap, Jiang, Kot, IEEE PAMI 32, 2010), with rho^s for rho^2:
// sqrt(s / 2) rho^{s/2 - 1}, which is 1 for s = 2, times e^{-2 pi j n rho^s}, cos(pi n rho^s) or
// sin(pi n rho^s), stored as exponent-Fourier, Jacobi-Fourier and Bessel-Fourier moments are.

double polar_factor(double s, double rho) {
  return rho < kCentreRadius ? 0.0 : std::sqrt(s / 2.0) * std::pow(rho, s / 2.0 - 1.0);
}

using PlainFunction = double (*)(double);

template <PlainFunction Function>
std::function<double(double)> polar_radial(const JacobiWeight& weight, int n, int /*m*/) {
  return [s = weight.alpha, n](double rho) {
    return polar_factor(s, rho) * Function(half_turns(n, std::pow(rho, s)));
  };
}

template <PlainFunction Function, std::vector<MomentIndex> (*Indices)(int)>
RadialFunctions polar_radials(const JacobiWeight& weight, int order) {
  return [s = weight.alpha, order, indices = Indices(order)](double rho, std::span<double> values) {
    const double factor = polar_factor(s, rho);
    const double u = std::pow(rho, s);
    std::vector<double> radial(static_cast<std::size_t>(order) + 1);
    for (int n = 0; n <= order; ++n) {
      radial[static_cast<std::size_t>(n)] = factor * Function(half_turns(n, u));
    }
    for (std::size_t c = 0; c < indices.size(); ++c) {
      values[c] = radial[static_cast<std::size_t>(indices[c].n)];
    }
  };
}

// 1 / pi for n = 0 and a constant for all others.
template <int kOthers>
std::vector<double> polar_norms(int order) {
  std::vector<double> norms(static_cast<std::size_t>(order) + 1, kOthers / std::numbers::pi);
  norms[0] = 1.0 / std::numbers::pi;
  return norms;
}

void validate_polar(const JacobiWeight& weight) {
  if (weight.alpha > 0.0 && weight.alpha <= kMaxPolarExponent && weight.beta == 0.0) return;
  throw UsageError("polar harmonic transforms of rho^" + number_text(weight.alpha) +
                   "; use an exponent above 0 and at most " + number_text(kMaxPolarExponent) +
                   ", which is 2 in the literature");
}

// What the three have in common.
constexpr FamilyRow polar_harmonic(std::string_view name, std::string_view letter) {
  return {.name = name,
          .letter = letter,
          .circular = true,
          .weighted = true,
          .parameters = "S",
          .usual_weight = JacobiWeight{2.0, 0.0},
          .highest_order = kMaxJacobiFourierOrder,
          .order_of = shell_of,
          .validate_weight = validate_polar};
}

constexpr FamilyRow polar_exponent() {
  FamilyRow row = polar_harmonic("pcet", "M");
  row.highest_order = kMaxExponentFourierOrder;
  row.has = has_exponent;
  row.count = exponent_count;
  row.indices = exponent_indices;
  row.position = exponent_position;
  row.order_of = exponent_shell;
  row.norms = polar_norms<1>;
  row.radial = [](const JacobiWeight& weight, int /*n*/, int /*m*/) {
    return std::function<double(double)>(
        [s = weight.alpha](double rho) { return polar_factor(s, rho); });
  };
  row.radials = [](const JacobiWeight& weight, int /*order*/) -> RadialFunctions {
    return [s = weight.alpha](double rho, std::span<double> values) {
      std::fill(values.begin(), values.end(), polar_factor(s, rho));
    };
  };
  row.phase = [](const JacobiWeight& weight, int n, double rho) {
    return 2.0 * std::numbers::pi * n * std::pow(rho, weight.alpha);
  };
  return row;
}

constexpr FamilyRow polar_cosine() {
  FamilyRow row = polar_harmonic("pct", "MC");
  row.has = has_jacobi_fourier;
  row.count = jacobi_fourier_count;
  row.indices = jacobi_fourier_indices;
  row.position = jacobi_fourier_position;
  row.norms = polar_norms<2>;
  row.radial = polar_radial<std::cos>;
  row.radials = polar_radials<std::cos, jacobi_fourier_indices>;
  return row;
}

constexpr FamilyRow polar_sine() {
  FamilyRow row = polar_harmonic("pst", "MS");
  row.lowest_order = 1;  // sin(0) = 0
  row.has = has_bessel;
  row.count = bessel_count;
  row.indices = bessel_indices;
  row.position = bessel_position;
  row.norms = polar_norms<2>;
  row.radial = polar_radial<std::sin>;
  row.radials = polar_radials<std::sin, bessel_indices>;
  return row;
}

}  // namespace

constinit const FamilyRow kZernikeRow = {
    .name = "zernike",
    .letter = "Z",
    .circular = true,
    .has_own_circle = true,
    .highest_order = kMaxOrder,
    .has_exact = true,
    .has_adaptive = true,
    .default_method = Method::kExact,  // costs less than 5 x 5 sub-regions
    .has = has_polynomial<2>,
    .count = zernike_count,
    .indices = polynomial_indices<2>,
    .position = polynomial_position<2>,
    .order_of = degree,
    .norms = polynomial_norms,
    .radial = polynomial<2>,
    .radials = polynomials<2>,
};

constinit const FamilyRow kPseudoZernikeRow = {
    .name = "pseudo-zernike",
    .letter = "PZ",
    .circular = true,
    .has_own_circle = true,
    .highest_order = kMaxOrder,
    .has_adaptive = true,
    .default_method = Method::kAdaptive,
    .has = has_polynomial<1>,
    .count = triangle_count,
    .indices = polynomial_indices<1>,
    .position = polynomial_position<1>,
    .order_of = degree,
    .norms = polynomial_norms,
    .radial = polynomial<1>,
    .radials = polynomials<1>,
};

constinit const FamilyRow kBesselFourierRow = {
    .name = "bessel-fourier",
    .letter = "B",
    .circular = true,
    .has_angular_order = true,
    .lowest_order = 1,  // J_1(lambda_0 rho) = J_1(0) = 0
    .highest_order = kMaxBesselFourierOrder,
    .has_adaptive = true,
    .default_method = Method::kAdaptive,
    .has = has_bessel,
    .count = bessel_count,
    .indices = bessel_indices,
    .position = bessel_position,
    .order_of = shell_of,
    .norms = bessel_norms,
    .radial = bessel,
    .radials = bessels,
};

// The literature samples both at pixel centres, and their kernels are not smooth at the centre or
// the rim, so that no number of points suffices everywhere.
constinit const FamilyRow kJacobiFourierRow = {
    .name = "jacobi-fourier",
    .letter = "JF",
    .circular = true,
    .weighted = true,
    .parameters = "P:Q",
    .highest_order = kMaxJacobiFourierOrder,
    .has = has_jacobi_fourier,
    .count = jacobi_fourier_count,
    .indices = jacobi_fourier_indices,
    .position = jacobi_fourier_position,
    .order_of = shell_of,
    .norms = angular_norms,
    .radial = jacobi_fourier,
    .radials = jacobi_fouriers,
    .validate_weight = validate_jacobi_fourier,
};

constinit const FamilyRow kExponentFourierRow = {
    .name = "exponent-fourier",
    .letter = "E",
    .circular = true,
    .highest_order = kMaxExponentFourierOrder,
    .has = has_exponent,
    .count = exponent_count,
    .indices = exponent_indices,
    .position = exponent_position,
    .order_of = exponent_shell,
    .norms = angular_norms,
    .radial = [](const JacobiWeight& /*weight*/, int /*n*/,
                 int /*m*/) -> std::function<double(double)> { return inverse_root; },
    .radials = [](const JacobiWeight& /*weight*/, int /*order*/) -> RadialFunctions {
      return [](double rho, std::span<double> values) {
        std::fill(values.begin(), values.end(), inverse_root(rho));
      };
    },
    .phase = [](const JacobiWeight& /*weight*/, int n,
                double rho) { return 2.0 * std::numbers::pi * n * rho; },
};

constinit const FamilyRow kPolarExponentRow = polar_exponent();
constinit const FamilyRow kPolarCosineRow = polar_cosine();
constinit const FamilyRow kPolarSineRow = polar_sine();

constinit const FamilyRow kZernike3dRow = {
    .name = "zernike-3d",
    .letter = "Omega",
    .spherical = true,
    .highest_order = kMaxBallOrder,
    .count = ball_moment_count,
};

RadialFunctions radial_basis(Family family, const JacobiWeight& weight, int order) {
  const FamilyRow& row = family.row();
  if (!row.circular || row.phase != nullptr) {
    throw UsageError("the " + std::string(row.name) +
                     " family has no real radial part; use another circular family");
  }
  return [radials = row.radials(weight, order), norms = row.norms(order),
          indices = row.indices(order)](double rho, std::span<double> values) {
    radials(rho, values);
    for (std::size_t c = 0; c < indices.size(); ++c) {
      values[c] *= norms[static_cast<std::size_t>(indices[c].n)];
    }
  };
}

std::span<const Family> families() {
  static constexpr std::array kFamilies = {
      Family::kZernike,       Family::kPseudoZernike,   Family::kBesselFourier,
      Family::kJacobiFourier, Family::kExponentFourier, Family::kPolarExponent,
      Family::kPolarCosine,   Family::kPolarSine,       Family::kLegendre,
      Family::kJacobi,        Family::kTchebichef,      Family::kKrawtchouk};
  return kFamilies;
}

std::span<const Family> volume_families() {
  static constexpr std::array kFamilies = {Family::kZernike3d};
  return kFamilies;
}

}  // namespace leafglyph
