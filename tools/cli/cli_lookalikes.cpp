// `leafglyph glyph similar | distance | export | explore | groups | confuse`: look-alikes.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/published_lookalikes.h"
#include "classify/glyph_report/glyph_explorer.h"
#include "classify/glyph_report/lookalike_report.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/unihan.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/glyph_questions.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

// Look-alikes per character from which groups and misreadings are built.
constexpr std::size_t kGroupedLookalikes = 16;

std::optional<DrawingStyle> drawing_style(const std::string& name) {
  if (name == "braille") return DrawingStyle::kBraille;
  if (name == "blocks") return DrawingStyle::kBlocks;
  if (name == "auto" && isatty(STDOUT_FILENO) != 0) return DrawingStyle::kBraille;
  return std::nullopt;
}

// Calls `run` with the index that the configuration asks for.
ExitCode with_index(const GlyphConfig& config, const GlyphOptions& options, const CommandLine& line,
                    const auto& run) {
  if (config.lookalikes.measure != LookalikeMeasure::kPublished) {
    return run(open_index(config, options));
  }
  const PublishedLookalikes index(config.selection, config.statistics,
                                  from_name<MomentPart>(options.part), line.common.plan_options());
  for (const std::string& report : index.selected().missing) log_warning(report);
  return run(index);
}

std::uint64_t published_pairs(const LookalikeIndex&) { return 0; }
std::uint64_t published_pairs(const PublishedLookalikes& index) { return index.pairs(); }

// Said wherever the published space answers.
void explain_published(std::uint64_t pairs, const CommandLine& line) {
  if (pairs == 0) return;
  line.text() << "near in a few moments of the whole drawing: such pairs need not look alike, and "
                 "their structure tells them apart\n";
}

// The font of drawings: the first of the configuration, or that of other sets if one is answered.
FontOptions drawing_font(const auto& index, const GlyphConfig& config,
                         const std::vector<LookalikeList>& lists) {
  const bool are_drawn = std::ranges::all_of(
      lists, [&](const LookalikeList& list) { return index.draws(list.query); });
  return are_drawn ? config.lookalike_fonts.front() : default_lookalike_fonts({}).front();
}

ExitCode print_similar(const auto& index, const GlyphConfig& config, const GlyphOptions& options,
                       const CommandLine& line) {
  ExitCode code = ExitCode::kDone;
  const std::vector<LookalikeList> lists = answered(index, config, options, code);
  throw_if_interrupted();
  const auto style = drawing_style(options.draw);
  const FontOptions font = drawing_font(index, config, lists);
  for (const LookalikeList& list : lists) {
    line.text() << lookalikes_text(list);
    if (style) {
      line.text() << lookalikes_drawing(list, font, *style, terminal_columns().value_or(80));
    }
  }
  explain_published(published_pairs(index), line);
  if (!options.figures.json.empty()) write_output(options.figures.json, lookalikes_json(lists));
  if (!options.figures.csv.empty()) write_output(options.figures.csv, lookalikes_csv(lists));
  if (!options.sheet.empty()) {
    write_file(options.sheet, sheet_png(lists, font));
  }
  return code;
}

ExitCode run_similar(const GlyphOptions& options, const CommandLine& line) {
  const GlyphConfig config = configuration(options);
  return with_index(config, options, line,
                    [&](const auto& index) { return print_similar(index, config, options, line); });
}

Table pair_table(char32_t first, const Lookalike& second, std::uint64_t pairs) {
  const std::string names[] = {encode_utf8(first), encode_utf8(second.character)};
  if (pairs > 0) {
    Table table("first:text second:text distance:.6f pair pairs");
    table.add(names[0], names[1], second.distance, second.nearer + 1, pairs);
    return table;
  }
  Table table("first:text second:text score:.6f distance:.6f");
  table.add(names[0], names[1], second.score, second.distance);
  return table;
}

ExitCode print_distance(const auto& index, const GlyphConfig& config, const GlyphOptions& options,
                        const CommandLine& line) {
  const auto has = [&](char32_t character) { return is_compared(index, character); };
  std::u32string pair;
  for (const std::string& argument : options.characters) pair += meant(argument, has);
  if (pair.size() != 2) {
    throw UsageError(fmt::format(
        "{} characters are given; give two, for example: glyph distance 己 已", pair.size()));
  }
  const Lookalike similarity = compared(index, config, options, pair);
  const std::uint64_t pairs = published_pairs(index);
  line.text() << fmt::format("{} {}  {}\n", encode_utf8(pair[0]), encode_utf8(pair[1]),
                             lookalike_text(similarity, pairs));
  explain_published(pairs, line);
  write_figures(options.figures, pair_table(pair[0], similarity, pairs));
  return ExitCode::kDone;
}

ExitCode run_distance(const GlyphOptions& options, const CommandLine& line) {
  const GlyphConfig config = configuration(options);
  return with_index(config, options, line, [&](const auto& index) {
    return print_distance(index, config, options, line);
  });
}

ExitCode export_pairs(const GlyphOptions& options, const CommandLine& line,
                      const LookalikeIndex& index) {
  ExitCode code = ExitCode::kDone;
  const auto scored = score_pairs(index, compared_pairs(index, options, code), options.top);
  throw_if_interrupted();
  write_figures(options.figures, pairs_table(scored));
  line.text() << fmt::format("{} pairs; partner among the {} nearest: {:.3f}\n", scored.size(),
                             options.top, share_within(scored, options.top));
  return code;
}

std::vector<LookalikeList> all_lookalikes(const LookalikeIndex& index, const GlyphOptions& options,
                                          const CommonOptions& common) {
  const std::u32string& characters = index.selected().characters;
  Progress progress("look-alikes", characters.size(), common.progress_style());
  SearchOptions search = search_options(options);
  search.advance = [&](std::size_t done) { progress.advance(done); };
  const auto answers = index.similar(characters, options.top, search);
  throw_if_interrupted();
  std::vector<LookalikeList> lists;
  for (std::size_t q = 0; q < characters.size(); ++q) lists.push_back({characters[q], answers[q]});
  return lists;
}

ExitCode run_export(const GlyphOptions& options, const CommandLine& line) {
  if (options.figures.csv.empty() && options.figures.json.empty()) {
    throw UsageError("glyph export writes files; give --csv FILE or --json FILE (-: stdout)");
  }
  const LookalikeIndex index = open_index(configuration(options), options);
  if (!options.pairs.empty()) return export_pairs(options, line, index);
  const auto lists = all_lookalikes(index, options, line.common);
  if (!options.figures.csv.empty()) write_output(options.figures.csv, lookalikes_csv(lists));
  if (!options.figures.json.empty()) write_output(options.figures.json, lookalikes_json(lists));
  return ExitCode::kDone;
}

ExitCode run_explore(const GlyphOptions& options, const CommonOptions& common) {
  const GlyphConfig config = configuration(options);
  const LookalikeIndex index = open_index(config, options);
  write_output(options.out, explorer_page(all_lookalikes(index, options, common),
                                          config.lookalike_fonts, config.lookalikes));
  return ExitCode::kDone;
}

void add_part(CLI::App& command, const std::shared_ptr<GlyphOptions>& options) {
  command
      .add_option("--part", options->part,
                  "Part of the moments with --by published: complex, real or magnitude")
      ->check(one_of({"complex", "real", "magnitude"}))
      ->capture_default_str();
}

void add_filters(CLI::App& command, const std::shared_ptr<GlyphOptions>& options) {
  command.add_option("--among", options->among,
                     "Show only these characters: sets as in --characters");
  command
      .add_option("--min-frequency", options->min_frequency,
                  "Show only characters that occur at least this often in a count of 1.8 million "
                  "characters")
      ->check(whole_number(0, 1'000'000'000));
}

void add_min_score(CLI::App& command, const std::shared_ptr<GlyphOptions>& options) {
  command
      .add_option("--min-score", options->min_score,
                  "Ignore pairs with a lower score; a fifth of the pairs that readers confuse "
                  "score 0.8 or more")
      ->check(finite_number(0.0, 1.0))
      ->default_val(0.8);
}

void add_similar(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* similar =
      add_command(glyph, line, "similar", "Find the characters that look most like the given ones",
                  "leafglyph glyph similar 己 --top 10",
                  [options, &line] { return run_similar(*options, line); });
  add_lookalike_options(*similar, options);
  add_part(*similar, options);
  add_filters(*similar, options);
  similar->add_option("CHARACTERS", options->characters, "One or several characters, or codes");
  similar->add_option("--pinyin", options->pinyin,
                      "Also the characters with this reading: ji3, jǐ, or ji in any tone");
  similar->add_option("--top", options->top, "Number of look-alikes")
      ->check(whole_number(1, kMaxLookalikes))
      ->capture_default_str();
  add_figure_files(*similar, line, options->figures, "the answers");
  add_output(*similar, line, "--sheet", options->sheet, OutputKind::kPng,
             "Write a contact sheet of the results (PNG)");
  similar
      ->add_option("--draw", options->draw,
                   "Draw the glyphs: auto (braille on a terminal), braille, blocks or none")
      ->check(one_of({"auto", "braille", "blocks", "none"}))
      ->capture_default_str();
}

void add_distance(CLI::App& glyph, CommandLine& line,
                  const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* distance = add_command(
      glyph, line, "distance", "Print the score and distance of a pair of characters",
      "leafglyph glyph distance 己 已", [options, &line] { return run_distance(*options, line); });
  add_lookalike_options(*distance, options);
  add_part(*distance, options);
  add_figure_files(*distance, line, options->figures, "the pair");
  distance->add_option("CHARACTERS", options->characters, "Two characters")->required();
}

void add_export(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* command = add_command(
      glyph, line, "export",
      "Export the look-alikes of every character, or scores of listed pairs, as a table",
      "leafglyph glyph export --top 20 --csv lookalikes.csv",
      [options, &line] { return run_export(*options, line); });
  add_lookalike_options(*command, options);
  add_figure_files(*command, line, options->figures, "the table");
  command->add_option("--top", options->top, "Look-alikes per character, or ranks of pairs")
      ->check(whole_number(1, kMaxLookalikes))
      ->capture_default_str();
  command->add_option("--pairs", options->pairs,
                      "Score these pairs instead: a file with two characters, and optionally a "
                      "weight, per line; -: stdin");
}

void add_explore(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* explore = add_command(
      glyph, line, "explore", "Write a page to look up look-alikes in a browser, without a network",
      "leafglyph glyph explore --out characters.html",
      [options, &line] { return run_explore(*options, line.common); });
  add_lookalike_options(*explore, options);
  add_output(*explore, line, "--out", options->out, OutputKind::kHtml, "HTML file to write")
      ->required();
  explore->add_option("--top", options->top, "Look-alikes per character")
      ->check(whole_number(1, kMaxLookalikes))
      ->capture_default_str();
}

ExitCode run_groups(const GlyphOptions& options, const CommandLine& line) {
  const LookalikeIndex index = open_index(configuration(options), options);
  const std::u32string& characters = index.selected().characters;
  Progress progress("look-alikes", characters.size(), line.common.progress_style());
  SearchOptions search = search_options(options);
  search.advance = [&](std::size_t done) { progress.advance(done); };
  const auto answers =
      index.similar(characters, std::min(kGroupedLookalikes, characters.size() - 1), search);
  const auto groups = lookalike_groups(characters, answers, options.min_score);
  line.text() << groups_text(groups);
  write_output(options.figures.json, groups_json(groups));
  write_output(options.figures.csv, groups_table(groups).csv());
  return ExitCode::kDone;
}

ExitCode run_confuse(const GlyphOptions& options) {
  if (options.characters.size() != 1) throw UsageError("give one text, or - for stdin");
  const std::string given = options.characters.front();
  refuse_file(given);
  const std::u32string text = decode_utf8(given == "-" ? read_text_or_stdin("-") : given);
  const LookalikeIndex index = open_index(configuration(options), options);
  std::u32string queries;
  for (const char32_t character : text) {
    const bool known = queries.find(character) != std::u32string::npos;
    if (!known && is_compared(index, character)) queries.push_back(character);
  }
  std::vector<LookalikeList> lists;
  if (!queries.empty()) {
    const auto answers = index.similar(queries, options.top, search_options(options));
    throw_if_interrupted();
    for (std::size_t q = 0; q < queries.size(); ++q) lists.push_back({queries[q], answers[q]});
  }
  write_output(options.figures.json.empty() ? "-" : options.figures.json,
               misreadings_json(text, lists, options.min_score));
  return ExitCode::kDone;
}

void add_groups(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* command =
      add_command(glyph, line, "groups", "Find groups of characters that all look alike",
                  "leafglyph glyph groups --min-score 0.8",
                  [options, &line] { return run_groups(*options, line); });
  add_lookalike_options(*command, options);
  add_filters(*command, options);
  add_min_score(*command, options);
  add_figure_files(*command, line, options->figures, "the groups");
}

void add_confuse(CLI::App& glyph, CommandLine& line, const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* command = add_command(
      glyph, line, "confuse",
      "List what each character of a text may be misread as, as JSON (for OCR correction)",
      "leafglyph glyph confuse 自已 --min-score 0.8 --min-frequency 100",
      [options] { return run_confuse(*options); });
  add_lookalike_options(*command, options);
  add_filters(*command, options);
  add_min_score(*command, options);
  command->add_option("TEXT", options->characters, "The text; -: stdin")->required();
  command->add_option("--top", options->top, "Alternatives to list per character, at most")
      ->check(whole_number(1, kMaxLookalikes))
      ->capture_default_str();
  add_output(*command, line, "--json", options->figures.json, OutputKind::kJson,
             "File to write; without it, or with -, stdout");
}

}  // namespace

void add_lookalike_commands(CLI::App& glyph, CommandLine& line,
                            const std::shared_ptr<GlyphOptions>& options) {
  add_similar(glyph, line, options);
  add_distance(glyph, line, options);
  add_export(glyph, line, options);
  add_explore(glyph, line, options);
  add_groups(glyph, line, options);
  add_confuse(glyph, line, options);
  add_evaluate_command(glyph, line, options);
}

}  // namespace leafglyph
