// `leafglyph glyph ...`: characters.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "classify/files.h"
#include "classify/glyph_config.h"
#include "classify/glyph_report.h"
#include "tools/cli.h"

namespace leafglyph {
namespace {

struct GlyphOptions {
  std::string config;
  std::string json;
  std::string csv;
  int closest = -1;
};

GlyphConfig configuration(const GlyphOptions& options) {
  return options.config.empty() ? GlyphConfig{} : load_glyph_config(options.config);
}

// Writes a result to a file, or to stdout for "-".
void write_result(const std::string& file, const std::string& content) {
  if (file == "-") {
    std::cout << content;
  } else {
    write_file(file, content);
  }
}

ExitCode run_stats(const GlyphOptions& options, const CommonOptions& common) {
  GlyphConfig config = configuration(options);
  if (options.closest >= 0) {
    config.statistics.pairwise.closest = static_cast<std::size_t>(options.closest);
  }
  const GlyphStatistics statistics =
      glyph_statistics(config.selection, config.statistics, common.engine_options());
  for (const std::string& report : statistics.missing) log_warning(report);
  for (const FamilyStatistics& family : statistics.families) log_note(family.engine);
  if (options.json != "-" && options.csv != "-") {
    std::cout << statistics_text(statistics, config.statistics);
  }
  if (!options.json.empty()) {
    write_result(options.json, statistics_json(statistics, config.statistics));
  }
  if (!options.csv.empty()) {
    write_result(options.csv, statistics_csv(statistics, config.statistics));
  }
  return ExitCode::kDone;
}

void add_stats(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* stats = add_command(
      glyph, line, "stats",
      "Variances of moments, the moments that vary most, and the distances of all pairs",
      "leafglyph glyph stats --config configs/gb2312_published.yaml",
      [options, &line] { return run_stats(*options, line.common); });
  stats->add_option("--config", options->config, "YAML configuration; without it, the defaults");
  stats->add_option("--json", options->json,
                    "Also write everything as JSON; -: instead, to stdout");
  stats->add_option("--csv", options->csv, "Also write everything as CSV; -: instead, to stdout");
  stats->add_option("--closest", options->closest, "Closest pairs to list")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace

void add_glyph_commands(CLI::App& app, CommandLine& line) {
  CLI::App* glyph = app.add_subcommand("glyph", "Chinese characters: statistics and look-alikes");
  glyph->require_subcommand(1);
  const auto options = std::make_shared<GlyphOptions>();
  add_stats(*glyph, line, options);
}

}  // namespace leafglyph
