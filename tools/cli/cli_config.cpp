// `leafglyph config ...`: the configurations that come with the program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "classify/character/character_spec.h"
#include "classify/glyph/glyph_config.h"
#include "classify/leaf/leaf_config.h"
#include "classify/support/config.h"
#include "classify/support/named_configuration.h"
#include "classify/support/written_keys.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/names.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// The comment at the top of a file, up to the end of its first sentence or clause.
std::string first_words(const std::string& text) {
  std::string words;
  for (std::size_t begin = 0; begin < text.size() && text[begin] == '#';) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    words += (words.empty() ? "" : " ") + text.substr(begin + 2, end - begin - 2);
    begin = end + 1;
  }
  return words.substr(0, std::min(words.find(". "), words.find(": ")));
}

ExitCode list(const CommandLine& line, const FigureFiles& figures) {
  const fs::path folder = configuration_folder();
  Table table("name:text file:text description:text");
  for (const std::string& name : configuration_names()) {
    const fs::path file = folder / (name + ".yaml");
    const std::string words = first_words(read_text_file(file));
    line.text() << fmt::format("{:18}{}\n", name, words);
    table.add(name, file.string(), words);
  }
  write_figures(figures, table);
  return ExitCode::kDone;
}

// Refuses a file that configures neither leaves nor characters.
void check(const ConfigChoice& config) {
  const Config loaded = Config::load(config.file);
  if (configures_recogniser(loaded)) {
    static_cast<void>(load_character_spec(config.file, config.settings));
  } else if (configures_characters(loaded)) {
    static_cast<void>(load_glyph_config(config.file, config.settings));
  } else {
    static_cast<void>(load_leaf_config(config.file, config.settings));
  }
}

ExitCode show(const CommandLine& line, const ConfigChoice& config, bool all) {
  if (!all && config.settings.empty()) {
    line.text() << read_text_file(find_configuration(config.file));
    return ExitCode::kDone;
  }
  check(config);
  line.text() << Config::load(config.file, config.settings).yaml();
  return ExitCode::kDone;
}

// Whether a key is the wanted one or in the mapping of that name; all are in "".
bool is_in(std::string_view key, std::string_view wanted) {
  return wanted.empty() || key == wanted ||
         (key.starts_with(wanted) && key.substr(wanted.size()).starts_with('.'));
}

Table described(const Table& keys, std::string_view wanted) {
  Table some({keys.columns().begin(), keys.columns().end()});
  for (std::size_t row = 0; row < keys.rows(); ++row) {
    if (!is_in(keys.cell(row, 0), wanted)) continue;
    for (std::size_t c = 0; c < keys.columns().size(); ++c) some.add(keys.cell(row, c));
  }
  return some;
}

std::string described_in_words(const Table& keys) {
  std::string text;
  for (std::size_t row = 0; row < keys.rows(); ++row) {
    const std::string &fallback = keys.cell(row, 2), &needs = keys.cell(row, 3);
    text += fmt::format("{}: {}{}{}\n    {}\n", keys.cell(row, 0), keys.cell(row, 1),
                        fallback.empty() ? "" : "; default " + fallback,
                        needs.empty() ? "" : "; needs " + needs, keys.cell(row, 4));
  }
  return text;
}

ExitCode describe(const CommandLine& line, const std::string& wanted, const FigureFiles& figures) {
  const Table all = configuration_keys();
  const Table keys = described(all, wanted);
  if (keys.rows() == 0) {
    std::vector<std::string> names;
    for (std::size_t row = 0; row < all.rows(); ++row) names.push_back(all.cell(row, 0));
    throw UsageError("'" + wanted + "' is not a key of a configuration" +
                     did_you_mean(wanted, names));
  }
  line.text() << described_in_words(keys);
  write_figures(figures, keys);
  return ExitCode::kDone;
}

void add_describe(CLI::App& group, CommandLine& line) {
  const auto key = std::make_shared<std::string>();
  const auto figures = std::make_shared<FigureFiles>();
  CLI::App* command =
      add_command(group, line, "describe", "Say what a key of a configuration sets and takes",
                  "leafglyph config describe features.order",
                  [&line, key, figures] { return describe(line, *key, *figures); });
  command->add_option("key", *key, "Key, or the mapping that it is in; without one, every key");
  add_figure_files(*command, line, *figures, "the keys");
}

void add_list(CLI::App& group, CommandLine& line) {
  const auto figures = std::make_shared<FigureFiles>();
  CLI::App* command =
      add_command(group, line, "list", "List the configurations by name", "leafglyph config list",
                  [&line, figures] { return list(line, *figures); });
  add_figure_files(*command, line, *figures, "the list");
}

void add_show(CLI::App& group, CommandLine& line) {
  const auto config = std::make_shared<ConfigChoice>();
  const auto all = std::make_shared<bool>(false);
  CLI::App* command =
      add_command(group, line, "show", "Print a configuration to start your own from",
                  "leafglyph config show leaf > my.yaml",
                  [&line, config, all] { return show(line, *config, *all); });
  command->add_option("config", config->file, "Name or file")->required();
  command->add_flag("--all", *all, "The configuration merged with its base, without comments");
  add_set_option(*command, config->settings);
}

}  // namespace

Table configuration_keys() {
  ListedKeys keys;
  LeafConfig leaves;
  GlyphConfig characters;
  declare(keys, leaves);
  declare(keys, characters);
  return keys.table();
}

CLI::Option* add_config_options(CLI::App& command, ConfigChoice& config,
                                const std::string& description) {
  CLI::Option* option = command.add_option("--config", config.file, description);
  add_set_option(command, config.settings);
  return option->type_name("CONFIG");
}

void add_set_option(CLI::App& command, std::vector<std::string>& settings) {
  takes_one_each(
      command.add_option(
          "--set", settings,
          "Override a key of the configuration, such as features.order=20; may be repeated"))
      ->type_name("KEY=VALUE");
}

void add_config_commands(CLI::App& app, CommandLine& line) {
  CLI::App* group =
      app.add_subcommand("config", "Show the configurations that come with LeafGlyph");
  group->require_subcommand(1);
  add_list(*group, line);
  add_show(*group, line);
  add_describe(*group, line);
}

}  // namespace leafglyph
