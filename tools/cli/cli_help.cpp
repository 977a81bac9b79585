// `leafglyph help` and `leafglyph completion`: the command's description of itself.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "classify/support/versions.h"
#include "features/base/files.h"
#include "tools/cli/cli.h"
#include "tools/cli/command_texts.h"
#include "tools/cli/command_tree.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct HelpOptions {
  std::vector<std::string> path;
  bool man = false;
  std::string pages;
};

const CLI::App& command_at(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* reached = &app;
  for (const std::string& name : path) {
    const CLI::App* inner = nullptr;
    for (const CLI::App* command : commands_of(*reached)) {
      if (command->get_name() == name) inner = command;
    }
    if (inner == nullptr) throw UsageError(unknown_command(*reached, name));
    reached = inner;
  }
  return *reached;
}

ExitCode help(const CLI::App& app, const HelpOptions& options) {
  if (!options.pages.empty()) {
    const FileSeries folder(options.pages);
    for (const CLI::App* command : all_below(app)) {
      folder.write(full_name(*command, "-") + ".1", manual_page(*command, version()));
    }
    return ExitCode::kDone;
  }
  const CLI::App& command = command_at(app, options.path);
  // App::help would print the help of `help` itself.
  if (options.man) {
    std::cout << manual_page(command, version());
  } else {
    print_help(command.get_formatter()->make_help(&command, full_name(command),
                                                  CLI::AppFormatMode::Normal));
  }
  return ExitCode::kDone;
}

ExitCode print_completion(const CLI::App& app, const std::string& shell) {
  std::cout << (shell == "bash"  ? bash_completion(app)
                : shell == "zsh" ? zsh_completion(app)
                                 : fish_completion(app));
  return ExitCode::kDone;
}

}  // namespace

void print_help(const std::string& help) {
  const std::optional<int> columns = terminal_columns();
  std::cout << (columns ? wrapped(help, *columns) : help);
}

void add_help_commands(CLI::App& app, CommandLine& line) {
  const auto options = std::make_shared<HelpOptions>();
  CLI::App* command = app.add_subcommand("help", "Show the help of a command");
  command->footer("Example:\n  leafglyph help leaf train");
  command->add_option("command", options->path, "The command, such as leaf train");
  command->add_flag("--man", options->man, "Print the manual page, for man -l -");
  add_output(*command, line, "--man-pages", options->pages, OutputKind::kFolder,
             "Write the manual pages of all commands");
  command->callback(
      [&line, &app, options] { line.action = [&app, options] { return help(app, *options); }; });

  const auto shell = std::make_shared<std::string>();
  command = app.add_subcommand("completion", "Print the completion script of a shell");
  command->footer(
      "Example:\n  leafglyph completion bash > "
      "~/.local/share/bash-completion/completions/leafglyph");
  command->add_option("shell", *shell, "The shell")
      ->check(one_of({"bash", "zsh", "fish"}))
      ->required();
  command->callback([&line, &app, shell] {
    line.action = [&app, shell] { return print_completion(app, *shell); };
  });
}

}  // namespace leafglyph
