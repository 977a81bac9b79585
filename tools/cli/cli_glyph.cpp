// `leafglyph glyph ...`: characters.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph_report/glyph_report.h"
#include "tools/cli/character_options.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

// The number of pairs of GB 2312 characters.
constexpr std::int64_t kMostPairs = 6762 * 6763 / 2;

// Reads the pairs of a file, which replace those of the configuration. An invalid line is an error.
void read_listed_pairs(const std::string& path, GlyphStatisticsOptions& statistics) {
  const PairFile file = parse_pairs(read_text_or_stdin(path), path);
  if (!file.note.empty()) log_warning(file.note);
  if (!file.refused.empty()) throw InputError(file.refused.front());
  if (file.pairs.empty()) throw InputError("'" + path + "' holds no pair");
  statistics.pairs.clear();
  for (const ListedPair& pair : file.pairs) {
    statistics.pairs.emplace_back(pair.first, pair.second);
  }
}

ExitCode run_stats(const GlyphOptions& options, const CommandLine& line) {
  GlyphConfig config = configuration(options);
  if (!options.pairs.empty()) read_listed_pairs(options.pairs, config.statistics);
  if (options.closest >= 0) {
    config.statistics.pairwise.closest = static_cast<std::size_t>(options.closest);
  }
  const GlyphStatistics statistics =
      glyph_statistics(config.selection, config.statistics, line.common.plan_options());
  throw_if_interrupted();
  for (const std::string& report : statistics.missing) log_warning(report);
  for (const FamilyStatistics& family : statistics.families) log_note(family.engine);
  line.text() << statistics_text(statistics, config.statistics);
  write_output(options.figures.json, statistics_json(statistics, config.statistics));
  write_output(options.figures.csv, statistics_table(statistics, config.statistics).csv());
  return ExitCode::kDone;
}

void add_stats(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* stats = add_command(
      glyph, line, "stats",
      "Compute variances of moments, the moments that vary most, and the distances of all pairs",
      "leafglyph glyph stats --config gb2312_published",
      [options, &line] { return run_stats(*options, line); });
  add_config_options(*stats, options->config, kGlyphConfigHelp);
  add_figure_files(*stats, line, options->figures, "everything");
  stats->add_option(
      "--pairs", options->pairs,
      "List the distances of these pairs: a file with two characters, or a group of several, per "
      "line; -: stdin");
  stats->add_option("--closest", options->closest, "Closest pairs to list")
      ->check(whole_number(0, kMostPairs));
}

}  // namespace

void add_glyph_commands(CLI::App& app, CommandLine& line) {
  CLI::App* glyph =
      app.add_subcommand("glyph", "Chinese characters: in pictures, statistics and look-alikes");
  glyph->require_subcommand(1);
  const auto options = std::make_shared<GlyphOptions>();
  add_stats(*glyph, line, options);
  add_lookalike_commands(*glyph, line, options);
  add_recognise_command(*glyph, line);
  add_character_model_commands(*glyph, line);
  add_character_study_commands(*glyph, line);
}

}  // namespace leafglyph
