#include "tools/cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace leafglyph {

std::vector<const CLI::App*> commands_of(const CLI::App& group) {
  return group.get_subcommands([](const CLI::App* /*command*/) { return true; });
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

std::vector<const CLI::App*> all_below(const CLI::App& group) {
  std::vector<const CLI::App*> all = {&group};
  for (const CLI::App* command : commands_of(group)) {
    const auto below = all_below(*command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::string full_name(const CLI::App& command, const std::string& divider) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent, divider) + divider) + command.get_name();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::string first_clause(const std::string& description) {
  return description.substr(
      0, std::min({description.find(". "), description.find("; "), description.find(": ")}));
}

}  // namespace leafglyph
