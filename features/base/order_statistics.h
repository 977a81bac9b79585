// Values by their rank among others.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// The middle one of n >= 1 values; of an even number the upper one of the two.
template <class T>
T median(std::vector<T> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace leafglyph
