#include "features/moments/moment_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/moments/ball_moments.h"

namespace leafglyph {
namespace {

constexpr std::string_view kFamily = "moment family";
constexpr std::string_view kGegenbauerName = "gegenbauer";

// Members of a weighted family that the literature has a name for.
struct NamedMember {
  std::string_view name;
  Family family;
  JacobiWeight weight;
};
constexpr std::array<NamedMember, 2> kNamedMembers = {
    {{"fourier-mellin", Family::kJacobiFourier, {2.0, 2.0}},
     {"chebyshev-fourier", Family::kJacobiFourier, {2.0, 1.5}}}};

// "zernike or pseudo-zernike".
std::string one_of(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  }
  return text;
}

// The names of the families with that property.
std::string families_with(bool FamilyRow::*holds) {
  std::vector<std::string> names;
  for (const Family family : families()) {
    if (family.row().*holds) names.emplace_back(family.row().name);
  }
  return one_of(names);
}

// Of a weighted family: one or two.
std::size_t parameter_count(const FamilyRow& row) {
  return row.parameters.find(':') == std::string_view::npos ? 1 : 2;
}

// The texts that weighted_family_from_text reads.
std::vector<std::string> family_texts() {
  std::vector<std::string> texts;
  for (const Family family : families()) {
    const FamilyRow& row = family.row();
    if (family == Family::kJacobi) texts.push_back(std::string(kGegenbauerName) + ":PARAMETER");
    const std::string parameters = row.weighted ? ":" + std::string(row.parameters) : "";
    texts.push_back(std::string(row.name) +
                    (row.usual_weight ? "[" + parameters + "]" : parameters));
    for (const NamedMember& member : kNamedMembers) {
      if (member.family == family) texts.emplace_back(member.name);
    }
  }
  return texts;
}

std::size_t volume_moment_count(int order) {
  if (order < 0) return 0;
  const auto t = static_cast<std::size_t>(order);
  return (t + 1) * (t + 2) / 2 * (t + 3) / 3;
}

// The numbers after "kind", each preceded by a colon; none for another kind.
std::optional<std::vector<double>> numbers_after(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind)) return std::nullopt;
  text.remove_prefix(kind.size());
  std::vector<double> numbers;
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    const auto number = take_number<double>(text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return text.empty() ? std::optional(numbers) : std::nullopt;
}

void validate_convention(const MomentSpec& spec) {
  if (is_inscribed_textbook(spec.convention)) return;
  const std::string what = "convention " + describe(spec.convention);
  if (spec.convention.convention != Convention::kTextbook) {
    if (spec.family != Family::kZernike) {
      throw UsageError(what + " supports Zernike moments, not " +
                       std::string(family_name(spec.family)) + " ones");
    }
    if (spec.method != Method::kSubregion || spec.points != 1 || spec.mask) {
      throw UsageError(what +
                       " takes pixel centres under a mask of its own; leave out the method "
                       "and the mask");
    }
  } else if (!spec.family.row().has_own_circle) {
    throw UsageError(what + ": " + std::string(family_name(spec.family)) +
                     " moments are those of the whole image; leave out centre and radius");
  } else if (spec.method != Method::kSubregion) {
    throw UsageError(what + ": only sub-regions are supported on a circle of your own; method " +
                     std::string(name_of(spec.method)) + " needs the inscribed one");
  }
}

// No less than the radius that the rule gives for an image of this size.
double largest_radius(const ConventionSpec& spec, const ArraySize& size) {
  switch (spec.radius) {
    case RadiusRule::kInscribed:
      return std::max(size.width, size.height) / 2.0;
    case RadiusRule::kShorter:
      return std::min(size.width, size.height);
    case RadiusRule::kEnclosing:
      return std::hypot(size.width, size.height) / 2.0;
    case RadiusRule::kGiven:
      break;
  }
  return spec.given.radius;
}

// A volume has moments on the ball at voxel centres alone.
void validate_ball(const MomentSpec& spec) {
  if (!is_spherical(spec.family)) return;
  if (spec.method == Method::kSubregion && spec.points == 1) return;
  throw UsageError(std::string(family_name(spec.family)) +
                   " moments are sums over the centres of voxels; leave out the method");
}

void validate_ball_size(const MomentSpec& spec, const ArraySize& size) {
  const int longest = std::max({size.width, size.height, size.depth});
  if (size.is_volume() && longest <= kMaxVolumeSide) return;
  throw UsageError(std::string(family_name(spec.family)) +
                   " moments are those of volumes with axes of 1 to " +
                   std::to_string(kMaxVolumeSide) + " voxels, not of " + describe(size));
}

// A disk without the centre of a pixel has no moments.
void validate_centre(const ConventionSpec& spec, const ArraySize& size) {
  if (spec.centre != CentreRule::kGiven) return;
  const auto to_nearest = [](double at, int pixels) {
    return at - std::clamp(std::round(at), 0.0, pixels - 1.0);
  };
  const double distance =
      std::hypot(to_nearest(spec.given.x, size.width), to_nearest(spec.given.y, size.height));
  constexpr double kRounding = 1e-9;
  if (distance <= largest_radius(spec, size) * (1.0 + kRounding)) return;
  throw UsageError("convention " + describe(spec) + ": no pixel of an image of " + describe(size) +
                   " lies in the circle; columns and rows count from 0");
}

}  // namespace

void validate(const JacobiWeight& weight) {
  const auto supports = [](double exponent) {
    return exponent > -1.0 && exponent <= kMaxJacobiExponent;
  };
  if (!supports(weight.alpha) || !supports(weight.beta)) {
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
  const FamilyRow& family = spec.family.row();
  const std::string moments = std::string(family.name) + " moments";
  if (spec.order < family.lowest_order) {
    const std::string lowest = std::to_string(family.lowest_order);
    throw UsageError(moments + " start at order " + lowest + "; use " + lowest + " or more");
  }
  const int highest = family.highest_order;
  if (top_order(spec) > highest) {
    throw UsageError("order " + std::to_string(top_order(spec)) + " of " + moments +
                     " is too high; use " + std::to_string(highest) + " or less");
  }
  if (spec.angular_order && (!family.has_angular_order || *spec.angular_order < 0)) {
    throw UsageError("an angular order of " + std::to_string(*spec.angular_order) + "; " +
                     families_with(&FamilyRow::has_angular_order) +
                     " moments have one, of 0 or more");
  }
  const bool uses_k = spec.method == Method::kSubregion || spec.method == Method::kGauss;
  if (uses_k) validate_points_a_side(spec.points);
  if (family.discrete && spec.method != Method::kExact) {
    throw UsageError(moments + " are sums over pixels; leave out the method");
  }
  if (spec.method == Method::kExact && !family.has_exact) {
    throw UsageError("the exact method does not support " + moments + "; use adaptive points");
  }
  if (spec.method == Method::kAdaptive && !family.has_adaptive) {
    throw UsageError("adaptive points do not support " + moments + "; use the exact method");
  }
  if (spec.mask && is_spherical(spec.family)) {
    throw UsageError("the voxels whose centres lie in the ball count for " + moments +
                     "; they have no other mask");
  }
  if (spec.mask && !is_circular(spec.family)) {
    throw UsageError("every pixel counts for " + moments +
                     ", which are defined on the square; they have no mask");
  }
  if (family.weighted) {
    family.validate_weight(spec.weight);
  } else if (spec.weight != JacobiWeight{}) {
    throw UsageError(moments + " have no weight; use " + families_with(&FamilyRow::weighted));
  }
  validate_ball(spec);
  validate_convention(spec);
}

void validate(const MomentSpec& spec, const ArraySize& size) {
  validate(spec);
  if (!is_inscribed_textbook(spec.convention)) {
    if (size.is_volume() || size.width < 1 || size.height < 1 ||
        std::max(size.width, size.height) > kMaxImageSize) {
      throw UsageError("conventions take images of 1 to " + std::to_string(kMaxImageSize) +
                       " pixels per side, not " + describe(size));
    }
    validate_centre(spec.convention, size);
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
  if (is_spherical(spec.family)) return validate_ball_size(spec, size);
  if (size.is_volume() && spec.family == Family::kKrawtchouk &&
      spec.weight.alpha != spec.weight.beta) {
    throw UsageError(describe(spec) + ": volumes have one p for all three axes");
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

bool has_mask(const MomentSpec& spec) {
  return is_circular(spec.family) && spec.convention.convention == Convention::kTextbook;
}

Method default_method(Family family, const ConventionSpec& convention) {
  if (!is_inscribed_textbook(convention)) return Method::kSubregion;
  return family.row().default_method;
}

std::string_view convention_name(Family family) {
  if (is_spherical(family)) return "novotni-klein";
  return is_circular(family) ? "textbook" : "orthonormal";
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
    throw UsageError("k = " + std::to_string(k) + " points per side; use 1 to " +
                     std::to_string(kMaxPointsASide));
  }
}

bool is_circular(Family family) { return family.row().circular; }
bool is_spherical(Family family) { return family.row().spherical; }
bool has_complex_moments(Family family) { return is_circular(family) || is_spherical(family); }

std::size_t moment_count(Family family, int order) {
  return order < 0 ? 0 : family.row().count(order);
}

int top_order(const MomentSpec& spec) {
  return std::max(spec.order, spec.angular_order.value_or(0));
}

std::size_t moment_count(const MomentSpec& spec, const ArraySize& size) {
  return moment_count_to(spec, size, top_order(spec));
}

std::size_t moment_count_to(const MomentSpec& spec, const ArraySize& size, int order) {
  const int radial = std::min(order, spec.order);
  if (is_spherical(spec.family)) return moment_count(spec.family, radial);
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
  if (is_spherical(family)) return {};
  return family.row().indices(order);
}

int order_of(Family family, const MomentIndex& index) { return family.row().order_of(index); }

std::size_t moment_position(const MomentSpec& spec, int n, int m) {
  if (!spec.angular_order) return moment_position(spec.family, n, m);
  // Moments before this shell: all pairs of an existing n and m below it.
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
  // Each o' < o has total - o' + 1 moments.
  const auto before = static_cast<std::size_t>(o) * static_cast<std::size_t>(2 * total + 3 - o) / 2;
  return volume_moment_count(total - 1) + before + static_cast<std::size_t>(m);
}

std::array<std::string_view, 3> volume_index_names(Family family) {
  if (is_spherical(family)) return {"n", "l", "m"};
  return {"n", "m", "o"};
}

std::vector<VolumeMomentIndex> volume_moment_indices(const MomentSpec& spec) {
  std::vector<VolumeMomentIndex> indices;
  for (int n = 0; n <= spec.order; ++n) {
    if (is_spherical(spec.family)) {
      for (int l = n % 2; l <= n; l += 2) {
        for (int m = 0; m <= l; ++m) indices.push_back({n, l, m});
      }
      continue;
    }
    for (int o = 0; o <= n; ++o) {
      for (int m = 0; m <= n - o; ++m) indices.push_back({n - o - m, m, o});
    }
  }
  return indices;
}

std::size_t moment_position(Family family, int n, int m) { return family.row().position(n, m); }

std::string_view family_name(Family family) { return family.row().name; }

Family family_from_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Family family : families()) {
    if (family.row().weighted) continue;
    if (family.row().name == name) return family;
    names.push_back(family.row().name);
  }
  throw_unknown_name(kFamily, name, names);
}

WeightedFamily weighted_family_from_text(std::string_view text) {
  const auto parameter = numbers_after(text, kGegenbauerName);
  if (parameter && parameter->size() == 1) {
    return {Family::kJacobi, gegenbauer_weight(parameter->front())};
  }
  for (const NamedMember& member : kNamedMembers) {
    if (member.name == text) return {member.family, member.weight};
  }
  for (const Family family : volume_families()) {
    if (family.row().name != text) continue;
    throw UsageError(std::string(text) + " moments are those of volumes, not of images");
  }
  for (const Family family : families()) {
    const FamilyRow& row = family.row();
    if (!row.weighted && row.name == text) return {family, {}};
    if (row.usual_weight && row.name == text) return {family, *row.usual_weight};
    const auto parameters = row.weighted ? numbers_after(text, row.name) : std::nullopt;
    if (!parameters || parameters->size() != parameter_count(row)) continue;
    const JacobiWeight weight{parameters->front(),
                              parameters->size() > 1 ? parameters->back() : 0.0};
    row.validate_weight(weight);
    return {family, weight};
  }
  const auto texts = family_texts();
  throw_unknown_name(kFamily, text, std::vector<std::string_view>(texts.begin(), texts.end()));
}

WeightedFamily volume_family_from_text(std::string_view text) {
  for (const Family family : volume_families()) {
    if (family.row().name == text) return {family, {}};
  }
  return weighted_family_from_text(text);
}

std::string family_choices() { return one_of(family_texts()); }

std::string family_text(const WeightedFamily& family) {
  std::string text(family_name(family.family));
  const FamilyRow& row = family.family.row();
  if (!row.weighted || row.usual_weight == family.weight) return text;
  text += ":" + number_text(family.weight.alpha);
  return parameter_count(row) == 1 ? text : text + ":" + number_text(family.weight.beta);
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
    text += ", mask " + std::string(name_of(mask_of(spec)));
  }
  if (own_circle) text += ", " + describe(spec.convention);
  return text;
}

void declare_family(Keys& keys, Family& family, JacobiWeight& weight, bool volumes) {
  WeightedFamily both{family, weight};
  keys.text("family", both, family_text(both),
            volumes ? volume_family_from_text : weighted_family_from_text,
            "Of the moments: " + family_choices());
  family = both.family;
  weight = both.weight;
}

}  // namespace leafglyph
