#include "features/moments/jacobi_polynomials.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

// Integral of t^a (2 - t)^b from 0 to t <= 1:
//     t^{a+1} (2 - t)^{b+1} / (2 (a + 1)) * sum over k of (a+b+2)_k / (a+2)_k (t/2)^k,
// the incomplete beta function in the form of DLMF 8.17.8. No term is negative.
long double end_integral(long double a, long double b, long double t) {
  if (t <= 0.0L) return 0.0L;
  long double term = 1.0L;
  long double sum = 1.0L;
  for (int k = 0; term > 1e-22L * sum; ++k) {
    term *= (a + b + 2.0L + k) / (a + 2.0L + k) * t / 2.0L;
    sum += term;
  }
  return std::pow(t, a + 1.0L) * std::pow(2.0L - t, b + 1.0L) / (2.0L * (a + 1.0L)) * sum;
}

// Integral of the weight over the pixel [low, high], split at 0 so that only integrals from the
// same, nearer end are subtracted.
long double cell_weight(const JacobiWeight& weight, long double low, long double high) {
  const auto left = [&](long double x) {
    return end_integral(weight.beta, weight.alpha, 1.0L + x);
  };
  const auto right = [&](long double x) {
    return end_integral(weight.alpha, weight.beta, 1.0L - x);
  };
  if (high <= 0.0L) return left(high) - left(low);
  if (low >= 0.0L) return right(low) - right(high);
  return left(0.0L) - left(low) + right(0.0L) - right(high);
}

// Element n of the off-diagonal of the Jacobi matrix, which couples p_{n-1} and p_n.
long double off_diagonal_element(const JacobiWeight& w, int n) {
  const long double a = w.alpha;
  const long double b = w.beta;
  const long double s = 2.0L * n + a + b;
  if (n == 1) return std::sqrt(4.0L * (1.0L + a) * (1.0L + b) / (s * s * (s + 1.0L)));
  return std::sqrt(4.0L * n * (n + a) * (n + b) * (n + a + b) / (s * s * (s + 1.0L) * (s - 1.0L)));
}

// Element n of the diagonal of the Jacobi matrix.
long double diagonal_element(const JacobiWeight& w, int n) {
  const long double a = w.alpha;
  const long double b = w.beta;
  if (n == 0) return (b - a) / (a + b + 2.0L);
  const long double s = 2.0L * n + a + b;
  return (b - a) * (b + a) / (s * (s + 2.0L));
}

// Integrals by the closed form of jacobi_axis_tables: the antiderivative at the right edge of each
// pixel minus that at its left edge. For n = 0, the integral of the weight.
void fill_exact(const JacobiWeight& weight, int length, int order, std::vector<double>& out) {
  const JacobiWeight raised{weight.alpha + 1.0, weight.beta + 1.0};
  const auto count = static_cast<std::size_t>(order) + 1;
  const auto size = static_cast<std::size_t>(length);
  std::vector<long double> at_edge(count, 0.0L);
  std::vector<long double> before(count, 0.0L);  // the antiderivatives vanish at x = -1
  std::vector<long double> polynomials(static_cast<std::size_t>(order));
  const JacobiRecurrence recurrence(raised, order - 1);
  const long double norm = std::sqrt(jacobi_weight_integral(weight, 1.0L));
  for (int i = 0; i < length; ++i) {
    throw_if_interrupted();
    const long double low = (2.0L * i - length) / length;
    const long double high = (2.0L * i + 2.0L - length) / length;
    const long double factor = i + 1 == length ? 0.0L
                                               : std::pow(1.0L - high, raised.alpha + 0.0L) *
                                                     std::pow(1.0L + high, raised.beta + 0.0L);
    recurrence.evaluate(high, polynomials);
    out[static_cast<std::size_t>(i)] = static_cast<double>(cell_weight(weight, low, high) / norm);
    for (std::size_t n = 1; n < count; ++n) {
      const auto degree = static_cast<long double>(n);
      at_edge[n] = -factor * polynomials[n - 1] /
                   std::sqrt(degree * (degree + weight.alpha + weight.beta + 1.0L));
      out[n * size + static_cast<std::size_t>(i)] = static_cast<double>(at_edge[n] - before[n]);
    }
    before = at_edge;
  }
}

// Integrals by a quadrature rule in every pixel.
void fill_sampled(const JacobiWeight& weight, const JacobiRecurrence& recurrence, int length,
                  const PixelQuadrature& rule, std::vector<long double>& polynomials,
                  std::vector<double>& out) {
  const auto size = static_cast<std::size_t>(length);
  for (int i = 0; i < length; ++i) {
    throw_if_interrupted();
    for (int s = 0; s < rule.points(); ++s) {
      const long double x = (2 * i + 1 - length + rule.nodes[s]) / length;
      const long double factor = rule.weights[s] / length *
                                 std::pow(1.0L - x, weight.alpha + 0.0L) *
                                 std::pow(1.0L + x, weight.beta + 0.0L);
      recurrence.evaluate(x, polynomials);
      for (std::size_t n = 0; n < polynomials.size(); ++n) {
        out[n * size + static_cast<std::size_t>(i)] += static_cast<double>(factor * polynomials[n]);
      }
    }
  }
}

// Reverses the axis: pixel i and pixel length - 1 - i exchange places.
void reverse_rows(std::vector<double>& table, int length) {
  for (auto row = table.begin(); row != table.end(); row += length) {
    std::reverse(row, row + length);
  }
}

}  // namespace

JacobiRecurrence::JacobiRecurrence(const JacobiWeight& weight, int order)
    : first_(1.0L / std::sqrt(jacobi_weight_integral(weight, 1.0L))) {
  for (int n = 0; n <= order; ++n) {
    diagonal_.push_back(diagonal_element(weight, n));
    off_diagonal_.push_back(n == 0 ? 0.0L : off_diagonal_element(weight, n));
  }
}

void JacobiRecurrence::evaluate(long double x, std::span<long double> values) const {
  long double before = 0.0L;
  long double current = first_;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0) {
      const long double next =
          ((x - diagonal_[n - 1]) * current - off_diagonal_[n - 1] * before) / off_diagonal_[n];
      before = current;
      current = next;
    }
    values[n] = current;
  }
}

long double jacobi_weight_integral(const JacobiWeight& weight, long double x) {
  return cell_weight(weight, -1.0L, x);
}

AxisTables jacobi_axis_tables(const JacobiWeight& weight, int length, int order, Method method,
                              int points, bool downwards) {
  validate(weight);
  if (length < 1)
    throw UsageError("an axis of " + std::to_string(length) + " pixels; use 1 or more");
  if (order < 0) throw UsageError("order " + std::to_string(order) + " is negative; use 0 or more");
  if (method != Method::kExact) validate_points_a_side(points);
  const auto size = static_cast<std::size_t>(length);
  const auto count = static_cast<std::size_t>(order) + 1;
  AxisTables tables{std::vector<double>(count * size), std::vector<double>(count * size)};
  std::vector<long double> polynomials(count);
  const JacobiRecurrence recurrence(weight, order);
  if (method == Method::kExact) {
    fill_exact(weight, length, order, tables.integrals);
  } else {
    fill_sampled(weight, recurrence, length, pixel_quadrature(method, points), polynomials,
                 tables.integrals);
  }
  for (int i = 0; i < length; ++i) {
    throw_if_interrupted();
    recurrence.evaluate((2.0L * i + 1.0L - length) / length, polynomials);
    for (std::size_t n = 0; n < count; ++n) {
      tables.values[n * size + static_cast<std::size_t>(i)] = static_cast<double>(polynomials[n]);
    }
  }
  if (downwards) {
    reverse_rows(tables.integrals, length);
    reverse_rows(tables.values, length);
  }
  return tables;
}

}  // namespace leafglyph
