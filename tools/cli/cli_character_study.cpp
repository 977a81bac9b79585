// `leafglyph glyph check` and `sweep`: what labelled pictures and orders of moments are worth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "classify/character_report/character_report.h"
#include "classify/leaf/stage_time.h"
#include "classify/leaf_report/report.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/character_options.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct CharacterCheckOptions {
  CharacterTrainOptions data;
  std::string json, report;
};

ExitCode check_set(const CommandLine& line, const CharacterCheckOptions& options) {
  const CharacterSpec spec = spec_of(options.data);
  const CharacterPictures found = load_character_folders(options.data.folders);
  show_warnings(line, found.warnings);
  Progress progress("pictures", steps_to_check(spec, found.pictures), line.common.progress_style());
  const CharacterCheck check = check_characters(spec, found.pictures, [&](std::size_t count) {
    progress.advance(count);
    throw_if_interrupted();
  });
  std::vector<std::string> names;
  for (const std::string& folder : options.data.folders) names.push_back(last_name(folder));
  const PageValues document = character_check_document(
      check, found.pictures,
      fmt::format("{} from {}", counted(found.pictures.size(), "picture", "pictures"),
                  fmt::join(names, ", ")));
  line.text() << character_check_text(document);
  write_output(options.json, json_text(document) + "\n");
  write_output(options.report, character_check_page(document, check));
  return show_errors(check.tested.errors);
}

struct CharacterSweepOptions {
  CharacterTrainOptions data;
  std::vector<int> orders = {5, 6, 8, 10, 12};
  std::vector<std::string> families = {"zernike", "pseudo-zernike"};
  FigureFiles figures;
  std::string plot;
};

ExitCode sweep_orders(const CommandLine& line, const CharacterSweepOptions& options) {
  CharacterSpec spec = spec_of(options.data);
  const CharacterPictures found = load_character_folders(options.data.folders);
  show_warnings(line, found.warnings);
  Progress progress("characters",
                    options.orders.size() * options.families.size() *
                        rows_to_train(spec, found.pictures.size(), count_styles(found.pictures)),
                    line.common.progress_style());
  std::vector<PageValues> sweeps;
  for (const std::string& family : options.families) {
    spec.features.family = from_name(kCharacterFamilies, family);
    const Stopwatch watch;
    const CharacterSweep sweep =
        sweep_characters(spec, found.pictures, options.orders, [&](std::size_t count) {
          progress.advance(count);
          throw_if_interrupted();
        });
    sweeps.push_back(character_sweep_document(sweep, watch.seconds()));
  }
  line.text() << sweep_text(sweeps) << std::flush;
  write_figures(options.figures, sweep_table(sweeps));
  if (!options.plot.empty()) {
    write_output(options.plot, sweep_svg(sweeps, "Characters identified by order of the moments"));
  }
  return ExitCode::kDone;
}

void add_character_check(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterCheckOptions>();
  CLI::App* command =
      add_command(glyph, line, "check", "Find problems in labelled pictures, such as wrong folders",
                  "leafglyph glyph check seals --report check.html",
                  [&line, options] { return check_set(line, *options); });
  add_taught(*command, options->data);
  command->get_option("FOLDER")->required();
  add_output(*command, line, "--report", options->report, OutputKind::kHtml,
             "Write a self-contained HTML page with the pictures to look at");
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write everything as JSON; -: to stdout, instead of text");
}

void add_character_sweep(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterSweepOptions>();
  CLI::App* command =
      add_command(glyph, line, "sweep",
                  "Measure how well characters are identified at each order of the moments",
                  "leafglyph glyph sweep --characters hsk3 --orders 5,8,10 --plot sweep.svg",
                  [&line, options] { return sweep_orders(line, *options); });
  add_taught(*command, options->data);
  add_whole_numbers(*command, "--orders", options->orders, 0, kMaxFeatureOrder,
                    "Orders of the moments of the finest edges, such as 6,8,10 or 5:12");
  takes_list(command->add_option("--families", options->families,
                                 "Families of moments: zernike, pseudo-zernike"))
      ->check(one_of({"zernike", "pseudo-zernike"}));
  add_figure_files(*command, line, options->figures, "the figures");
  add_output(*command, line, "--plot", options->plot, OutputKind::kSvg, "Write a plot as SVG");
}

}  // namespace

void add_character_study_commands(CLI::App& glyph, CommandLine& line) {
  add_character_check(glyph, line);
  add_character_sweep(glyph, line);
}

}  // namespace leafglyph
