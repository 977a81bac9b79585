#include "features/bessel_fourier/radial_rings.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

// top_phase times half the width of a ring including its margins. If the margins are wide, the ring
// itself keeps half of this and the total is larger.
constexpr double kPhase = 9.0;

// Number of terms, a multiple of 8, beyond which 2 J_k(phase) < 1e-14, by J_k(a) <= (a / 2)^k / k!.
std::size_t terms_for(double phase) {
  std::size_t terms = 1;
  double bound = std::log(2.0);  // in logarithms, which do not overflow for any phase
  while (bound > std::log(1e-14) || static_cast<double>(terms) < phase) {
    bound += std::log(phase / 2.0 / static_cast<double>(terms));
    ++terms;
  }
  return (terms + 7) / 8 * 8;
}

// Matrix from values at K Chebyshev points to coefficients:
// c_k = (2 - [k = 0]) / K sum_i f_i cos(k t_i), at [i * K + k].
std::vector<double> cosine_transform(std::size_t terms) {
  std::vector<double> matrix(terms * terms);
  for (std::size_t k = 0; k < terms; ++k) {
    for (std::size_t i = 0; i < terms; ++i) {
      const long double angle =
          std::numbers::pi_v<long double> * static_cast<long double>(k * (2 * i + 1)) / (2 * terms);
      matrix[i * terms + k] = static_cast<double>((k == 0 ? 1.0L : 2.0L) / terms * std::cos(angle));
    }
  }
  return matrix;
}

}  // namespace

RingLayout ring_layout(double top_phase, double margin) {
  const double half_ring = std::max(kPhase / top_phase - margin, kPhase / top_phase / 2.0);
  RingLayout layout;
  layout.rings = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(0.5 / half_ring)));
  layout.half_width = 0.5 / static_cast<double>(layout.rings) + margin;
  layout.terms = terms_for(layout.half_width * top_phase);
  return layout;
}

RadialRings::RadialRings(RingFunctions functions, double margin)
    : functions_(std::move(functions)) {
  const RingLayout layout = ring_layout(functions_.top_phase, margin);
  rings_ = layout.rings;
  terms_ = layout.terms;
  half_width_ = layout.half_width;
  to_coefficients_ = cosine_transform(terms_);
  for (std::size_t i = 0; i < terms_; ++i) {
    samples_.push_back(std::cos(std::numbers::pi * static_cast<double>(2 * i + 1) /
                                (2.0 * static_cast<double>(terms_))));
  }
}

std::vector<double> RadialRings::table() const {
  std::vector<double> table(functions_.rows * row_length());
  parallel_for(rings_, [&](std::size_t ring) {
    std::vector<double> values(functions_.rows);
    for (std::size_t i = 0; i < terms_; ++i) {
      functions_.values(centre(ring) + samples_[i] * half_width_, values);
      const double* factors = to_coefficients_.data() + i * terms_;
      for (std::size_t row = 0; row < values.size(); ++row) {
        double* out = table.data() + row * row_length() + ring * terms_;  // initially 0
        for (std::size_t k = 0; k < terms_; ++k) out[k] += factors[k] * values[row];
      }
    }
  });
  return table;
}

std::size_t RadialRings::ring_of(double u) const {
  return std::min(static_cast<std::size_t>(u * static_cast<double>(rings_)), rings_ - 1);
}

}  // namespace leafglyph
