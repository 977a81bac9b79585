// Numbers on the command line: read whole, finite, and in a range.
#pragma once

#include <cstdint>

namespace CLI {
class Validator;
}

namespace leafglyph {

/// Accepts whole numbers from `lowest` to `highest`, written in decimal digits.
CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest);

/// Accepts finite numbers from `lowest` to `highest`.
CLI::Validator finite_number(double lowest, double highest);

}  // namespace leafglyph
