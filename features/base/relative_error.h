// The one error measure of the tests: relative l2. Not a number never passes.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>

namespace leafglyph {

/// ||a - b|| / ||b|| over two sequences of numbers of one length; infinity when anything is not
/// finite or the lengths differ.
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
