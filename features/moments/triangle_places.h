// How moments of all pairs of degrees n >= m are stored: by n, then by m.
#pragma once

#include <cstddef>

namespace leafglyph {

/// Pairs 0 <= m <= n <= order, for order >= 0.
inline std::size_t triangle_count(int order) {
  const auto t = static_cast<std::size_t>(order);
  return (t + 1) * (t + 2) / 2;
}
/// The position of (n, m) among them.
inline std::size_t triangle_position(int n, int m) {
  return (n == 0 ? 0 : triangle_count(n - 1)) + static_cast<std::size_t>(m);
}

}  // namespace leafglyph
