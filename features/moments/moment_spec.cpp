#include "features/moments/moment_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "features/base/errors.h"
#include "features/base/number_text.h"

namespace leafglyph {
namespace {

struct FamilyName {
  Family family;
  std::string_view name;
};
constexpr std::array kFamilies = {
    FamilyName{Family::kZernike, "zernike"},
    FamilyName{Family::kPseudoZernike, "pseudo-zernike"},
    FamilyName{Family::kBesselFourier, "bessel-fourier"},
    FamilyName{Family::kLegendre, "legendre"},
};
constexpr std::string_view kJacobiName = "jacobi";
constexpr std::string_view kGegenbauerName = "gegenbauer";

// The numbers after "kind:", with colons between them; none for another kind.
std::optional<std::vector<double>> numbers_after(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  std::vector<double> numbers;
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    numbers.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(numbers) : std::nullopt;
}

}  // namespace

void validate(const JacobiWeight& weight) {
  const auto serves = [](double exponent) {
    return exponent > -1.0 && exponent <= kMaxJacobiExponent;
  };
  if (!serves(weight.alpha) || !serves(weight.beta)) {
    throw UsageError("Jacobi weight alpha = " + number_text(weight.alpha) +
                     ", beta = " + number_text(weight.beta) +
                     "; both must be above -1 and at most " + number_text(kMaxJacobiExponent));
  }
}

JacobiWeight gegenbauer_weight(double parameter) {
  if (!(parameter > -0.5) || !std::isfinite(parameter)) {
    throw UsageError("Gegenbauer parameter " + number_text(parameter) + "; it must be above -0.5");
  }
  const JacobiWeight weight{parameter - 0.5, parameter - 0.5};
  validate(weight);
  return weight;
}

void validate(const MomentSpec& spec) {
  if (spec.order < 0) {
    throw UsageError("order " + std::to_string(spec.order) + " is negative; use 0 or more");
  }
  if (spec.family == Family::kBesselFourier && spec.order < 1) {
    throw UsageError("Bessel-Fourier moments start at order 1; use 1 or more");
  }
  const int highest = spec.family == Family::kBesselFourier ? kMaxBesselFourierOrder : kMaxOrder;
  if (spec.order > highest) {
    throw UsageError("order " + std::to_string(spec.order) + " of " +
                     std::string(family_name(spec.family)) + " moments is too high; use " +
                     std::to_string(highest) + " or less");
  }
  const bool uses_k = spec.method == Method::kSubregion || spec.method == Method::kGauss;
  if (uses_k) validate_points_a_side(spec.subregions);
  if (spec.method == Method::kExact && spec.family != Family::kZernike &&
      is_circular(spec.family)) {
    throw UsageError("the exact method does not serve " + std::string(family_name(spec.family)) +
                     " moments; use adaptive points");
  }
  if (spec.method == Method::kAdaptive && !is_circular(spec.family)) {
    throw UsageError("adaptive points do not serve " + std::string(family_name(spec.family)) +
                     " moments; use the exact method");
  }
  validate(spec.weight);
  if (spec.family != Family::kJacobi && spec.weight != JacobiWeight{}) {
    throw UsageError(std::string(family_name(spec.family)) + " moments have no weight; use jacobi");
  }
}

void validate_image_size(int size) {
  const std::string sizes = std::to_string(size) + " x " + std::to_string(size);
  if (size < 2) {
    throw UsageError("images of " + sizes + " pixels carry no moments; use 2 x 2 or more");
  }
  if (size > kMaxImageSize) {
    const std::string most = std::to_string(kMaxImageSize);
    throw UsageError("images of " + sizes + " pixels are too large; use " + most + " x " + most +
                     " or less");
  }
}

void validate_points_a_side(int k) {
  if (k < 1 || k > kMaxPointsASide) {
    throw UsageError("k = " + std::to_string(k) + " points a side; use 1 to " +
                     std::to_string(kMaxPointsASide));
  }
}

bool is_circular(Family family) {
  return family == Family::kZernike || family == Family::kPseudoZernike ||
         family == Family::kBesselFourier;
}

std::size_t moment_count(Family family, int order) {
  const auto t = static_cast<std::size_t>(order);
  if (family == Family::kPseudoZernike || !is_circular(family)) {
    return (t + 1) * (t + 2) / 2;
  }
  if (family == Family::kBesselFourier) return t * (t + 1);
  return (t / 2 + 1) * ((t + 1) / 2 + 1);
}

std::vector<MomentIndex> moment_indices(Family family, int order) {
  std::vector<MomentIndex> indices;
  indices.reserve(moment_count(family, order));
  if (family == Family::kBesselFourier) {
    for (int shell = 1; shell <= order; ++shell) {
      for (int n = 1; n < shell; ++n) indices.push_back({n, shell});
      for (int m = 0; m <= shell; ++m) indices.push_back({shell, m});
    }
    return indices;
  }
  if (!is_circular(family)) {
    for (int total = 0; total <= order; ++total) {
      for (int m = 0; m <= total; ++m) indices.push_back({total - m, m});
    }
    return indices;
  }
  const int step = family == Family::kZernike ? 2 : 1;
  for (int n = 0; n <= order; ++n) {
    for (int m = n % step; m <= n; m += step) indices.push_back({n, m});
  }
  return indices;
}

int order_of(Family family, const MomentIndex& index) {
  if (family == Family::kBesselFourier) return std::max(index.n, index.m);
  return is_circular(family) ? index.n : index.n + index.m;
}

std::size_t moment_position(Family family, int n, int m) {
  if (family == Family::kBesselFourier) {
    const int shell = n > m ? n : m;
    const int within = m == shell && n < shell ? n - 1 : shell - 1 + m;
    return moment_count(family, shell - 1) + static_cast<std::size_t>(within);
  }
  if (!is_circular(family)) {
    const auto total = static_cast<std::size_t>(n + m);
    return total * (total + 1) / 2 + static_cast<std::size_t>(m);
  }
  const std::size_t before = n == 0 ? 0 : moment_count(family, n - 1);
  return before + static_cast<std::size_t>(family == Family::kZernike ? m / 2 : m);
}

std::string_view family_name(Family family) {
  if (family == Family::kJacobi) return kJacobiName;
  for (const auto& known : kFamilies) {
    if (known.family == family) return known.name;
  }
  throw UsageError("moment family number " + std::to_string(static_cast<int>(family)) +
                   " is unknown");
}

Family family_from_name(std::string_view name) {
  std::string names;
  for (const auto& known : kFamilies) {
    if (known.name == name) return known.family;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw UsageError("moment family '" + std::string(name) + "' is unknown; use one of " + names);
}

WeightedFamily weighted_family_from_text(std::string_view text) {
  const auto parameter = numbers_after(text, kGegenbauerName);
  if (parameter && parameter->size() == 1) {
    return {Family::kJacobi, gegenbauer_weight(parameter->front())};
  }
  const auto exponents = numbers_after(text, kJacobiName);
  if (exponents && exponents->size() == 2) {
    const JacobiWeight weight{exponents->front(), exponents->back()};
    validate(weight);
    return {Family::kJacobi, weight};
  }
  try {
    return {family_from_name(text), {}};
  } catch (const UsageError& error) {
    throw UsageError(std::string(error.what()) + ", gegenbauer:PARAMETER, jacobi:ALPHA:BETA");
  }
}

std::string family_text(const WeightedFamily& family) {
  std::string text(family_name(family.family));
  if (family.family != Family::kJacobi) return text;
  return text + ":" + number_text(family.weight.alpha) + ":" + number_text(family.weight.beta);
}

std::string describe(const MomentSpec& spec) {
  std::string text = family_text({spec.family, spec.weight});
  text += ", order " + std::to_string(spec.order);
  const std::string k = std::to_string(spec.subregions);
  switch (spec.method) {
    case Method::kSubregion:
      return text + ", k = " + k;
    case Method::kGauss:
      return text + ", " + k + " x " + k + " Gauss points";
    case Method::kExact:
      return text + ", exact";
    case Method::kAdaptive:
      return text + ", adaptive Gauss points";
  }
  return text;
}

}  // namespace leafglyph
