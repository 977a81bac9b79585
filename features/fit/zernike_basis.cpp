#include "features/fit/zernike_basis.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

// Orthonormal polynomials of u under a positive discrete weight, by the procedure of Stieltjes (W.
// Gautschi, Orthogonal Polynomials, 2004, 2.2.3): sqrt(b_{k+1}) p_{k+1} = (u - a_k) p_k - sqrt(b_k)
// p_{k-1}. With the nodes of Gauss and Legendre the sums are the integrals.
struct Stieltjes {
  double first = 0.0;
  std::vector<double> a, root_b;  // root_b[0] belongs to p_1
  std::vector<double> at_one;     // p_k(1)
};

Stieltjes orthonormal_polynomials(int count, int m, double hole) {
  const double low = hole * hole;
  const PixelQuadrature rule = gauss_legendre_rule(count + m / 2 + 2);
  const std::size_t nodes = rule.nodes.size();
  std::vector<long double> u(nodes), weight(nodes), now(nodes), before(nodes, 0.0L);
  long double total = 0.0L;
  for (std::size_t i = 0; i < nodes; ++i) {
    u[i] = low + (1.0L - low) * (1.0L + rule.nodes[i]) / 2.0L;
    // The mean over the annulus, and over the angle that of cos^2.
    weight[i] = rule.weights[i] / 2.0L * std::pow(u[i], m) * (m == 0 ? 1.0L : 0.5L);
    total += weight[i];
  }
  Stieltjes result;
  long double one_now = 1.0L / std::sqrt(total), one_before = 0.0L, root_b = 0.0L;
  result.first = static_cast<double>(one_now);
  now.assign(nodes, one_now);
  for (int k = 0; k < count; ++k) {
    long double a = 0.0L;
    for (std::size_t i = 0; i < nodes; ++i) a += weight[i] * u[i] * now[i] * now[i];
    long double square = 0.0L;
    for (std::size_t i = 0; i < nodes; ++i) {
      const long double next = (u[i] - a) * now[i] - root_b * before[i];
      before[i] = now[i];
      now[i] = next;
      square += weight[i] * next * next;
    }
    const long double one_next = (1.0L - a) * one_now - root_b * one_before;
    result.at_one.push_back(static_cast<double>(one_now));
    root_b = std::sqrt(square);
    one_before = one_now;
    one_now = one_next / root_b;
    for (long double& value : now) value /= root_b;
    result.a.push_back(static_cast<double>(a));
    result.root_b.push_back(static_cast<double>(root_b));
  }
  return result;
}

}  // namespace

ZernikeBasis::ZernikeBasis(std::vector<ZernikeTerm> terms, double hole, ZernikeScale scale)
    : hole_(hole), scale_(scale), terms_(std::move(terms)) {
  std::ranges::sort(terms_, {}, [](const ZernikeTerm& term) { return std::pair(term.n, term.m); });
  terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
  if (terms_.empty()) throw UsageError("a fit of no terms");
  if (order() > kMaxFitOrder) {
    throw UsageError("order " + std::to_string(order()) + " of a fit; use 0 to " +
                     std::to_string(kMaxFitOrder));
  }
  if (!(hole >= 0.0) || hole >= 1.0) {
    throw UsageError("a hole of " + number_text(hole) + " radii; use 0 or more, and less than 1");
  }
  const int most_m =
      std::ranges::max(terms_, {}, [](const ZernikeTerm& term) { return std::abs(term.m); }).m;
  for (int m = 0; m <= std::abs(most_m); ++m) {
    int top = m;
    for (const ZernikeTerm& term : terms_) {
      if (std::abs(term.m) == m) top = std::max(top, term.n);
    }
    const int count = (top - m) / 2 + 1;
    const Stieltjes family = orthonormal_polynomials(count, m, hole);
    const auto factor = [&](int k) {  // from p_k of mean square 1 to the scale that is asked for
      return scale == ZernikeScale::kRms ? 1.0 : 1.0 / family.at_one[static_cast<std::size_t>(k)];
    };
    Radial radial;
    radial.first = family.first * factor(0);
    for (int k = 0; k < count; ++k) {
      radial.cosine.push_back(place_of({m + 2 * k, m}));
      radial.sine.push_back(m == 0 ? kAbsent : place_of({m + 2 * k, -m}));
      const auto at = static_cast<std::size_t>(k);
      const double root = k == 0 ? 1.0 : family.root_b[at - 1];
      radial.slope.push_back(k == 0 ? 0.0 : factor(k) / factor(k - 1) / root);
      radial.shift.push_back(k == 0 ? 0.0 : -family.a[at - 1] * radial.slope.back());
      radial.back.push_back(k < 2 ? 0.0
                                  : -family.root_b[at - 2] / root * factor(k) / factor(k - 2));
    }
    radial_.push_back(std::move(radial));
  }
}

std::size_t ZernikeBasis::place_of(const ZernikeTerm& term) const {
  const auto found = std::find(terms_.begin(), terms_.end(), term);
  return found == terms_.end() ? kAbsent : static_cast<std::size_t>(found - terms_.begin());
}

void ZernikeBasis::values_at(double x, double y, std::span<double> values) const {
  const double u = x * x + y * y;
  double cosine = 1.0, sine = 0.0;  // of m theta, times rho^m
  for (const Radial& radial : radial_) {
    double now = radial.first, before = 0.0;
    for (std::size_t k = 0; k < radial.slope.size(); ++k) {
      if (k > 0) {
        const double next = (radial.slope[k] * u + radial.shift[k]) * now + radial.back[k] * before;
        before = now;
        now = next;
      }
      if (radial.sine[k] != kAbsent) values[radial.sine[k]] = now * sine;
      if (radial.cosine[k] != kAbsent) values[radial.cosine[k]] = now * cosine;
    }
    const double ahead = cosine * x - sine * y;
    sine = sine * x + cosine * y;
    cosine = ahead;
  }
}

}  // namespace leafglyph
