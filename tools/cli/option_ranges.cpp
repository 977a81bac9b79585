#include "tools/cli/option_ranges.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

#include "features/base/number_text.h"

namespace leafglyph {
namespace {

// CLI11's own ranges let NaN through, and its unsigned options take -1 for the largest number.
template <class T>
CLI::Validator in_range(T lowest, T highest, const std::string& kind, const std::string& range) {
  const auto check = [=](const std::string& text) -> std::string {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    if (is_whole && value >= lowest && value <= highest) return "";
    return "'" + text + "' does not serve; use " + kind + " " + range;
  };
  return CLI::Validator(check, "", "range");
}

}  // namespace

CLI::Validator whole_number(std::int64_t lowest, std::int64_t highest) {
  return in_range(lowest, highest, "a whole number", fmt::format("from {} to {}", lowest, highest));
}

CLI::Validator finite_number(double lowest, double highest) {
  return in_range(lowest, highest, "a number",
                  "from " + number_text(lowest) + " to " + number_text(highest));
}

}  // namespace leafglyph
