// Option types: ranges of numbers, and lists of values separated by commas. A list is one argument,
// so the next argument is never taken as another value. If an option is repeated, its lists are
// joined.
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

/// Parses whole numbers "5,10", ranges "5:8" and ranges with a step "5:50:5", whose last number is
/// included only if a step reaches it. Keeps the given order. Throws UsageError with the reason,
/// also for numbers that are not from `lowest` to `highest`.
std::vector<int> whole_numbers(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// Adds an option that takes such a list; `numbers` holds the default.
CLI::Option* add_whole_numbers(CLI::App& command, const std::string& name,
                               std::vector<int>& numbers, std::int64_t lowest, std::int64_t highest,
                               const std::string& description);

/// Makes an option with several values take a list.
CLI::Option* takes_list(CLI::Option* option);

/// Makes a repeatable option take one value each time.
CLI::Option* takes_one_each(CLI::Option* option);

/// Accepts whole numbers in the range of int.
CLI::Validator whole_number();

/// Accepts whole numbers from `lowest` to `highest`, written in decimal digits.
CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest);

/// Accepts finite numbers.
CLI::Validator finite_number();

/// Accepts finite numbers from `lowest` to `highest`.
CLI::Validator finite_number(double lowest, double highest);

/// Accepts memory budgets that are large enough (check_memory_limit).
CLI::Validator memory_size();

/// Accepts these names. For any other value, the error suggests a similar name.
CLI::Validator one_of(const std::vector<std::string>& names);

}  // namespace leafglyph
