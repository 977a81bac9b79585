#include "features/moments/convention.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::array kCentres = {std::pair{CentreRule::kImage, "image"},
                                 std::pair{CentreRule::kCentroid, "centroid"},
                                 std::pair{CentreRule::kEnclosing, "enclosing"}};
constexpr std::array kRadii = {std::pair{RadiusRule::kInscribed, "inscribed"},
                               std::pair{RadiusRule::kShorter, "shorter"},
                               std::pair{RadiusRule::kEnclosing, "enclosing"}};

// The whole text as a finite number.
std::optional<double> number_from(std::string_view text) {
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

void read_centre(std::string_view text, ConventionSpec& spec) {
  for (const auto& [rule, name] : kCentres) {
    if (text == name) {
      spec.centre = rule;
      return;
    }
  }
  const std::size_t comma = text.find(',');
  const auto x = number_from(text.substr(0, comma));
  const auto y = comma == text.npos ? std::nullopt : number_from(text.substr(comma + 1));
  if (!x || !y) {
    throw UsageError("centre '" + std::string(text) +
                     "' is unknown; use image, centroid, enclosing or X,Y, a column and a row");
  }
  spec.centre = CentreRule::kGiven;
  spec.given.x = *x;
  spec.given.y = *y;
}

void read_radius(std::string_view text, ConventionSpec& spec) {
  for (const auto& [rule, name] : kRadii) {
    if (text == name) {
      spec.radius = rule;
      return;
    }
  }
  const auto radius = number_from(text);
  if (!radius || *radius <= 0.0) {
    throw UsageError(
        "radius '" + std::string(text) +
        "' is unknown; use inscribed, shorter, enclosing or a number of pixels above 0");
  }
  spec.radius = RadiusRule::kGiven;
  spec.given.radius = *radius;
}

// The circle that the program in question uses by default.
ConventionSpec own_circle(Convention convention) {
  switch (convention) {
    case Convention::kMahotas:
      return {convention, CentreRule::kCentroid, RadiusRule::kGiven};
    case Convention::kCentrosome:
      return {convention, CentreRule::kEnclosing, RadiusRule::kEnclosing};
    case Convention::kNyxus:
      return {convention, CentreRule::kCentroid, RadiusRule::kShorter};
    case Convention::kTextbook:
      break;
  }
  return {convention, CentreRule::kImage, RadiusRule::kInscribed};
}

}  // namespace

ConventionSpec convention_from_text(std::string_view convention, std::string_view centre,
                                    std::string_view radius) {
  ConventionSpec spec = own_circle(from_name<Convention>(convention));
  if (!centre.empty()) read_centre(centre, spec);
  if (!radius.empty()) read_radius(radius, spec);
  if (spec.radius == RadiusRule::kGiven && radius.empty()) {
    throw UsageError("convention " + std::string(convention) +
                     " has no radius of its own; give one in pixels");
  }
  return spec;
}

std::string centre_text(const ConventionSpec& spec) {
  for (const auto& [rule, name] : kCentres) {
    if (spec.centre == rule) return name;
  }
  return number_text(spec.given.x) + "," + number_text(spec.given.y);
}

std::string radius_text(const ConventionSpec& spec) {
  for (const auto& [rule, name] : kRadii) {
    if (spec.radius == rule) return name;
  }
  return number_text(spec.given.radius);
}

bool is_inscribed_textbook(const ConventionSpec& spec) {
  return spec == own_circle(Convention::kTextbook);
}

std::string describe(const ConventionSpec& spec) {
  return std::string(name_of(spec.convention)) + ", centre " + centre_text(spec) + ", radius " +
         radius_text(spec);
}

}  // namespace leafglyph
