#include "tools/cli/option_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/names.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// CLI11's own ranges let NaN through, and its unsigned options read -1 as the largest number.
template <class T>
CLI::Validator in_range(T lowest, T highest, const std::string& kind, const std::string& range) {
  const auto check = [=](const std::string& text) -> std::string {
    const auto value = number_in<T>(text);
    if (value && *value >= lowest && *value <= highest) return "";
    return "'" + text + "' is not valid; use " + kind + range;
  };
  return CLI::Validator(check, "", "range");
}

}  // namespace

CLI::Validator whole_number() {
  return in_range(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                  "a whole number", "");
}

CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest) {
  return in_range(lowest, highest, "a whole number",
                  fmt::format(" from {} to {}", lowest, highest));
}

CLI::Validator finite_number() {
  return in_range(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
                  "a number", "");
}

CLI::Validator finite_number(double lowest, double highest) {
  return in_range(lowest, highest, "a number",
                  " from " + number_text(lowest) + " to " + number_text(highest));
}

CLI::Validator memory_size() {
  const auto check = [](const std::string& text) -> std::string {
    try {
      check_memory_limit(text);
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  return CLI::Validator(check, "", "memory");
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return "";
    return fmt::format("'{}' is unknown; use one of {}", text, fmt::join(names, ", ")) +
           did_you_mean(text, names);
  };
  return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(names, ",")), "names");
}

}  // namespace leafglyph
