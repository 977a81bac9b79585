#include "tools/cli/option_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "features/base/errors.h"
#include "features/base/numbers.h"

namespace leafglyph {
namespace {

// More values than anybody would give on purpose.
constexpr std::int64_t kMostValues = 1'000'000;

std::vector<std::string_view> parts_of(std::string_view text, char divider) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(divider, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace

std::vector<int> whole_numbers(std::string_view text, std::int64_t lowest, std::int64_t highest) {
  std::vector<int> numbers;
  for (const std::string_view item : parts_of(text, ',')) {
    const auto fields = parts_of(item, ':');
    constexpr auto whole = [](std::string_view text) { return number_in<std::int64_t>(text); };
    const auto first = whole(fields.front());
    const auto last = fields.size() > 1 ? whole(fields[1]) : first;
    const auto step = fields.size() > 2 ? whole(fields[2]) : 1;
    if (!first || !last || !step || fields.size() > 3) {
      throw UsageError(
          fmt::format("'{}' is not a list of whole numbers; write 5,10,20 or 5:50:5", text));
    }
    if (*first < lowest || *last > highest || *last < *first || *step < 1) {
      throw UsageError(
          fmt::format("'{}' is not valid; use whole numbers from {} to {}, ranges upwards", item,
                      lowest, highest));
    }
    if ((*last - *first) / *step >= kMostValues) {
      throw UsageError(fmt::format("'{}' has more than {} values", item, kMostValues));
    }
    for (std::int64_t value = *first; value <= *last; value += *step) {
      numbers.push_back(static_cast<int>(value));
    }
  }
  return numbers;
}

CLI::Option* add_whole_numbers(CLI::App& command, const std::string& name,
                               std::vector<int>& numbers, std::int64_t lowest, std::int64_t highest,
                               const std::string& description) {
  const auto read = [&numbers, lowest, highest, name](const std::vector<std::string>& given) {
    std::vector<int> all;
    for (const std::string& text : given) {
      try {
        const std::vector<int> some = whole_numbers(text, lowest, highest);
        all.insert(all.end(), some.begin(), some.end());
      } catch (const UsageError& error) {
        throw CLI::ValidationError(name, error.what());
      }
    }
    numbers = all;
    return true;
  };
  CLI::Option* option = command.add_option(name, read, description);
  option->type_name("LIST")->expected(1, CLI::detail::expected_max_vector_size);
  option->default_str(fmt::format("{}", fmt::join(numbers, ",")));
  return takes_one_each(option);
}

CLI::Option* takes_list(CLI::Option* option) {
  return takes_one_each(option->delimiter(','))->type_name("LIST");
}

CLI::Option* takes_one_each(CLI::Option* option) { return option->allow_extra_args(false); }

}  // namespace leafglyph
