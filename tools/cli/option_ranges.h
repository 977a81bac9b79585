// Values on the command line: numbers read whole, finite, and in a range; names that are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class Validator;
}

namespace leafglyph {

/// Accepts whole numbers that an int holds.
CLI::Validator whole_number();

/// Accepts whole numbers from `lowest` to `highest`, written in decimal digits.
CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest);

/// Accepts finite numbers.
CLI::Validator finite_number();

/// Accepts finite numbers from `lowest` to `highest`.
CLI::Validator finite_number(double lowest, double highest);

/// Accepts sizes of memory by which something can be done (check_memory_limit).
CLI::Validator memory_size();

/// Accepts these names, and says which may have been meant.
CLI::Validator one_of(const std::vector<std::string>& names);

}  // namespace leafglyph
