#include "features/radial_rings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "features/bessel.h"

namespace leafglyph {
namespace {

constexpr double kRingPhase = 18.0;  // lambda_N times the width of a ring

constexpr std::size_t kTerms = RadialRings::kRingTerms;
using TermMatrix = std::array<std::array<double, kTerms>, kTerms>;

// Coefficients from values at the Chebyshev points: c_k = (2 - [k = 0]) / K sum_i f_i cos(k t_i).
TermMatrix cosine_transform() {
  TermMatrix matrix{};
  for (std::size_t k = 0; k < kTerms; ++k) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      const long double angle = std::numbers::pi_v<long double> *
                                static_cast<long double>(k * (2 * i + 1)) / (2 * kTerms);
      matrix[k][i] = static_cast<double>((k == 0 ? 1.0L : 2.0L) / kTerms * std::cos(angle));
    }
  }
  return matrix;
}

}  // namespace

RadialRings::RadialRings(int radial_order) {
  const std::vector<double> zeros = bessel_j1_zeros(radial_order);
  for (const double zero : zeros) norms_.push_back(bessel_fourier_norm(zero));
  rings_ = static_cast<std::size_t>(std::ceil(zeros.back() / kRingPhase));
  table_.resize(zeros.size() * row_length());
  const TermMatrix transform = cosine_transform();
  std::array<double, kTerms> points{};
  for (std::size_t i = 0; i < kTerms; ++i) {
    points[i] = std::cos(std::numbers::pi * static_cast<double>(2 * i + 1) / (2.0 * kTerms));
  }
  const auto count = static_cast<double>(rings_);
#pragma omp parallel for schedule(static)
  for (std::size_t n = 0; n < zeros.size(); ++n) {
    for (std::size_t ring = 0; ring < rings_; ++ring) {
      std::array<double, kTerms> values{};
      for (std::size_t i = 0; i < kTerms; ++i) {
        const double rho = (static_cast<double>(ring) + (points[i] + 1.0) / 2.0) / count;
        values[i] = bessel_j1(zeros[n] * rho);
      }
      double* out = table_.data() + n * row_length() + ring * kTerms;
      for (std::size_t k = 0; k < kTerms; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < kTerms; ++i) sum += transform[k][i] * values[i];
        out[k] = sum;
      }
    }
  }
}

std::size_t RadialRings::ring_of(double rho) const {
  return std::min(static_cast<std::size_t>(rho * static_cast<double>(rings_)), rings_ - 1);
}

double RadialRings::coordinate(double rho, std::size_t ring) const {
  return 2.0 * (rho * static_cast<double>(rings_) - static_cast<double>(ring)) - 1.0;
}

}  // namespace leafglyph
