// The options of every command that reads a configuration.
#pragma once

#include <string>
#include <vector>

#include "features/base/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leafglyph {

struct CommandLine;

struct ConfigChoice {
  std::string file;                   ///< a file or a name; empty: none
  std::vector<std::string> settings;  ///< "features.order=20"
};

/// Adds --config and --set.
CLI::Option* add_config_options(CLI::App& command, ConfigChoice& config,
                                const std::string& description);
/// Adds only --set.
void add_set_option(CLI::App& command, std::vector<std::string>& settings);

/// Every key of a configuration of leaves or characters: key, takes, default, needs, description.
Table configuration_keys();
/// Adds `config list`, `config show` and `config describe`.
void add_config_commands(CLI::App& app, CommandLine& line);

}  // namespace leafglyph
