// `leafglyph glyph ...`: characters.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph_report/glyph_explorer.h"
#include "classify/glyph_report/glyph_report.h"
#include "classify/glyph_report/lookalike_report.h"
#include "datasets/glyph/character_code.h"
#include "features/base/files.h"
#include "features/base/utf8.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_ranges.h"

namespace leafglyph {
namespace {

// All other characters of GB 2312, and all pairs of them.
constexpr std::int64_t kMostLookalikes = 6762;
constexpr std::int64_t kMostPairs = kMostLookalikes * (kMostLookalikes + 1) / 2;

struct GlyphOptions {
  std::string config;
  std::string json;
  std::string csv;
  int closest = -1;
  std::vector<std::string> characters;
  std::size_t top = 10;
  std::string draw = "auto";
  std::string sheet;
  std::string pairs;
  std::string out;
  std::string characters_set;
  bool no_cache = false;
};

GlyphConfig configuration(const GlyphOptions& options) {
  GlyphConfig config = options.config.empty() ? GlyphConfig{} : load_glyph_config(options.config);
  if (options.characters_set.empty()) return config;
  const auto characters = character_set_names(options.characters_set);
  if (config.lookalike_fonts == default_lookalike_fonts(config.selection.characters)) {
    config.lookalike_fonts = default_lookalike_fonts(characters);
  }
  config.selection.characters = characters;
  return config;
}

// Writes a result to a file, or to stdout for "-".
void write_result(const std::string& file, const std::string& content) {
  if (file == "-") {
    std::cout << content;
  } else {
    write_file(file, content);
  }
}

// The text of a file, or of stdin for "-".
std::string read_text_or_stdin(const std::string& file) {
  if (file != "-") return read_text_file(file);
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return text;
}

// The pairs of a file in place of those of the configuration; what is wrong with a line ends it.
void read_listed_pairs(const std::string& path, GlyphStatisticsOptions& statistics) {
  const PairFile file = parse_pairs(read_text_or_stdin(path), path);
  if (!file.refused.empty()) throw InputError(file.refused.front());
  if (file.pairs.empty()) throw InputError("'" + path + "' holds no pair");
  statistics.pairs.clear();
  for (const ListedPair& pair : file.pairs) {
    statistics.pairs.emplace_back(pair.first, pair.second);
  }
}

ExitCode run_stats(const GlyphOptions& options, const CommonOptions& common) {
  GlyphConfig config = configuration(options);
  if (!options.pairs.empty()) read_listed_pairs(options.pairs, config.statistics);
  if (options.closest >= 0) {
    config.statistics.pairwise.closest = static_cast<std::size_t>(options.closest);
  }
  const GlyphStatistics statistics =
      glyph_statistics(config.selection, config.statistics, common.plan_options());
  throw_if_interrupted();
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
  add_output(*stats, line, "--json", options->json, OutputKind::kFileOrStdout,
             "Also write everything as JSON; -: instead, to stdout");
  add_output(*stats, line, "--csv", options->csv, OutputKind::kFileOrStdout,
             "Also write everything as CSV; -: instead, to stdout");
  stats->add_option(
      "--pairs", options->pairs,
      "List the distances of these pairs: a file with two characters a line; -: stdin");
  stats->add_option("--closest", options->closest, "Closest pairs to list")
      ->check(whole_number(0, kMostPairs));
}

LookalikeIndex open_index(const GlyphConfig& config, const GlyphOptions& options) {
  LookalikeOptions lookalikes;
  lookalikes.selection = config.lookalike_selection();
  lookalikes.profile = config.lookalikes;
  lookalikes.log = log_note;
  if (options.no_cache) lookalikes.cache_folder.clear();
  LookalikeIndex index(lookalikes);
  for (const std::string& report : index.selected().missing) log_warning(report);
  return index;
}

bool is_compared(const LookalikeIndex& index, char32_t character) {
  return index.selected().characters.find(character) != std::u32string::npos;
}

// The characters of the command line, those that cannot be drawn reported; throws when none is
// left.
std::u32string valid_characters(const LookalikeIndex& index,
                                const std::vector<std::string>& arguments, ExitCode& code) {
  std::u32string given;
  for (const std::string& argument : arguments) {
    given += characters_from(argument, [&](char32_t c) { return is_compared(index, c); });
  }
  if (given.empty()) throw UsageError("no character is given; for example: glyph similar 己");
  std::u32string valid;
  std::vector<std::string> refused;
  for (const char32_t character : given) {
    if (index.draws(character)) {
      valid.push_back(character);
    } else {
      refused.push_back(describe_character(character) +
                        " is not in every font; name other characters (--characters big5) or "
                        "fonts");
    }
  }
  if (valid.empty()) throw UsageError(refused.front());
  for (const std::string& message : refused) {
    print_error(message);
    code = ExitCode::kSomeFailed;
  }
  return valid;
}

std::optional<DrawingStyle> drawing_style(const std::string& name) {
  if (name == "braille") return DrawingStyle::kBraille;
  if (name == "blocks") return DrawingStyle::kBlocks;
  if (name == "auto" && isatty(STDOUT_FILENO) != 0) return DrawingStyle::kBraille;
  return std::nullopt;
}

int terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

ExitCode run_similar(const GlyphOptions& options) {
  if (!options.sheet.empty() && std::filesystem::path(options.sheet).extension() != ".png") {
    throw UsageError("sheet '" + options.sheet + "' is no PNG file; name it with .png");
  }
  ExitCode code = ExitCode::kDone;
  const GlyphConfig config = configuration(options);
  const LookalikeIndex index = open_index(config, options);
  const std::u32string queries = valid_characters(index, options.characters, code);
  const auto answers = index.similar(queries, options.top);
  throw_if_interrupted();
  std::vector<LookalikeList> lists;
  for (std::size_t q = 0; q < queries.size(); ++q) lists.push_back({queries[q], answers[q]});
  if (options.json != "-") {
    const auto style = drawing_style(options.draw);
    for (const LookalikeList& list : lists) {
      std::cout << lookalikes_text(list);
      if (style) {
        std::cout << lookalikes_drawing(list, config.lookalike_fonts.front(), *style,
                                        terminal_columns());
      }
    }
  }
  if (!options.json.empty()) write_result(options.json, lookalikes_json(lists));
  if (!options.sheet.empty()) {
    write_file(options.sheet, sheet_png(lists, config.lookalike_fonts.front()));
  }
  return code;
}

ExitCode run_distance(const GlyphOptions& options) {
  const LookalikeIndex index = open_index(configuration(options), options);
  std::u32string pair;
  for (const std::string& argument : options.characters) {
    pair += characters_from(argument, [&](char32_t c) { return is_compared(index, c); });
  }
  if (pair.size() != 2) {
    throw UsageError(fmt::format(
        "{} characters are given; give two, for example: glyph distance 己 已", pair.size()));
  }
  const Lookalike similarity = index.compare(pair[0], pair[1]);
  std::cout << fmt::format("{} {}  score {:.3f}  distance {:.4f}\n", encode_utf8(pair[0]),
                           encode_utf8(pair[1]), similarity.score, similarity.distance);
  return ExitCode::kDone;
}

ExitCode export_pairs(const GlyphOptions& options, const LookalikeIndex& index) {
  PairFile file = parse_pairs(read_text_or_stdin(options.pairs), options.pairs);
  std::erase_if(file.pairs, [&](const ListedPair& pair) {
    if (is_compared(index, pair.first) && is_compared(index, pair.second)) return false;
    file.refused.push_back(fmt::format("{}:{}: {}{} has a character that is not compared",
                                       options.pairs, pair.line, encode_utf8(pair.first),
                                       encode_utf8(pair.second)));
    return true;
  });
  for (const std::string& message : file.refused) print_error(message);
  if (file.pairs.empty()) throw InputError("'" + options.pairs + "' holds no usable pair");
  const auto scored = score_pairs(index, file.pairs, options.top);
  throw_if_interrupted();
  write_result(options.csv, pairs_csv(scored));
  if (options.csv != "-") {
    std::cout << fmt::format("{} pairs; partner among the {} nearest: {:.3f}\n", scored.size(),
                             options.top, share_within(scored, options.top));
  }
  return file.refused.empty() ? ExitCode::kDone : ExitCode::kSomeFailed;
}

std::vector<LookalikeList> all_lookalikes(const LookalikeIndex& index, const GlyphOptions& options,
                                          const CommonOptions& common) {
  const std::u32string& characters = index.selected().characters;
  Progress progress("look-alikes", characters.size(), common.progress_style());
  SearchOptions search;
  search.advance = [&](std::size_t done) { progress.advance(done); };
  const auto answers = index.similar(characters, options.top, search);
  throw_if_interrupted();
  std::vector<LookalikeList> lists;
  for (std::size_t q = 0; q < characters.size(); ++q) lists.push_back({characters[q], answers[q]});
  return lists;
}

ExitCode run_export(const GlyphOptions& options, const CommonOptions& common) {
  const LookalikeIndex index = open_index(configuration(options), options);
  if (!options.pairs.empty()) return export_pairs(options, index);
  write_result(options.csv, lookalikes_csv(all_lookalikes(index, options, common)));
  return ExitCode::kDone;
}

ExitCode run_explore(const GlyphOptions& options, const CommonOptions& common) {
  const GlyphConfig config = configuration(options);
  const LookalikeIndex index = open_index(config, options);
  write_file(options.out,
             explorer_page(all_lookalikes(index, options, common), config.lookalike_fonts.front()));
  return ExitCode::kDone;
}

void add_lookalike_options(CLI::App& command, const std::shared_ptr<GlyphOptions>& options) {
  command.add_option("--config", options->config, "YAML configuration; without it, the defaults");
  command.add_option(
      "--characters", options->characters_set,
      "Characters to compare: gb2312, common, general, big5, jis, ksx, all, "
      "U+3041..U+3096, a block such as hiragana, a file's path; several with commas");
  command.add_flag("--no-cache", options->no_cache,
                   "Neither read nor write the tables in $XDG_CACHE_HOME/leafglyph");
}

void add_similar(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* similar = add_command(
      glyph, line, "similar", "The characters that look most like the given ones",
      "leafglyph glyph similar 己 --top 10", [options] { return run_similar(*options); });
  add_lookalike_options(*similar, options);
  similar->add_option("CHARACTERS", options->characters, "One or several characters")->required();
  similar->add_option("--top", options->top, "How many look-alikes")
      ->check(whole_number(1, kMostLookalikes))
      ->capture_default_str();
  add_output(*similar, line, "--json", options->json, OutputKind::kFileOrStdout,
             "Also write JSON; -: instead, to stdout");
  add_output(*similar, line, "--sheet", options->sheet, OutputKind::kFile,
             "Write a contact sheet of the answers (PNG)");
  similar
      ->add_option("--draw", options->draw,
                   "Draw the glyphs: auto (braille on a terminal), braille, blocks or none")
      ->check(CLI::IsMember({"auto", "braille", "blocks", "none"}))
      ->capture_default_str();
}

void add_distance(CLI::App& glyph, CommandLine& line,
                  const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* distance =
      add_command(glyph, line, "distance", "Score and distance of one pair of characters",
                  "leafglyph glyph distance 己 已", [options] { return run_distance(*options); });
  add_lookalike_options(*distance, options);
  distance->add_option("CHARACTERS", options->characters, "Two characters")->required();
}

void add_export(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* command =
      add_command(glyph, line, "export",
                  "The look-alikes of every character, or scores of listed pairs, as CSV",
                  "leafglyph glyph export --top 20 --csv lookalikes.csv",
                  [options, &line] { return run_export(*options, line.common); });
  add_lookalike_options(*command, options);
  add_output(*command, line, "--csv", options->csv, OutputKind::kFileOrStdout,
             "File to write; -: stdout")
      ->required();
  command->add_option("--top", options->top, "How many look-alikes of each, or ranks of pairs")
      ->check(whole_number(1, kMostLookalikes))
      ->capture_default_str();
  command->add_option(
      "--pairs", options->pairs,
      "Score these pairs instead: a file with two characters, and perhaps a weight, a "
      "line; -: stdin");
}

void add_explore(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* explore = add_command(glyph, line, "explore",
                                  "A page to look up look-alikes in a browser, without a network",
                                  "leafglyph glyph explore --out characters.html",
                                  [options, &line] { return run_explore(*options, line.common); });
  add_lookalike_options(*explore, options);
  add_output(*explore, line, "--out", options->out, OutputKind::kFile, "HTML file to write")
      ->required();
  explore->add_option("--top", options->top, "How many look-alikes of each")
      ->check(whole_number(1, kMostLookalikes))
      ->capture_default_str();
}

}  // namespace

void add_glyph_commands(CLI::App& app, CommandLine& line) {
  CLI::App* glyph = app.add_subcommand("glyph", "Chinese characters: statistics and look-alikes");
  glyph->require_subcommand(1);
  const auto options = std::make_shared<GlyphOptions>();
  add_stats(*glyph, line, options);
  add_similar(*glyph, line, options);
  add_distance(*glyph, line, options);
  add_export(*glyph, line, options);
  add_explore(*glyph, line, options);
}

}  // namespace leafglyph
