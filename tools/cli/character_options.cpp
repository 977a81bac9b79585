#include "tools/cli/character_options.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "classify/character/usual_characters.h"
#include "classify/glyph/glyph_config.h"
#include "datasets/glyph/character_set.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {

CharacterSpec spec_of(const CharacterTrainOptions& options) {
  CharacterSpec spec = load_character_spec(options.config.file, options.config.settings);
  if (!options.characters.empty()) spec.characters = character_set_names(options.characters);
  return taught_by(std::move(spec), options.fonts, !options.folders.empty());
}

void add_taught(CLI::App& command, CharacterTrainOptions& options) {
  command.add_option("FOLDER", options.folders,
                     "Folders of pictures, FOLDER/CHARACTER/*.png or "
                     "FOLDER/STYLE/CHARACTER/*.png, CHARACTER such as 永 or U+6C38; they are "
                     "learnt in place of the configuration's fonts");
  takes_one_each(command.add_option(
      "--font", options.fonts,
      "A font file to learn in place of the configuration's, beside the folders; repeatable"));
  command.add_option("--characters", options.characters,
                     std::string("Characters to learn from fonts: ") + kCharacterSetNames +
                         "; several with commas; default: those of the configuration");
  add_config_options(command, options.config, "Configuration: a name or a YAML file")
      ->capture_default_str();
}

TrainedCharacters trained(const CommandLine& line, const CharacterSpec& spec,
                          std::span<const CharacterPicture> pictures) {
  Progress progress("characters", rows_to_train(spec, pictures.size(), count_styles(pictures)),
                    line.common.progress_style());
  return train_characters(spec, pictures, [&](std::size_t count) {
    progress.advance(count);
    throw_if_interrupted();
  });
}

CharacterModel recogniser_model(const CommandLine& line, const std::string& folder,
                                const std::string& wanted) {
  if (!folder.empty()) return load_characters(folder);
  const UsualCharacters usual(wanted);
  if (std::optional<CharacterModel> kept = usual.kept(log_warning)) return *std::move(kept);
  log_note("the recogniser is made once, which takes minutes, and kept in " +
           usual.folder().string());
  CharacterModel model = trained(line, usual.spec()).model;
  usual.keep(model, log_warning);
  return model;
}

}  // namespace leafglyph
