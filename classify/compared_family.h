// A family of moments as it takes part in a comparison, and how many moments an order has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "features/cartesian.h"
#include "features/moment_spec.h"

namespace leafglyph {

struct ComparedFamily {
  std::string name;                  ///< as compared_family_from_name reads it
  Family family = Family::kZernike;  ///< kLegendre: polynomials on the square, any weight
  JacobiWeight weight;               ///< of those; 0, 0 for every other family

  friend bool operator==(const ComparedFamily&, const ComparedFamily&) = default;
};

/// Reads the name of a Family, gegenbauer:PARAMETER or jacobi:ALPHA:BETA. Throws UsageError on
/// anything else and on a weight that is out of range.
ComparedFamily compared_family_from_name(std::string_view name);

/// Moments of order <= `order` with both signs of m counted (a moment with m > 0 is two real
/// numbers), so that Zernike and Legendre moments of one order are equally many.
std::size_t independent_count(Family family, int order);
/// The highest order with at most `count` of them; the family's lowest when even that has more.
int order_for_count(Family family, std::size_t count);

/// The method without quadrature error, or nearly so, that the comparison uses for a family on the
/// disk.
MomentSpec comparison_spec(Family family, int order);
/// Exact moments of a square image under a family's weight.
CartesianSpec comparison_plan(const ComparedFamily& family, int order, int image_size);

}  // namespace leafglyph
