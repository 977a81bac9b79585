// `leafglyph glyph train` and `info`: recognisers of characters.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "classify/character_report/character_report.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/character_options.h"
#include "tools/cli/leaf_options.h"

namespace leafglyph {
namespace {

ExitCode train_recogniser(const CommandLine& line, const CharacterTrainOptions& options) {
  const CharacterSpec spec = spec_of(options);
  const CharacterPictures found = load_character_folders(options.folders);
  show_warnings(line, found.warnings);
  const TrainedCharacters trained_now = trained(line, spec, found.pictures);
  const CharacterModel& model = trained_now.model;
  const std::uint64_t bytes = save_characters(model, options.model);
  line.text() << fmt::format("{} in {}, {:.1f} MB: {}\n",
                             counted(model.characters.size(), "character", "characters"),
                             counted(model.styles.size(), "style", "styles"),
                             1e-6 * static_cast<double>(bytes), options.model);
  if (!model.history.judged.by_others) {
    log_warning(
        "no style can be judged by others; how sure predictions are is measured on damaged copies, "
        "and holds for pictures of these styles only");
  }
  return show_errors(trained_now.errors);
}

struct CharacterInfoOptions {
  std::string model, json;
};

ExitCode character_info(const CommandLine& line, const CharacterInfoOptions& options) {
  const PageValues document = character_model_document(load_characters(options.model));
  line.text() << character_model_text(document);
  write_output(options.json, json_text(document) + "\n");
  return ExitCode::kDone;
}

void add_character_train(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterTrainOptions>();
  CLI::App* command =
      add_command(glyph, line, "train", "Train a recogniser of characters on pictures and fonts",
                  "leafglyph glyph train seals --model seals.model",
                  [&line, options] { return train_recogniser(line, *options); });
  add_taught(*command, *options);
  add_output(*command, line, "--model", options->model, OutputKind::kCharacters,
             "Folder for the model; replaces an older one")
      ->required();
}

void add_character_info(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterInfoOptions>();
  CLI::App* command = add_command(glyph, line, "info",
                                  "Describe a recogniser: date, characters, styles, accuracy, size",
                                  "leafglyph glyph info seals.model",
                                  [&line, options] { return character_info(line, *options); });
  command->add_option("model", options->model, "Folder written by glyph train")->required();
  add_output(
      *command, line, "--json", options->json, OutputKind::kJson,
      "Write JSON, with all characters and the configuration; -: to stdout, instead of text");
}

}  // namespace

void add_character_model_commands(CLI::App& glyph, CommandLine& line) {
  add_character_train(glyph, line);
  add_character_info(glyph, line);
}

}  // namespace leafglyph
