#include "classify/glyph/glyph_profile.h"

#include <fmt/format.h>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

void require(bool holds, const char* name, double value, const char* range) {
  if (holds) return;
  throw UsageError(fmt::format("look-alike profile: {} is {:g}; use {}", name, value, range));
}

}  // namespace

void validate(const GlyphProfile& profile) {
  require(profile.grid >= 1 && profile.grid <= 16, "grid", profile.grid, "1 to 16");
  require(profile.window >= 3 && profile.window <= 64, "window", profile.window, "3 to 64");
  require(profile.reach >= 0 && profile.reach <= 24, "reach", profile.reach, "0 to 24");
  require(profile.order >= 0 && profile.order <= 40, "order", profile.order, "0 to 40");
  require(profile.falloff > 0 && profile.falloff <= 1e6, "falloff", profile.falloff,
          "more than 0, at most 1e6");
  require(profile.shift >= 0 && profile.shift <= 3, "shift", profile.shift, "0 to 3");
  require(profile.saturation >= 0 && profile.saturation <= 1e6, "saturation", profile.saturation,
          "0 to 1e6");
  require(profile.shortlist >= 1, "shortlist", static_cast<double>(profile.shortlist), "1 or more");
  require(profile.shortlist_order >= 0 && profile.shortlist_order <= profile.order,
          "shortlist_order", profile.shortlist_order, "0 to order");
}

std::string describe(const GlyphProfile& profile) {
  return fmt::format(
      "grid {}, window {:.17g}, reach {:.17g}, order {}, falloff {:.17g}, shift {}, "
      "saturation {:.17g}, shortlist order {}",
      profile.grid, profile.window, profile.reach, profile.order, profile.falloff, profile.shift,
      profile.saturation, profile.shortlist_order);
}

}  // namespace leafglyph
