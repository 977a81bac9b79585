// Common parts of the leaf commands: their data, and messages about leaves.
#pragma once

#include <string>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "features/base/errors.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"

namespace leafglyph {

LeafRun leaf_run(const CommandLine& line);

/// Prints the first few warnings, with -v all.
void show_warnings(const CommandLine& line, const std::vector<std::string>& warnings);

/// Prints each leaf that could not be used; the exit code reports whether there were any.
ExitCode show_errors(const std::vector<std::string>& errors);

/// Data on the command line instead of the configuration's.
struct DataOptions {
  std::string folder;
  std::string features;
  std::string source_aspect;
};
void add_data_options(CLI::App& command, DataOptions& options);

/// If a folder is given, a configuration with its photographs as data, one folder per class, and
/// the protocol auto unless it holds classes back.
LeafConfig config_with_data(const ConfigChoice& choice, const DataOptions& options);

/// The description of --config for the leaf commands.
inline constexpr const char* kLeafConfigHelp = "Configuration: a name (leaf) or a YAML file";

}  // namespace leafglyph
