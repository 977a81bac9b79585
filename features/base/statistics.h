// Values by their rank among others, and the relative l2 error.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

namespace leafglyph {

/// The value of rank floor(share (n - 1)), from 0, among n >= 1 values; share 0 to 1.
template <class T>
T quantile(std::vector<T> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The median of n >= 1 values; the upper one of the two middle values if n is even.
template <class T>
T median(std::vector<T> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// ||a - b|| / ||b|| of two sequences of numbers; infinity when a value is not finite or the
/// lengths differ.
template <class A, class B>
double relative_l2(const A& a, const B& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  long double difference = 0.0L;
  long double reference = 0.0L;
  for (std::size_t i = 0; i < b.size(); ++i) {
    using Wide = std::complex<long double>;
    const Wide x = Wide(a[i]);
    const Wide y = Wide(b[i]);
    difference += std::norm(x - y);
    reference += std::norm(y);
  }
  const auto ratio = static_cast<double>(std::sqrt(difference / reference));
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

}  // namespace leafglyph
