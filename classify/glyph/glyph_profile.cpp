#include "classify/glyph/glyph_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/base/keys.h"
#include "features/base/limits.h"

namespace leafglyph {

void declare(Keys& keys, GlyphProfile& profile) {
  keys.number("grid", profile.grid, {1, 16}, "Round windows per side");
  keys.number("window", profile.window, {3, 64}, "Diameter of a window");
  keys.number("reach", profile.reach, {0, 24}, "Of the outermost window centres from the middle");
  keys.number("order", profile.order, {0, 40}, "Highest order of the Zernike moments in a window");
  keys.number("falloff", profile.falloff, {0.01, 1e6},
              "Weights exp(-(n / falloff)^2) of the orders n");
  keys.number("shift", profile.shift, {0, 3}, "Pixels by which a window may move to its best fit");
  keys.number("saturation", profile.saturation, {0, 1e6},
              "Distance of windows beyond which they count as unlike; 0: none");
  keys.choice("measure", profile.measure,
              "What orders look-alikes; windows: the distance alone; published: the vectors of the "
              "statistics (similar and distance only)");
  keys.number("shortlist", profile.shortlist, {1, kMaxCount},
              "Candidates by moments of low orders that are compared exactly; half as many by the "
              "drawing alone come to them");
  keys.flag("forms", profile.forms,
            "Whether voiced, half-voiced and small forms of a kana are results, too");
  keys.unless_set(profile.shortlist_order, std::min(profile.shortlist_order, profile.order));
  keys.number("shortlist_order", profile.shortlist_order, {0, 1.0 * profile.order},
              "Order of those moments");
}

void validate(const GlyphProfile& profile) { check_keys(profile, "lookalikes."); }

std::string describe(const GlyphProfile& profile) {
  return fmt::format(
      "grid {}, window {:.17g}, reach {:.17g}, order {}, falloff {:.17g}, shift {}, "
      "saturation {:.17g}, shortlist order {}",
      profile.grid, profile.window, profile.reach, profile.order, profile.falloff, profile.shift,
      profile.saturation, profile.shortlist_order);
}

}  // namespace leafglyph
