// Options that take several values: one argument each, values with commas between them, so that
// what follows is never taken for one more; where they are given repeatedly, all of it counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
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

/// Makes an option that may be given repeatedly take one value each time.
CLI::Option* takes_one_each(CLI::Option* option);

}  // namespace leafglyph
