// What the commands on characters in pictures share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "classify/character/character_training.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"

namespace leafglyph {

/// What is learnt: folders, fonts, characters, configuration.
struct CharacterTrainOptions {
  std::vector<std::string> folders, fonts;
  std::string characters;
  ConfigChoice config{"glyph", {}};
  std::string model;
};
void add_taught(CLI::App& command, CharacterTrainOptions& options);

/// The configuration, whose fonts those of the command line replace.
CharacterSpec spec_of(const CharacterTrainOptions& options);

/// train_characters with progress and interruption.
TrainedCharacters trained(const CommandLine& line, const CharacterSpec& spec,
                          std::span<const CharacterPicture> pictures = {});

/// The recogniser in a folder; "": UsualCharacters(wanted), made on first use.
CharacterModel recogniser_model(const CommandLine& line, const std::string& folder,
                                const std::string& wanted);

/// Adds `glyph recognise`.
void add_recognise_command(CLI::App& glyph, CommandLine& line);
/// Adds `glyph train` and `info`.
void add_character_model_commands(CLI::App& glyph, CommandLine& line);
/// Adds `glyph check` and `sweep`.
void add_character_study_commands(CLI::App& glyph, CommandLine& line);

}  // namespace leafglyph
