// `leafglyph glyph evaluate`: how well look-alikes find listed pairs, and characters are
// recognised.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "classify/character_report/character_report.h"
#include "classify/glyph/lookalike_evaluation.h"
#include "classify/glyph_report/lookalike_report.h"
#include "datasets/glyph/character_set.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/character_options.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

using CharacterPair = std::pair<char32_t, char32_t>;

// query,candidate,listed,shortlisted, kind, strokes, distance and the columns: every shortlist of a
// listed character, and the listed pairs, both ways.
Table columns_table(const LookalikeIndex& index, const std::vector<ListedPair>& listed) {
  std::set<CharacterPair> partners;
  std::u32string queries;
  for (const ListedPair& pair : listed) {
    partners.insert({{pair.first, pair.second}, {pair.second, pair.first}});
    for (const char32_t character : {pair.first, pair.second}) {
      if (queries.find(character) == std::u32string::npos) queries.push_back(character);
    }
  }
  const auto shortlists = index.shortlists(queries);
  std::set<CharacterPair> shortlisted;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (const char32_t candidate : shortlists[q]) shortlisted.emplace(queries[q], candidate);
  }
  std::vector<CharacterPair> pairs;
  std::set_union(partners.begin(), partners.end(), shortlisted.begin(), shortlisted.end(),
                 std::back_inserter(pairs));
  const auto rows = index.columns(pairs);
  Table table(
      fmt::format("query:text candidate:text listed shortlisted kind:text query_strokes "
                  "distance:.9g {}:.9g",
                  fmt::join(kPairColumns, ":.9g ")));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    table.add(encode_utf8(pairs[k].first), encode_utf8(pairs[k].second),
              partners.contains(pairs[k]) ? 1 : 0, shortlisted.contains(pairs[k]) ? 1 : 0,
              std::string(name_of(kNamesOf<PairKind>, rows[k].kind)), rows[k].query_strokes,
              rows[k].distances.windows);
    for (const double value : rows[k].columns) table.add(value);
  }
  return table;
}

ExitCode evaluate_pairs(const GlyphOptions& options, const CommandLine& line) {
  ExitCode code = ExitCode::kDone;
  const LookalikeIndex index = open_index(configuration(options), options);
  const auto pairs = compared_pairs(index, options, code);
  if (!options.columns.empty()) {
    write_output(options.columns, columns_table(index, pairs).csv());
    if (options.columns == "-") return code;
  }
  const LookalikeEvaluation evaluation = evaluate_lookalikes(index, pairs);
  throw_if_interrupted();
  line.text() << evaluation_text(evaluation);
  write_output(options.figures.json, evaluation_json(evaluation));
  write_output(options.figures.csv, evaluation_table(evaluation).csv());
  return code;
}

struct RecognitionOptions {
  std::string model;
  std::vector<std::string> fonts, damages;
  std::string report;
};

std::vector<Damage> damages_of(const std::vector<std::string>& names) {
  std::vector<Damage> damages;
  for (const std::string& name : names) damages.push_back(from_name<Damage>(name));
  return damages;
}

// Tests the pictures of a folder and the drawings of fonts.
ExitCode evaluate_recogniser(const GlyphOptions& options, const RecognitionOptions& recognition,
                             const CommandLine& line) {
  const std::vector<Damage> damages = damages_of(recognition.damages);
  CharacterPictures found;
  if (!options.pairs.empty()) found = load_character_folders({&options.pairs, 1});
  show_warnings(line, found.warnings);
  const CharacterRecogniser recogniser(
      recogniser_model(line, recognition.model, options.characters_set));
  std::u32string characters = recogniser.model().characters;
  if (!options.characters_set.empty() && options.characters_set != "all") {
    characters = character_sets(character_set_names(options.characters_set), U"").characters;
  }
  Progress progress(
      "pictures",
      (found.pictures.size() + recognition.fonts.size() * characters.size()) * (1 + damages.size()),
      line.common.progress_style());
  TestedCharacters tested;
  CharacterTests tests(
      recogniser, damages,
      [&](std::size_t count) {
        progress.advance(count);
        throw_if_interrupted();
      },
      tested);
  tests.add_pictures(found.pictures);
  std::vector<std::string> sources;
  if (!options.pairs.empty()) sources.push_back(last_name(options.pairs));
  for (const std::string& file : recognition.fonts) {
    FontOptions font;
    font.file = file;
    font.pixel_size = kDrawnSide;
    tests.add_font(font, characters);
    sources.push_back(last_name(file));
  }
  const PageValues document = character_evaluation_document(
      &recogniser.model(), tested,
      fmt::format("{} from {}", counted(tested.tests.size(), "picture", "pictures"),
                  fmt::join(sources, ", ")));
  line.text() << character_evaluation_text(document);
  write_output(options.figures.json, json_text(document) + "\n");
  write_output(options.figures.csv, character_evaluation_table(document).csv());
  write_output(recognition.report, character_evaluation_page(document, tested));
  return show_errors(tested.errors);
}

ExitCode run_evaluate(const GlyphOptions& options, const RecognitionOptions& recognition,
                      const CommandLine& line) {
  const bool of_pictures = !recognition.fonts.empty() || is_folder(options.pairs);
  if (!of_pictures && options.pairs.empty()) {
    throw UsageError("nothing is given; for example: glyph evaluate FOLDER, or --font FILE");
  }
  if (of_pictures && !options.columns.empty()) {
    throw UsageError("--columns is for files of pairs");
  }
  if (!of_pictures &&
      (!recognition.model.empty() || !recognition.damages.empty() || !recognition.report.empty())) {
    throw UsageError("--model, --damage and --report are for folders of pictures and fonts");
  }
  return of_pictures ? evaluate_recogniser(options, recognition, line)
                     : evaluate_pairs(options, line);
}

}  // namespace

void add_evaluate_command(CLI::App& glyph, CommandLine& line,
                          const std::shared_ptr<GlyphOptions>& options) {
  const auto recognition = std::make_shared<RecognitionOptions>();
  CLI::App* command = add_command(
      glyph, line, "evaluate",
      "Measure how well the characters in pictures are recognised, or how often listed look-alikes "
      "find each other, beside blurred pixels",
      "leafglyph glyph evaluate pictures --report result.html",
      [options, recognition, &line] { return run_evaluate(*options, *recognition, line); });
  add_lookalike_options(*command, options);
  command->get_option("--characters")
      ->description(std::string("Characters to compare, or to draw in fonts: ") +
                    kCharacterSetNames + "; several with commas");
  command->add_option("FOLDER|PAIRS", options->pairs,
                      "A folder of pictures as glyph train takes it; or a file with two "
                      "characters, or a group of several, and optionally a weight, per line; -: "
                      "stdin");
  command->add_option("--model", recognition->model,
                      "Folder written by glyph train; default: made once from Debian's fonts");
  takes_one_each(command->add_option("--font", recognition->fonts,
                                     "A font whose characters are tested; repeatable"));
  takes_list(command->add_option("--damage", recognition->damages,
                                 "Also test damaged pictures: tilt, small, blur, thin, bold, fax "
                                 "or warp; several with commas"));
  add_figure_files(*command, line, options->figures, "the shares");
  add_output(*command, line, "--report", recognition->report, OutputKind::kHtml,
             "Write a page with the pictures that are identified wrongly (HTML)");
  add_output(*command, line, "--columns", options->columns, OutputKind::kCsv,
             "Write what the evidence of each candidate is computed from, to fit weights (CSV)");
}

}  // namespace leafglyph
