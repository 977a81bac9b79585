// `leafglyph config ...`: the configurations that come with the program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/leaf/leaf_config.h"
#include "classify/support/config.h"
#include "classify/support/named_configuration.h"
#include "features/base/files.h"
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
  if (configures_characters(Config::load(config.file))) {
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
}

}  // namespace leafglyph
