#include "tools/cli/command_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "features/base/names.h"
#include "tools/cli/command_tree.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

using OptionNames = std::vector<std::string>;

// The innermost command that was parsed before the error.
const CLI::App& reached(const CLI::App& app) {
  const auto begun = app.get_subcommands();
  return begun.empty() ? app : reached(*begun.back());
}

// The command that could not interpret an argument; none if all were taken.
const CLI::App* puzzled(const CLI::App& app) {
  if (!app.remaining().empty()) return &app;
  for (const CLI::App* command : app.get_subcommands()) {
    if (const CLI::App* found = puzzled(*command)) return found;
  }
  return nullptr;
}

// A command below `group` that has the option; none if no command has it.
const CLI::App* command_with(const CLI::App& group, const std::string& option) {
  for (const CLI::App* command : commands_of(group)) {
    if (command->get_option_no_throw(option) != nullptr) return command;
    if (const CLI::App* found = command_with(*command, option)) return found;
  }
  return nullptr;
}

std::string unknown_option(const CLI::App& command, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  if (const CLI::App* knowing = command_with(command, name)) {
    return fmt::format("'{}' goes after its command, as in {} {}", name, full_name(*knowing), name);
  }
  return fmt::format("'{}' is not an option of {}", name, full_name(command)) +
         did_you_mean(name, option_names(command));
}

std::string not_taken(const CLI::App& command) {
  const std::string argument = command.remaining().front();
  if (argument.size() > 1 && argument.front() == '-') return unknown_option(command, argument);
  if (!commands_of(command).empty()) return unknown_command(command, argument);
  return fmt::format("'{}' is one argument more than {} takes", argument, full_name(command));
}

// The option that a message of the parser begins with.
const CLI::Option* option_of(const CLI::App& command, const std::string& message) {
  return command.get_option_no_throw(message.substr(0, message.find_first_of(" :")));
}

std::string missing(const CLI::App& command, const std::string& message) {
  if (!commands_of(command).empty()) {
    return fmt::format("{} needs a command: {}", full_name(command),
                       fmt::join(names_of(commands_of(command)), ", "));
  }
  const CLI::Option* option = option_of(command, message);
  if (option == nullptr) return message;
  return fmt::format("{} is missing: {}", option->get_name(), option->get_description());
}

std::string wrong_count(const CLI::App& command, const std::string& message) {
  const CLI::Option* option = option_of(command, message);
  if (option == nullptr) return message;
  if (option->count() < 2) {
    return fmt::format("{0} needs a value: {0} {1}", option->get_name(), option->get_type_name());
  }
  return fmt::format("{} is given {} times; give it once", option->get_name(), option->count());
}

void check_value(CLI::Option& option, const OptionNames& options) {
  if (option.get_items_expected_max() == 0) return;  // a flag
  const std::string type = option.get_type_name();
  if (type == "INT" || type == "UINT") option.check(whole_number());
  if (type == "FLOAT") option.check(finite_number());
  if (option.get_positional()) return;
  option.check(
      [options](const std::string& text) -> std::string {
        const bool is_one = std::find(options.begin(), options.end(), text) != options.end();
        return is_one ? "needs a value before " + text : "";
      },
      "");
}

}  // namespace

std::string unknown_command(const CLI::App& group, const std::string& name) {
  const std::string message = fmt::format("'{}' is not a command of {}", name, full_name(group));
  for (const CLI::App* command : commands_of(group)) {
    for (const std::string& inner : names_of(commands_of(*command))) {
      if (inner == name) {
        return message + fmt::format("; did you mean '{} {}'?", command->get_name(), name);
      }
    }
  }
  return message + did_you_mean(name, names_of(commands_of(group)));
}

void check_values(CLI::App& app) {
  const OptionNames options = option_names(app);
  for (CLI::Option* option : app.get_options()) check_value(*option, options);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    check_values(*command);
  }
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = reached(app);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return error.what();
  const std::string message = error.what();
  const CLI::App* where = puzzled(app);
  const std::string reason = where != nullptr ? not_taken(*where)
                             : dynamic_cast<const CLI::RequiredError*>(&error) != nullptr
                                 ? missing(command, message)
                             : dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr
                                 ? wrong_count(command, message)
                                 : message;
  return reason + "; see " + full_name(where != nullptr ? *where : command) + " --help";
}

}  // namespace leafglyph
