#include "tools/cli/command_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <vector>

#include "tools/cli/command_tree.h"
#include "tools/cli/config_options.h"

namespace leafglyph {
namespace {

// Text for troff: hyphens stay searchable and copyable, and no line is a request.
std::string troff(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) escaped += "\\&";
    if (text[i] == '\\') {
      escaped += "\\e";
    } else if (text[i] == '-') {
      escaped += "\\-";
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}

std::string section(const std::string& title, const std::string& text) {
  return ".SH " + title + "\n" + text;
}

std::string value_text(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::vector<std::string> choices = choices_of(option);
  const std::string value =
      choices.empty() ? option.get_type_name() : fmt::format("{}", fmt::join(choices, "|"));
  return " \\fI" + troff(value) + "\\fR";
}

std::string option_text(const CLI::Option& option) {
  std::string text = ".TP\n";
  if (option.get_positional()) {
    text += "\\fI" + troff(option.get_name(/*positional=*/true)) + "\\fR\n";
  } else {
    const std::string names = option.get_name(/*positional=*/false, /*all_options=*/true);
    text += "\\fB" + troff(names) + "\\fR" + value_text(option) + "\n";
  }
  text += troff(option.get_description());
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty()) {
    text += " (default: " + troff(option.get_default_str()) + ")";
  }
  return text + "\n";
}

// Options of a group of the help text; positional ones come first.
std::string options_text(const CLI::App& command, bool common) {
  std::string positional, named;
  for (const CLI::Option* option : command.get_options()) {
    if ((option->get_group() == "Everywhere") != common) continue;
    (option->get_positional() ? positional : named) += option_text(*option);
  }
  return positional + named;
}

std::string synopsis(const CLI::App& command) {
  std::string text = "\\fB" + troff(full_name(command)) + "\\fR [\\fIOPTIONS\\fR]";
  if (!commands_of(command).empty()) text += " \\fICOMMAND\\fR";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    std::string name = "\\fI" + troff(option->get_name(/*positional=*/true)) + "\\fR";
    if (option->get_items_expected_max() > 1) name += "...";
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string example_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const std::string mark = "Example:\n  ";
  return footer.starts_with(mark) ? footer.substr(mark.size()) : "";
}

std::string commands_text(const CLI::App& group) {
  std::string text;
  for (const CLI::App* command : commands_of(group)) {
    text += ".TP\n\\fB" + troff(full_name(*command, "-")) + "\\fR(1)\n" +
            troff(command->get_description()) + "\n";
  }
  return text;
}

std::string keys_text() {
  const Table keys = configuration_keys();
  std::string text;
  for (std::size_t row = 0; row < keys.rows(); ++row) {
    text += fmt::format(".TP\n\\fB{}\\fR: {}\n{}\n", troff(keys.cell(row, 0)),
                        troff(keys.cell(row, 1)), troff(keys.cell(row, 4)));
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& command, const std::string& version) {
  const std::string name = full_name(command, "-");
  std::string title = name;
  std::ranges::transform(title, title.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  std::string page =
      fmt::format(".TH {} 1 \"\" \"LeafGlyph {}\" \"LeafGlyph\"\n", troff(title), troff(version));
  page += section("NAME",
                  troff(name) + " \\- " + troff(first_clause(command.get_description())) + "\n");
  page += section("SYNOPSIS", synopsis(command));
  page += section("DESCRIPTION", troff(command.get_description()) + ".\n");
  if (!commands_of(command).empty()) page += section("COMMANDS", commands_text(command));
  page += section("OPTIONS", options_text(command, /*common=*/false));
  const std::string common = options_text(command, /*common=*/true);
  if (!common.empty()) page += section("COMMON OPTIONS", common);
  if (full_name(command) == "leafglyph config describe") page += section("KEYS", keys_text());
  const std::string example = example_of(command);
  if (!example.empty()) page += section("EXAMPLE", ".nf\n" + troff(example) + "\n.fi\n");
  page += section("EXIT STATUS", troff(kExitCodes) + ".\n");
  const CLI::App* parent = command.get_parent();
  if (parent != nullptr) {
    page += section("SEE ALSO", "\\fB" + troff(full_name(*parent, "-")) + "\\fR(1)\n");
  }
  return page;
}

}  // namespace leafglyph
