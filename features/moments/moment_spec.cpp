#include "features/moments/moment_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/number_text.h"

namespace leafglyph {
namespace {

// Without Jacobi, whose name takes its weight.
constexpr Names<Family, 4> kFamilies = {"moment family",
                                        {{{Family::kZernike, "zernike"},
                                          {Family::kPseudoZernike, "pseudo-zernike"},
                                          {Family::kBesselFourier, "bessel-fourier"},
                                          {Family::kLegendre, "legendre"}}}};
constexpr Names<Method, 4> kMethods = {"method",
                                       {{{Method::kSubregion, "sub-regions"},
                                         {Method::kExact, "exact"},
                                         {Method::kGauss, "gauss"},
                                         {Method::kAdaptive, "adaptive"}}}};
constexpr Names<Mask, 2> kMasks = {"mask", {{{Mask::kCentre, "centre"}, {Mask::kWhole, "whole"}}}};
constexpr std::string_view kJacobiName = "jacobi";
constexpr std::string_view kGegenbauerName = "gegenbauer";

int highest_order(Family family) {
  if (family == Family::kBesselFourier) return kMaxBesselFourierOrder;
  return is_circular(family) ? kMaxOrder : kMaxJacobiOrder;
}

std::size_t volume_moment_count(int order) {
  if (order < 0) return 0;
  const auto t = static_cast<std::size_t>(order);
  return (t + 1) * (t + 2) / 2 * (t + 3) / 3;
}

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

void validate_convention(const MomentSpec& spec) {
  if (is_inscribed_textbook(spec.convention)) return;
  const std::string what = "convention " + describe(spec.convention);
  if (spec.convention.convention != Convention::kTextbook) {
    if (spec.family != Family::kZernike) {
      throw UsageError(what + " knows Zernike moments, no " +
                       std::string(family_name(spec.family)) + " ones");
    }
    if (spec.method != Method::kSubregion || spec.points != 1 || spec.mask) {
      throw UsageError(what +
                       " takes pixel centres under a mask of its own; leave out the method "
                       "and the mask");
    }
  } else if (spec.family != Family::kZernike && spec.family != Family::kPseudoZernike) {
    throw UsageError(what + ": " + std::string(family_name(spec.family)) +
                     " moments are those of the whole image; leave out centre and radius");
  } else if (spec.method != Method::kSubregion) {
    throw UsageError(what + ": there are sub-regions alone on a circle of one's own, method " +
                     std::string(method_name(spec.method)) + " takes the inscribed one");
  }
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
  const int highest = highest_order(spec.family);
  if (spec.order > highest || spec.angular_order.value_or(0) > highest) {
    throw UsageError("order " +
                     std::to_string(std::max(spec.order, spec.angular_order.value_or(0))) + " of " +
                     std::string(family_name(spec.family)) + " moments is too high; use " +
                     std::to_string(highest) + " or less");
  }
  if (spec.angular_order && (spec.family != Family::kBesselFourier || *spec.angular_order < 0)) {
    throw UsageError("an angular order of " + std::to_string(*spec.angular_order) +
                     "; Bessel-Fourier moments have one, of 0 or more");
  }
  const bool uses_k = spec.method == Method::kSubregion || spec.method == Method::kGauss;
  if (uses_k) validate_points_a_side(spec.points);
  if (spec.method == Method::kExact && spec.family != Family::kZernike &&
      is_circular(spec.family)) {
    throw UsageError("the exact method does not serve " + std::string(family_name(spec.family)) +
                     " moments; use adaptive points");
  }
  if (spec.method == Method::kAdaptive && !is_circular(spec.family)) {
    throw UsageError("adaptive points do not serve " + std::string(family_name(spec.family)) +
                     " moments; use the exact method");
  }
  if (spec.mask && !is_circular(spec.family)) {
    throw UsageError("every pixel counts for " + std::string(family_name(spec.family)) +
                     " moments, which live on the square; they have no mask");
  }
  validate(spec.weight);
  if (spec.family != Family::kJacobi && spec.weight != JacobiWeight{}) {
    throw UsageError(std::string(family_name(spec.family)) + " moments have no weight; use jacobi");
  }
  validate_convention(spec);
}

void validate(const MomentSpec& spec, const ArraySize& size) {
  validate(spec);
  if (!is_inscribed_textbook(spec.convention)) {
    if (size.is_volume() || size.width < 1 || size.height < 1 ||
        std::max(size.width, size.height) > kMaxImageSize) {
      throw UsageError("conventions take images of 1 to " + std::to_string(kMaxImageSize) +
                       " pixels a side, not " + describe(size));
    }
    return;
  }
  if (is_circular(spec.family)) {
    if (size.is_volume() || size.width != size.height) {
      throw UsageError(std::string(family_name(spec.family)) +
                       " moments are those of square images, not of " + describe(size));
    }
    validate_image_size(size.width);
    return;
  }
  if (size.width < 1 || size.height < 1 || size.depth < 0) {
    throw UsageError("an array of " + describe(size) + "; every axis needs 1 or more");
  }
  if (std::max({size.width, size.height, size.depth}) > kMaxAxisLength) {
    throw UsageError("an array of " + describe(size) + "; no axis may be longer than " +
                     std::to_string(kMaxAxisLength));
  }
}

Mask default_mask(Method method) {
  return method == Method::kSubregion ? Mask::kCentre : Mask::kWhole;
}

Mask mask_of(const MomentSpec& spec) { return spec.mask.value_or(default_mask(spec.method)); }

std::string_view mask_name(Mask mask) { return name_of(kMasks, mask); }
Mask mask_from_name(std::string_view name) { return from_name(kMasks, name); }

bool has_mask(const MomentSpec& spec) {
  return is_circular(spec.family) && spec.convention.convention == Convention::kTextbook;
}

Method default_method(Family family, const ConventionSpec& convention) {
  if (!is_inscribed_textbook(convention)) return Method::kSubregion;
  return family == Family::kZernike || !is_circular(family) ? Method::kExact : Method::kAdaptive;
}

std::string_view convention_name(Family family) {
  return is_circular(family) ? "textbook" : "orthonormal";
}

std::string_view method_name(Method method) { return name_of(kMethods, method); }
Method method_from_name(std::string_view name) { return from_name(kMethods, name); }

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
  if (order < 0) return 0;
  const auto t = static_cast<std::size_t>(order);
  if (family == Family::kPseudoZernike || !is_circular(family)) {
    return (t + 1) * (t + 2) / 2;
  }
  if (family == Family::kBesselFourier) return t * (t + 1);
  return (t / 2 + 1) * ((t + 1) / 2 + 1);
}

int top_order(const MomentSpec& spec) {
  return std::max(spec.order, spec.angular_order.value_or(0));
}

std::size_t moment_count(const MomentSpec& spec, const ArraySize& size) {
  return moment_count_to(spec, size, top_order(spec));
}

std::size_t moment_count_to(const MomentSpec& spec, const ArraySize& size, int order) {
  const int radial = std::min(order, spec.order);
  if (size.is_volume()) return volume_moment_count(radial);
  if (!spec.angular_order) return moment_count(spec.family, radial);
  if (order < 1) return 0;
  const int angular = std::min(order, *spec.angular_order);
  return static_cast<std::size_t>(radial) * (static_cast<std::size_t>(angular) + 1);
}

std::vector<MomentIndex> moment_indices(const MomentSpec& spec) {
  if (!spec.angular_order) return moment_indices(spec.family, spec.order);
  std::vector<MomentIndex> indices;
  for (int shell = 1; shell <= std::max(spec.order, *spec.angular_order); ++shell) {
    for (int n = 1; n < shell && n <= spec.order && shell <= *spec.angular_order; ++n) {
      indices.push_back({n, shell});
    }
    for (int m = 0; m <= shell && m <= *spec.angular_order && shell <= spec.order; ++m) {
      indices.push_back({shell, m});
    }
  }
  return indices;
}

std::vector<MomentIndex> moment_indices(Family family, int order) {
  if (family == Family::kBesselFourier) {
    MomentSpec spec;
    spec.family = family;
    spec.order = order;
    spec.angular_order = order;
    return moment_indices(spec);
  }
  std::vector<MomentIndex> indices;
  indices.reserve(moment_count(family, order));
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

std::size_t moment_position(const MomentSpec& spec, int n, int m) {
  if (!spec.angular_order) return moment_position(spec.family, n, m);
  // before this shell: the n and the m below it that there are
  const int shell = std::max(n, m);
  const int radial = std::min(shell - 1, spec.order);
  const int angular = std::min(shell - 1, *spec.angular_order);
  const bool has_angular_part = shell <= *spec.angular_order;
  const int within = n < shell ? n - 1 : m + (has_angular_part ? shell - 1 : 0);
  return static_cast<std::size_t>(radial) * (static_cast<std::size_t>(angular) + 1) +
         static_cast<std::size_t>(within);
}

std::size_t volume_moment_position(int n, int m, int o) {
  const int total = n + m + o;
  // before this o: total + 1, total, ... moments
  const auto before = static_cast<std::size_t>(o) * static_cast<std::size_t>(2 * total + 3 - o) / 2;
  return volume_moment_count(total - 1) + before + static_cast<std::size_t>(m);
}

std::size_t moment_position(Family family, int n, int m) {
  if (family == Family::kBesselFourier) {
    const int shell = std::max(n, m);
    const int within = n < shell ? n - 1 : shell - 1 + m;
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
  return family == Family::kJacobi ? kJacobiName : name_of(kFamilies, family);
}

Family family_from_name(std::string_view name) { return from_name(kFamilies, name); }

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
  for (const auto& known : kFamilies.entries) {
    if (known.name == text) return {known.value, {}};
  }
  std::vector<std::string_view> names(kFamilies.entries.size());
  std::ranges::copy(kFamilies.names(), names.begin());
  names.insert(names.end(), {"gegenbauer:PARAMETER", "jacobi:ALPHA:BETA"});
  throw_unknown_name(kFamilies.what, text, names);
}

std::string family_text(const WeightedFamily& family) {
  std::string text(family_name(family.family));
  if (family.family != Family::kJacobi) return text;
  return text + ":" + number_text(family.weight.alpha) + ":" + number_text(family.weight.beta);
}

std::string describe(const MomentSpec& spec) {
  std::string text = family_text({spec.family, spec.weight});
  text += ", order " + std::to_string(spec.order);
  if (spec.angular_order) text += ", |m| <= " + std::to_string(*spec.angular_order);
  const std::string k = std::to_string(spec.points);
  switch (spec.method) {
    case Method::kSubregion:
      text += ", k = " + k;
      break;
    case Method::kGauss:
      text += ", " + k + " x " + k + " Gauss points";
      break;
    case Method::kExact:
      text += ", exact";
      break;
    case Method::kAdaptive:
      text += ", adaptive Gauss points";
      break;
  }
  const bool own_circle = !is_inscribed_textbook(spec.convention);
  if (has_mask(spec) && (own_circle || mask_of(spec) != default_mask(spec.method))) {
    text += ", mask " + std::string(mask_name(mask_of(spec)));
  }
  if (own_circle) text += ", " + describe(spec.convention);
  return text;
}

}  // namespace leafglyph
