#include "classify/compared_family.h"

#include <charconv>
#include <optional>
#include <vector>

#include "features/errors.h"

namespace leafglyph {
namespace {

// The numbers after "kind:", with colons between them; none for another kind.
std::optional<std::vector<double>> numbers_after(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind)) return std::nullopt;
  name.remove_prefix(kind.size());
  std::vector<double> numbers;
  while (name.starts_with(':')) {
    name.remove_prefix(1);
    double number = 0.0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{}) return std::nullopt;
    numbers.push_back(number);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
  return name.empty() ? std::optional(numbers) : std::nullopt;
}

}  // namespace

ComparedFamily compared_family_from_name(std::string_view name) {
  const std::string text(name);
  const auto parameter = numbers_after(name, "gegenbauer");
  if (parameter && parameter->size() == 1) {
    return {text, Family::kLegendre, gegenbauer_weight(parameter->front())};
  }
  const auto exponents = numbers_after(name, "jacobi");
  if (exponents && exponents->size() == 2) {
    const JacobiWeight weight{exponents->front(), exponents->back()};
    validate(weight);
    return {text, Family::kLegendre, weight};
  }
  try {
    return {text, family_from_name(name), {}};
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + ", gegenbauer:PARAMETER, jacobi:ALPHA:BETA");
  }
}

std::size_t independent_count(Family family, int order) {
  std::size_t count = 0;
  for (const MomentIndex& index : moment_indices(family, order)) {
    count += is_circular(family) && index.m > 0 ? 2 : 1;
  }
  return count;
}

int order_for_count(Family family, std::size_t count) {
  int order = family == Family::kBesselFourier ? 1 : 0;
  while (independent_count(family, order + 1) <= count) ++order;
  return order;
}

MomentSpec comparison_spec(Family family, int order) {
  MomentSpec spec;
  spec.family = family;
  spec.order = order;
  const bool exact = family == Family::kZernike || family == Family::kLegendre;
  spec.method = exact ? Method::kExact : Method::kAdaptive;
  return spec;
}

CartesianSpec comparison_plan(const ComparedFamily& family, int order, int image_size) {
  CartesianSpec spec;
  spec.width = image_size;
  spec.height = image_size;
  spec.order = order;
  spec.weight = family.weight;
  return spec;
}

}  // namespace leafglyph
