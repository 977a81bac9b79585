// `leafglyph glyph evaluate`: how well look-alikes find listed pairs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "classify/glyph/lookalike_evaluation.h"
#include "classify/glyph_report/lookalike_report.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

using CharacterPair = std::pair<char32_t, char32_t>;

// query,candidate,listed,shortlisted and the columns: every shortlist of a listed character, and
// the listed pairs, both ways.
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
  Table table(fmt::format("query:text candidate:text listed shortlisted {}:.9g",
                          fmt::join(kPairColumns, ":.9g ")));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    table.add(encode_utf8(pairs[k].first), encode_utf8(pairs[k].second),
              partners.contains(pairs[k]) ? 1 : 0, shortlisted.contains(pairs[k]) ? 1 : 0);
    for (const double value : rows[k]) table.add(value);
  }
  return table;
}

ExitCode run_evaluate(const GlyphOptions& options, const CommandLine& line) {
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

}  // namespace

void add_evaluate_command(CLI::App& glyph, CommandLine& line,
                          const std::shared_ptr<GlyphOptions>& options) {
  CLI::App* command =
      add_command(glyph, line, "evaluate",
                  "Measure how often listed pairs find each other, beside blurred pixels",
                  "leafglyph glyph evaluate pairs.txt",
                  [options, &line] { return run_evaluate(*options, line); });
  add_lookalike_options(*command, options);
  command
      ->add_option(
          "PAIRS", options->pairs,
          "A file with two characters, or a group of several, and optionally a weight, per "
          "line; -: stdin")
      ->required();
  add_figure_files(*command, line, options->figures, "the shares");
  add_output(*command, line, "--columns", options->columns, OutputKind::kCsv,
             "Write what the evidence of each candidate is computed from, to fit weights (CSV)");
}

}  // namespace leafglyph
