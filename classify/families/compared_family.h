// A family of moments as it takes part in a comparison, and how many moments an order has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "features/moments/moment_spec.h"

namespace leafglyph {

struct ComparedFamily {
  std::string name;  ///< as it was asked for
  WeightedFamily kind;

  Family family() const { return kind.family; }
  friend bool operator==(const ComparedFamily&, const ComparedFamily&) = default;
};

/// Reads what weighted_family_from_text does. Throws what it throws.
ComparedFamily compared_family_from_name(std::string_view name);

/// Moments of order <= `order` with both signs of m counted (a moment with m > 0 is two real
/// numbers), so that Zernike and Legendre moments of one order are equally many.
std::size_t independent_count(Family family, int order);
/// The highest order with at most `count` of them; the family's lowest when even that has more.
int order_for_count(Family family, std::size_t count);

/// The method without quadrature error, or nearly so, that the comparison uses for a family.
MomentSpec comparison_spec(const WeightedFamily& family, int order);

}  // namespace leafglyph
