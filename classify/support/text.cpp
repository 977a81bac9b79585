#include "classify/support/text.h"

#include <fmt/format.h>

namespace leafglyph {

std::string percent(double share) { return fmt::format("{:.2f}", 100.0 * share); }

std::string share_text(double share) { return fmt::format("{:.6f}", share); }

std::string seconds_text(double seconds) { return fmt::format("{:.3f}", seconds); }

}  // namespace leafglyph
