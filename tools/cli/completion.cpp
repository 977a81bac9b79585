#include "tools/cli/command_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <vector>

#include "classify/support/named_configuration.h"
#include "tools/cli/command_tree.h"

namespace leafglyph {
namespace {

// The words of a command, such as " leaf train", in the form in which the scripts collect them.
std::string place_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "" : place_of(*parent) + " " + command.get_name();
}

struct Values {
  std::vector<std::string> names;
  bool or_files = false;
};

Values values_of(const CLI::Option& option) {
  if (option.get_type_name() == "CONFIG") return {configuration_names(), true};
  return {choices_of(option), false};
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

// The values of each "PLACE --option". If they are the same in all places, "*" is the place.
std::map<std::string, std::string> values_by_option(const CLI::App& app) {
  std::map<std::string, std::map<std::string, std::string>> by_name;
  for (const CLI::App* command : all_below(app)) {
    for (const CLI::Option* option : named_options(*command)) {
      const std::vector<std::string> names = values_of(*option).names;
      if (names.empty()) continue;
      by_name[option->get_name()][place_of(*command)] = fmt::format("{}", fmt::join(names, " "));
    }
  }
  std::map<std::string, std::string> all;
  for (const auto& [name, places] : by_name) {
    std::set<std::string> values;
    for (const auto& [place, text] : places) values.insert(text);
    if (values.size() == 1) {
      all["*' " + name + "'"] = *values.begin();
      continue;
    }
    for (const auto& [place, text] : places) all["'" + place + " " + name + "'"] = text;
  }
  return all;
}

// The case pattern for every place except the first, which is "".
std::string all_places(const CLI::App& app) {
  std::string pattern;
  for (const CLI::App* command : all_below(app)) {
    if (command == &app) continue;
    pattern += (pattern.empty() ? "'" : "|'") + place_of(*command) + "'";
  }
  return pattern;
}

std::string words_of(const CLI::App& command) {
  std::vector<std::string> words = names_of(commands_of(command));
  const std::vector<std::string> options = option_names(command);
  words.insert(words.end(), options.begin(), options.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string quoted(const std::string& text, const std::string& apostrophe) {
  std::string result = "'";
  for (const char letter : text) {
    result += letter == '\'' ? apostrophe : std::string(1, letter);
  }
  return result + "'";
}

std::string zsh_entry(const std::string& name, const std::string& description) {
  return quoted(name + ":" + first_clause(description), "'\\''");
}

std::string zsh_case(const CLI::App& command) {
  std::string text = fmt::format("    '{}')\n", place_of(command));
  std::string options = "        local -a options=(";
  for (const CLI::Option* option : named_options(command)) {
    for (const std::string& name : option->get_lnames()) {
      options += zsh_entry("--" + name, option->get_description()) + " ";
    }
  }
  text += "      if [[ $words[CURRENT] == -* ]]; then\n" + options +
          ")\n        _describe -o option options\n      else\n";
  if (commands_of(command).empty()) {
    text += "        _files\n";
  } else {
    text += "        local -a commands=(";
    for (const CLI::App* one : commands_of(command)) {
      text += zsh_entry(one->get_name(), one->get_description()) + " ";
    }
    text += ")\n        _describe command commands\n";
  }
  return text + "      fi;;\n";
}

std::string fish_place(const CLI::App& command) {
  return "complete -c leafglyph -n " +
         quoted("__leafglyph_at " + quoted(place_of(command), ""), "\\'");
}

std::string fish_option(const CLI::App& command, const CLI::Option& option) {
  std::string text;
  const Values values = values_of(option);
  for (const std::string& name : option.get_lnames()) {
    text += fish_place(command) + " -l " + name;
    if (takes_value(option)) text += values.names.empty() || values.or_files ? " -r" : " -x";
    if (!values.names.empty()) text += fmt::format(" -a '{}'", fmt::join(values.names, " "));
    text += " -d " + quoted(first_clause(option.get_description()), "\\'") + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string text =
      "# Completion of leafglyph for bash.\n"
      "_leafglyph() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} at= i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$at ${COMP_WORDS[i]}\" in\n      " +
      all_places(app) +
      ") at+=\" ${COMP_WORDS[i]}\";;\n    esac\n  done\n  COMPREPLY=()\n"
      "  case \"$at $previous\" in\n";
  for (const auto& [pattern, values] : values_by_option(app)) {
    text += fmt::format(
        "    {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"; compgen -f -- "
        "\"$current\"); return;;\n",
        pattern, values);
  }
  text += "  esac\n  local words=\n  case \"$at\" in\n";
  for (const CLI::App* command : all_below(app)) {
    text += fmt::format("    '{}') words='{}';;\n", place_of(*command), words_of(*command));
  }
  return text +
         "  esac\n"
         "  # Where no command follows, files are completed unless an option is begun.\n"
         "  if [[ $current == -* || $words != -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _leafglyph leafglyph\n";
}

std::string zsh_completion(const CLI::App& app) {
  std::string text =
      "#compdef leafglyph\n"
      "_leafglyph() {\n"
      "  local at='' i\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n"
      "    case \"$at $words[i]\" in\n      " +
      all_places(app) +
      ") at+=\" $words[i]\";;\n    esac\n  done\n"
      "  case \"$at $words[CURRENT-1]\" in\n";
  for (const auto& [pattern, values] : values_by_option(app)) {
    text += fmt::format("    {}) compadd -- {}; _files; return;;\n", pattern, values);
  }
  text += "  esac\n  case \"$at\" in\n";
  for (const CLI::App* command : all_below(app)) text += zsh_case(*command);
  return text + "  esac\n}\n_leafglyph \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string places;
  for (const CLI::App* command : all_below(app)) {
    if (command != &app) places += " '" + place_of(*command) + "'";
  }
  std::string text =
      "# Completion of leafglyph for fish.\n"
      "function __leafglyph_at --description 'Whether these commands have been typed'\n"
      "    set -l at ''\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        if contains -- \"$at $word\"" +
      places +
      "\n            set at \"$at $word\"\n        end\n    end\n"
      "    test \"$at\" = \"$argv[1]\"\nend\n";
  for (const CLI::App* command : all_below(app)) {
    for (const CLI::App* one : commands_of(*command)) {
      text += fmt::format("{} -f -a {} -d {}\n", fish_place(*command), one->get_name(),
                          quoted(first_clause(one->get_description()), "\\'"));
    }
    for (const CLI::Option* option : named_options(*command)) {
      text += fish_option(*command, *option);
    }
  }
  return text;
}

}  // namespace leafglyph
