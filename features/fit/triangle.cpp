#include "features/fit/triangle.h"

#include <algorithm>
#include <cmath>

#include "features/base/matrix_product.h"

namespace leafglyph {
namespace {

// Columns whose reflections are applied to the columns behind them together, as two products: more
// make the products faster and the work within them larger.
std::size_t panel_of(std::size_t columns) { return columns < 256 ? 16 : 48; }

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void subtract(double factor, std::span<const double> a, std::span<double> from) {
#pragma omp simd
  for (std::size_t i = 0; i < a.size(); ++i) from[i] -= factor * a[i];
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

}  // namespace

// For column k with the diagonal r and the new entries x: v = x / (r - beta), beta = -sign(r) |(r,
// x)|, tau = (beta - r) / beta, and H = I - tau (1, v)(1, v)^T takes (r, x) to (beta, 0). The
// product of a panel's reflections is I - V T V^T (C. Bischof and C. Van Loan, 1987).
void Triangle::add_rows(std::span<double> rows) {
  const std::size_t count = rows.size() / n_;
  std::vector<double> v, t, w;
  const std::size_t most = panel_of(n_);
  for (std::size_t first = 0; first < n_; first += most) {
    const std::size_t panel = std::min(most, n_ - first);
    const std::size_t behind = n_ - first - panel;
    v.assign(panel * count, 0.0);  // transposed: reflection after reflection
    t.assign(panel * panel, 0.0);
    for (std::size_t k = 0; k < panel; ++k) {
      for (std::size_t i = 0; i < count; ++i) v[k * count + i] = rows[i * n_ + first + k];
    }
    for (std::size_t k = 0; k < panel; ++k) {
      const std::span<double> x = std::span(v).subspan(k * count, count);
      double& r = at(first + k, first + k);
      const double length = std::hypot(r, norm(x));
      if (length == 0.0) continue;
      const double beta = r > 0.0 ? -length : length;
      const double tau = (beta - r) / beta;
      for (double& value : x) value /= r - beta;
      r = beta;
      for (std::size_t j = k + 1; j < panel; ++j) {
        const std::span<double> y = std::span(v).subspan(j * count, count);
        double& of_row = at(first + k, first + j);
        const double moved = tau * (of_row + dot(x, y));
        of_row -= moved;
        subtract(moved, x, y);
      }
      // Column k of T: -tau T (V^T v). The ones of the reflections lie in different rows.
      for (std::size_t j = 0; j < k; ++j) {
        t[j * panel + k] = -tau * dot(std::span(v).subspan(j * count, count), x);
      }
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0.0;
        for (std::size_t l = j; l < k; ++l) sum += t[j * panel + l] * t[l * panel + k];
        t[j * panel + k] = sum;
      }
      t[k * panel + k] = tau;
    }
    if (behind == 0) return;
    // W = T^T (R' + V^T A') of the columns behind; R' -= W, A' -= V W.
    std::vector<double> sums(panel * behind);
    for (std::size_t k = 0; k < panel; ++k) {
      std::copy_n(&at(first + k, first + panel), behind, &sums[k * behind]);
    }
    double* const others = rows.data() + first + panel;
    add_product_nn(panel, behind, count, v.data(), count, others, n_, sums.data(), behind);
    w.assign(panel * behind, 0.0);
    add_product_tn(panel, behind, panel, t.data(), panel, sums.data(), behind, w.data(), behind);
    for (double& value : w) value = -value;
    for (std::size_t k = 0; k < panel; ++k) {
      for (std::size_t j = 0; j < behind; ++j)
        at(first + k, first + panel + j) += w[k * behind + j];
    }
    add_product_tn(count, behind, panel, v.data(), count, w.data(), behind, others, n_);
  }
}

void Triangle::add(const Triangle& other) {
  std::vector<double> rows = other.values_;
  add_rows(rows);
}

bool Triangle::take_products(std::span<const double> products) {
  // Of a column's length squared: what rounding leaves of a column that depends on others.
  constexpr double kNothing = 1e-12;
  std::copy(products.begin(), products.end(), values_.begin());
  for (std::size_t k = 0; k < n_; ++k) {
    if (!(at(k, k) > kNothing * products[k * n_ + k])) return false;
    const double root = std::sqrt(at(k, k));
    const auto row = std::span(values_).subspan(k * n_ + k, n_ - k);
    for (double& value : row) value /= root;
    for (std::size_t i = k + 1; i < n_; ++i) {
      subtract(at(k, i), row.subspan(i - k), std::span(values_).subspan(i * n_ + i, n_ - i));
    }
  }
  return true;
}

void Triangle::solve_first(std::span<double> b) const {
  for (std::size_t k = b.size(); k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < b.size(); ++j) sum -= at(k, j) * b[j];
    b[k] = sum / at(k, k);
  }
}

void Triangle::solve_transposed_first(std::span<double> b) const {
  for (std::size_t k = 0; k < b.size(); ++k) {
    b[k] /= at(k, k);
    for (std::size_t j = k + 1; j < b.size(); ++j) b[j] -= at(k, j) * b[k];
  }
}

void Triangle::solve_both(std::span<double> b) const {
  for (std::size_t first = 0; first < b.size(); first += n_) {
    solve_transposed_first(b.subspan(first, n_));
    solve_first(b.subspan(first, n_));
  }
}

std::pair<double, double> Triangle::singular_range(std::size_t size) const {
  constexpr int kMostSteps = 200;
  constexpr double kEnough = 1e-3;
  // The largest eigenvalue of a positive matrix; a start with parts in every direction.
  const auto largest = [&](const auto& apply) {
    std::vector<double> x(size);
    for (std::size_t k = 0; k < size; ++k)
      x[k] = 1.0 + 0.5 * std::cos(2.3 * static_cast<double>(k * k));
    double value = 0.0;
    for (int step = 0; step < kMostSteps; ++step) {
      const double length = norm(x);
      for (double& part : x) part /= length;
      apply(x);
      const double next = norm(x);
      const bool is_found = std::abs(next - value) <= kEnough * next;
      value = next;
      if (is_found) break;
    }
    return value;
  };
  const double top = largest([&](std::span<double> x) {
    for (std::size_t k = 0; k < size; ++k) {  // R x
      double sum = 0.0;
      for (std::size_t j = k; j < size; ++j) sum += at(k, j) * x[j];
      x[k] = sum;
    }
    for (std::size_t k = size; k-- > 0;) {  // R^T x
      double sum = 0.0;
      for (std::size_t j = 0; j <= k; ++j) sum += at(j, k) * x[j];
      x[k] = sum;
    }
  });
  for (std::size_t k = 0; k < size; ++k) {
    if (at(k, k) == 0.0) return {0.0, std::sqrt(top)};
  }
  const double bottom = largest([&](std::span<double> x) {
    solve_transposed_first(x);
    solve_first(x);
  });
  return {1.0 / std::sqrt(bottom), std::sqrt(top)};
}

std::vector<double> Triangle::inverse_diagonal() const {
  std::vector<double> diagonal(n_), row(n_);
  for (std::size_t k = 0; k < n_; ++k) {  // row k of R^-1, whose square is the entry
    std::fill(row.begin(), row.end(), 0.0);
    row[k] = 1.0;
    solve_transposed_first(row);
    double sum = 0.0;
    for (const double value : row) sum += value * value;
    diagonal[k] = sum;
  }
  return diagonal;
}

}  // namespace leafglyph
