// What the leaf commands share: their data, and what they say of leaves.
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

/// The first few warnings, with -v all.
void show_warnings(const CommandLine& line, const std::vector<std::string>& warnings);

/// Names each leaf that could not be used; the exit code says whether there were some.
ExitCode show_errors(const std::vector<std::string>& errors);

/// What the command line says of the data, in the place of the configuration.
struct DataOptions {
  std::string folder;
  std::string features;
  std::string source_aspect;
};
void add_data_options(CLI::App& command, DataOptions& options);

/// A configuration whose data, when a folder is given, are the photographs in it, one folder per
/// class, and whose protocol is auto then, unless it holds classes back.
LeafConfig config_with_data(const ConfigChoice& choice, const DataOptions& options);

/// What --config of the leaf commands says of itself.
inline constexpr const char* kLeafConfigHelp = "Configuration: a name (leaf) or a YAML file";

}  // namespace leafglyph
