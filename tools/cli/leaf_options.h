// What the leaf commands share: options for their data, and messages about leaves.
#pragma once

#include <string>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "features/base/errors.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"

namespace CLI {
class Option;
}

namespace leafglyph {

LeafRun leaf_run(const CommandLine& line);

/// Prints the first few warnings, or all of them with -v.
void show_warnings(const CommandLine& line, const std::vector<std::string>& warnings);

/// Prints the error of each leaf that could not be used. The exit code reports whether there were
/// any.
ExitCode show_errors(const std::vector<std::string>& errors);

/// Data given on the command line, which replaces the configuration's.
struct DataOptions {
  std::string folder;
  std::vector<std::string> features;
  std::string prior;
  std::string join;
  std::string source_aspect;
  int bits = 0;  ///< 0: not given
};
/// Returns --data.
CLI::Option* add_data_options(CLI::App& command, DataOptions& options);
void add_join_option(CLI::App& command, std::string& file);
void add_prior_option(CLI::App& command, DataOptions& options);

/// The chosen configuration, with the data of the options: a folder as use_photographs_of() says. A
/// feature store brings the data settings that it was made with, and another one is the prior of
/// the discriminant. --source-aspect overrides the configured aspect ratio. Throws UsageError if it
/// is given together with a feature store, or if nothing uses the prior.
LeafConfig config_with_data(const ConfigChoice& choice, const DataOptions& options);

/// Adds --config, which is "leaf" if it is not given, and --set.
void add_leaf_config_options(CLI::App& command, ConfigChoice& config);

}  // namespace leafglyph
