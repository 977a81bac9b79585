#include "tools/cli/leaf_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "classify/leaf/store_rows.h"

namespace leafglyph {
namespace {

// A data set can have many warnings about single leaves: the first few are shown, and the number of
// the others.
constexpr std::size_t kWarningsShown = 5;

}  // namespace

LeafRun leaf_run(const CommandLine& line) {
  return {line.common.plan_options(), line.common.progress_style(), log_warning, log_note};
}

void show_warnings(const CommandLine& line, const std::vector<std::string>& warnings) {
  const std::size_t shown =
      line.common.verbosity > 0 ? warnings.size() : std::min(kWarningsShown, warnings.size());
  for (std::size_t i = 0; i < shown; ++i) log_warning(warnings[i]);
  if (shown < warnings.size()) {
    log_warning(fmt::format("and {} more warnings about single leaves; -v shows all",
                            warnings.size() - shown));
  }
}

ExitCode show_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) print_error(error);
  return errors.empty() ? ExitCode::kDone : ExitCode::kSomeFailed;
}

void add_leaf_config_options(CLI::App& command, ConfigChoice& config) {
  config.file = "leaf";
  add_config_options(command, config, "Configuration: a name or a YAML file")
      ->capture_default_str();
}

LeafConfig config_with_data(const ConfigChoice& choice, const DataOptions& options) {
  LeafConfig config = load_leaf_config(choice.file, choice.settings);
  if (!options.join.empty()) {
    config.features.join.file = options.join;
    settle(config.features.join);
  }
  if (!options.folder.empty()) use_photographs_of(config, options.folder);
  if (!options.features.empty()) {
    if (!options.source_aspect.empty() || options.bits > 0) {
      throw UsageError(std::string(options.bits > 0 ? "--bits" : "--source-aspect") +
                       " applies to photographs; a store records its own");
    }
    const std::vector<std::filesystem::path> stores(options.features.begin(),
                                                    options.features.end());
    use_stores(config, stores);
  }
  if (!options.prior.empty()) {
    if (config.classifier.pipeline.projection != Projection::kPlda) {
      throw UsageError("--prior has an effect with pipeline.projection: plda only");
    }
    config.data.prior = options.prior;
  }
  if (const auto aspect = source_aspect(options.source_aspect)) {
    config.data.source_aspect = *aspect;
  }
  if (options.bits > 0) config.data.bits = options.bits;
  return config;
}

CLI::Option* add_data_options(CLI::App& command, DataOptions& options) {
  CLI::Option* data = command.add_option(
      "--data", options.folder,
      "Your own photographs, one folder per species, instead of the configured data");
  command
      .add_option("--features", options.features,
                  "Feature stores written by features extract, instead of photographs: one, or "
                  "those of several machines")
      ->excludes(data);
  add_join_option(command, options.join);
  add_prior_option(command, options);
  add_source_aspect_option(command, options.source_aspect);
  add_bits_option(command, options.bits);
  return data;
}

void add_join_option(CLI::App& command, std::string& file) {
  command.add_option("--join", file,
                     "Table of columns that another program made, a row for each photograph, by "
                     "file name: CSV, or "
                     ".npy beside a .txt with the names");
}

void add_prior_option(CLI::App& command, DataOptions& options) {
  command.add_option(
      "--prior", options.prior,
      "Feature store of other labelled leaves, which teaches how leaves vary, instead "
      "of drawn leaves");
}

}  // namespace leafglyph
