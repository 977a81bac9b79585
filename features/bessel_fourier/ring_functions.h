// What the ring algorithm needs to know of a family: its functions of the radius.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The rings cut the interval [0, 1] of a coordinate u(rho) in which all functions of the radius
/// oscillate evenly. The functions are a factor that is the same for all of them,
///     rho^inner_power (1 - rho)^outer_power   (0 at the centre if by_point),
/// times rows of real functions of u.
struct RingFunctions {
  std::size_t rows = 0;
  double top_phase = 0.0;  ///< the fastest row is like e^{j top_phase u}
  bool by_angle = false;   ///< rho = sin^2(pi u / 2); otherwise u = rho^power
  double power = 1.0;
  bool by_point = false;  ///< a point is on the ring of its own u; otherwise of its pixel's
                          ///< centre, and rings have margins
  bool in_pairs = false;  ///< rows are 1, sin, cos, sin, cos, ...: see ring_positions
  double inner_power = 0.0;
  double outer_power = 0.0;
  std::vector<double> norms;  ///< factor before the integral, by row
  std::function<void(double u, std::span<double> values)> values;  ///< of all rows

  double coordinate(double rho) const;
  double factor(double rho) const;
};

/// Whether the family has such functions.
bool has_ring_functions(Family family);
/// Throws UsageError for any other family.
RingFunctions ring_functions(const MomentSpec& spec);
/// What follows from the spec without tables; top_phase may be slightly larger.
RingFunctions ring_bounds(const MomentSpec& spec);

/// The highest m of a spec.
inline int angular_order_of(const MomentSpec& spec) {
  return spec.angular_order.value_or(spec.order);
}

/// Position of the moment of row i and repetition m at [i (M + 1) + m], M = angular_order_of(spec).
/// In pairs, rows 2 n - 1 and 2 n hold the positions of the orders n and -n, whose moments are
///     E_n = C - j S and E_{-n} = C + j S,
/// S and C the products with those rows, sin and cos.
std::vector<std::size_t> ring_positions(const MomentSpec& spec);

}  // namespace leafglyph
