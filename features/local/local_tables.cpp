#include "features/local/local_tables.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/moments/disk_grid.h"
#include "features/moments/legendre.h"
#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"

namespace leafglyph {
namespace {

// Of the rounding errors, by the two changes of polynomials: 1e-10 of double's 1e-16 is left.
constexpr long double kLargestGrowth = 3e6L;
// Whole vectors of every instruction set.
constexpr std::size_t kWholeVector = 8;
// Of a piece: more sites share little more.
constexpr std::size_t kMostSites = 64;

std::vector<long double> legendre(long double x, int order) {
  std::vector<long double> values(static_cast<std::size_t>(order) + 1);
  legendre_values(x, std::span(values));
  return values;
}

std::size_t whole_vectors(std::size_t count) {
  return (count + kWholeVector - 1) / kWholeVector * kWholeVector;
}

// As many sites as the growth allows: the first site's polynomial of the highest degree at the last
// pixel, and a radial polynomial, of degree order, in the corner of the square around the disk.
std::size_t most_sites(const LocalSpec& spec, std::size_t reach) {
  const long double corner = std::abs(legendre(3.0L, spec.order / 2).back());
  const auto grows_little = [&](std::size_t sites) {
    const long double x = (static_cast<long double>((sites - 1) * spec.step) + reach) / spec.radius;
    return corner * std::abs(legendre(x, spec.order).back()) <= kLargestGrowth;
  };
  std::size_t sites = 1;
  while (sites < kMostSites && grows_little(sites + 1)) ++sites;
  // An unused lane costs less than the pixels that a shorter piece reads again.
  const std::size_t whole = sites / kWholeVector * kWholeVector;
  return 5 * whole >= 4 * sites ? whole : sites;
}

std::vector<LocalNumber> numbers_of(int order) {
  std::vector<LocalNumber> numbers;
  for (const auto& [n, m] : moment_indices(Family::kZernike, order)) {
    numbers.push_back({n, m, false});
    if (m > 0) numbers.push_back({n, m, true});
  }
  return numbers;
}

// (n+1)/(pi r^2) R_nm cos(m theta), or -sin(m theta), at a point of the square.
long double kernel(const LocalNumber& number, long double x, long double y, long double radius) {
  const auto rho = static_cast<double>(std::hypot(x, y));
  std::vector<double> radial;
  const RadialRecurrence recurrence(Family::kZernike, number.m, number.n);
  radial_values(recurrence, rho, radial);
  const long double angle = number.m * std::atan2(y, x);
  return (number.n + 1) / (std::numbers::pi_v<long double> * radius * radius) * radial.back() *
         (number.imaginary ? -std::sin(angle) : std::cos(angle));
}

}  // namespace

void validate(const LocalSpec& spec) {
  const auto refuse = [](const std::string& what, const std::string& use) {
    throw UsageError("local moments " + what + "; use " + use);
  };
  if (spec.order < 0 || spec.order > kMaxLocalOrder) {
    refuse("of order " + std::to_string(spec.order), "0 to " + std::to_string(kMaxLocalOrder));
  }
  if (!(spec.radius >= 1.0 && spec.radius <= kMaxLocalRadius)) {
    refuse("in circles of radius " + number_text(spec.radius),
           "1 to " + std::to_string(kMaxLocalRadius) + " pixels");
  }
  if (spec.step < 1 || spec.step > kMaxAxisLength) {
    refuse("about every " + std::to_string(spec.step) + "-th pixel", "a step of 1 or more");
  }
}

LocalTables::LocalTables(const LocalSpec& asked)
    : spec(asked),
      numbers(numbers_of(asked.order)),
      degrees(static_cast<std::size_t>(asked.order) + 1),
      reach(static_cast<std::size_t>(asked.radius * std::sqrt(kDiskSquare))) {
  validate(spec);
  const auto step = static_cast<std::size_t>(spec.step);
  sites = most_sites(spec, reach);
  padded_sites = whole_vectors(sites);
  pixels = (sites - 1) * step + 2 * reach + 1;
  const int order = spec.order;
  const long double radius = spec.radius;

  const long double middle = static_cast<long double>(pixels - 1) / 2.0L;
  polynomials.resize(degrees * pixels);
  for (std::size_t u = 0; u < pixels; ++u) {
    const auto values = legendre((static_cast<long double>(u) - middle) / middle, order);
    for (std::size_t p = 0; p < degrees; ++p) {
      polynomials[p * pixels + u] = static_cast<double>(values[p]);
    }
  }

  // The padded sites of a vector read beyond the last.
  const std::size_t phase = pixels / step + 1 + padded_sites;
  row_length = whole_vectors(phase * std::min(step, pixels + 1));
  for (std::size_t u = 0; u <= pixels; ++u) place.push_back(u % step * phase + u / step);

  for (std::size_t dy = 0; dy <= reach; ++dy) {
    const double square = spec.radius * spec.radius * kDiskSquare - static_cast<double>(dy * dy);
    const auto width = static_cast<std::size_t>(std::sqrt(std::max(square, 0.0)));
    chords.push_back({place[reach - width], place[reach + width + 1]});
    const auto values = legendre(static_cast<long double>(dy) / radius, order);
    for (const long double value : values) heights.push_back(static_cast<double>(value));
  }

  // Polynomials are integrated exactly by as many points.
  const PixelQuadrature rule = gauss_legendre_rule(order + 1);
  shift.assign(degrees * degrees * padded_sites, 0.0);
  for (std::size_t i = 0; i < sites; ++i) {
    for (int k = 0; k < rule.points(); ++k) {
      const long double v = rule.nodes[k];
      const long double from_site =
          (middle * v + middle - static_cast<long double>(reach + i * step)) / radius;
      const auto about_site = legendre(from_site, order);
      const auto about_piece = legendre(v, order);
      for (std::size_t p = 0; p < degrees; ++p) {
        for (std::size_t j = 0; j <= p; ++j) {
          shift[(p * degrees + j) * padded_sites + i] += static_cast<double>(
              rule.weights[k] / 2.0L * (2 * j + 1) * about_piece[j] * about_site[p]);
        }
      }
    }
  }

  for (const LocalNumber& number : numbers) {
    first_term.push_back(factors.size());
    for (int p = 0; p <= number.n; ++p) {
      for (int q = 0; p + q <= number.n; ++q) {
        // Cosines are even in y, sines are odd; n, m, p + q are even together.
        if ((q % 2 == 1) != number.imaginary || (p + q + number.n) % 2 == 1) continue;
        long double sum = 0.0L;
        for (int a = 0; a < rule.points(); ++a) {
          for (int b = 0; b < rule.points(); ++b) {
            const long double x = rule.nodes[a];
            const long double y = rule.nodes[b];
            sum += rule.weights[a] * rule.weights[b] / 4.0L * kernel(number, x, y, radius) *
                   legendre(x, p).back() * legendre(y, q).back();
          }
        }
        factors.push_back(static_cast<double>(sum * (2 * p + 1) * (2 * q + 1)));
        products.push_back((static_cast<std::size_t>(p) * degrees + static_cast<std::size_t>(q)) *
                           padded_sites);
      }
    }
  }
  first_term.push_back(factors.size());
}

}  // namespace leafglyph
