// What options take: ranges of numbers, and lists of several values, one argument each, values with
// commas between them, so that what follows is never taken for one more; where they are given
// repeatedly, all of it counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace leafglyph {

/// Whole numbers "5,10", ranges "5:8" and steps "5:50:5" (the last number only where a step falls
/// on it), from `lowest` to `highest`, in the order given. Throws UsageError that says what is
/// wrong.
std::vector<int> whole_numbers(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// Adds an option that takes such a list; what `numbers` holds is the default.
CLI::Option* add_whole_numbers(CLI::App& command, const std::string& name,
                               std::vector<int>& numbers, std::int64_t lowest, std::int64_t highest,
                               const std::string& description);

/// Makes an option of several values one that takes a list.
CLI::Option* takes_list(CLI::Option* option);

/// Makes an option that may be repeated take one value each time.
CLI::Option* takes_one_each(CLI::Option* option);

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
