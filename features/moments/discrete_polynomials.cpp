#include "features/moments/discrete_polynomials.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// The recurrences in n lose every digit at high degrees. These polynomials are eigenvectors as
// well, of known eigenvalues, of a tridiagonal matrix in x:
//     b(x+1) (v(x+1) - v(x)) - b(x) (v(x) - v(x-1)) = s(x) v(x),    b(0) = b(N) = 0.
// From an end of the axis v grows until it begins to oscillate, and neither loses digits; where it
// decays towards the other end, it would. So the equation is solved from both ends to a pixel at
// which v oscillates. The flux b (v - v) is carried along instead of b(x) + b(x+1) - s(x), which
// would cancel at low degrees.

// Values beyond are scaled down: p^(N/2) is below the smallest number that there is.
constexpr long double kLargest = 1e1000L;

// Solves from an end, v = 1, to `last` steps from it. at(i) is v, link(i) is b between i - 1 and i,
// slope(i) is s, i steps from that end.
template <class At, class Link, class Slope>
void solve_from_end(std::ptrdiff_t last, const At& at, const Link& link, const Slope& slope) {
  at(0) = 1.0L;
  long double flux = 0.0L;
  for (std::ptrdiff_t i = 0; i < last; ++i) {
    flux += slope(i) * at(i);
    at(i + 1) = at(i) + flux / link(i + 1);
    if (std::abs(at(i + 1)) < kLargest) continue;
    for (std::ptrdiff_t j = 0; j <= i + 1; ++j) at(j) /= kLargest;
    flux /= kLargest;
  }
}

// The eigenvector of length 1 whose first element is positive. It oscillates at `joint`.
template <class Link, class Slope>
void solve(const Link& link, const Slope& slope, std::ptrdiff_t joint, std::vector<long double>& v,
           std::vector<long double>& from_right) {
  const auto last = static_cast<std::ptrdiff_t>(v.size()) - 1;
  const auto element = [](std::vector<long double>& of, std::ptrdiff_t i) -> long double& {
    return of[static_cast<std::size_t>(i)];
  };
  if (last == 0) {
    v[0] = 1.0L;
    return;
  }
  // Both solutions have the pixels at the joint and after it, one of which is not near a zero.
  joint = std::clamp<std::ptrdiff_t>(joint, 0, last - 1);
  solve_from_end(
      joint + 1, [&](std::ptrdiff_t i) -> long double& { return element(v, i); }, link, slope);
  solve_from_end(
      last - joint, [&](std::ptrdiff_t i) -> long double& { return element(from_right, last - i); },
      [&](std::ptrdiff_t i) { return link(last + 1 - i); },
      [&](std::ptrdiff_t i) { return slope(last - i); });
  const long double a = element(from_right, joint);
  const long double b = element(from_right, joint + 1);
  const long double size = std::hypot(a, b);
  const long double factor =
      (element(v, joint) * (a / size) + element(v, joint + 1) * (b / size)) / size;
  for (std::ptrdiff_t i = joint + 1; i <= last; ++i)
    element(v, i) = factor * element(from_right, i);
  const long double largest =
      std::abs(*std::max_element(v.begin(), v.end(), [](long double one, long double other) {
        return std::abs(one) < std::abs(other);
      }));
  long double sum = 0.0L;
  for (long double& value : v) {
    value /= largest;
    sum += value * value;
  }
  for (long double& value : v) value /= std::sqrt(sum);
}

// The rows of the table, in which solve_row(n, v, room) writes v.
template <class SolveRow>
std::vector<double> table(int length, int order, const SolveRow& solve_row) {
  const auto size = static_cast<std::size_t>(length);
  std::vector<double> values((static_cast<std::size_t>(order) + 1) * size, 0.0);
  std::vector<long double> v(size);
  std::vector<long double> room(size);
  for (int n = 0; n <= std::min(order, length - 1); ++n) {
    throw_if_interrupted();
    solve_row(n, v, room);
    std::copy(v.begin(), v.end(), values.begin() + static_cast<std::ptrdiff_t>(n) * length);
  }
  return values;
}

}  // namespace

std::vector<double> tchebichef_values(int length, int order) {
  const auto link = [length](std::ptrdiff_t x) {
    return static_cast<long double>(x) * static_cast<long double>(length - x);
  };
  return table(
      length, order, [&](int n, std::vector<long double>& v, std::vector<long double>& room) {
        const long double eigenvalue = -static_cast<long double>(n) * (n + 1.0L);
        solve(
            link, [eigenvalue](std::ptrdiff_t) { return eigenvalue; }, length / 2 - 1, v, room);
        if (n % 2 != 0) {
          for (long double& value : v) value = -value;  // the highest coefficient is positive
        }
      });
}

std::vector<double> krawtchouk_values(double p, int length, int order) {
  const long double right = p;
  const long double left = 1.0L - right;
  const long double top = length - 1.0L;
  const auto link = [=](std::ptrdiff_t x) {
    return std::sqrt(static_cast<long double>(x) * (top - x + 1.0L) * right * left);
  };
  return table(length, order,
               [&](int n, std::vector<long double>& v, std::vector<long double>& room) {
                 const auto slope = [&](std::ptrdiff_t x) {
                   return right * (top - x) + left * x - n - link(x) - link(x + 1);
                 };
                 const auto joint = static_cast<std::ptrdiff_t>(right * top + (left - right) * n);
                 solve(link, slope, joint, v, room);
               });
}

}  // namespace leafglyph
