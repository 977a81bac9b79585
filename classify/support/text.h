// Numbers as reports show them.
#pragma once

#include <string>

namespace leafglyph {

/// A share in per cent with two decimals, "97.25" for 0.97253.
std::string percent(double share);

/// A share, or another number of its size, as tables for other programs hold it: six decimals.
std::string share_text(double share);

/// Seconds, with milliseconds: "0.125".
std::string seconds_text(double seconds);

}  // namespace leafglyph
