// What the commands `leafglyph glyph ...` share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalikes.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"

namespace leafglyph {

struct GlyphOptions {
  ConfigChoice config;
  FigureFiles figures;
  int closest = -1;
  std::vector<std::string> characters;
  std::size_t top = 10;
  std::string draw = "auto";
  std::string sheet;
  std::string pairs;
  std::string out;
  std::string characters_set;
  bool forms = false;
  bool no_cache = false;
  std::string pinyin;
  std::string among;
  int min_frequency = 0;
  double min_score = 0.0;
  std::string measure;
  std::string part = "complex";
  std::string columns;
};

/// The chosen configuration, with the characters (`characters_set`) of the options if they are
/// given.
GlyphConfig configuration(const GlyphOptions& options);

/// The description of --config for the glyph commands.
inline constexpr const char* kGlyphConfigHelp =
    "Configuration: a name (gb2312) or a YAML file; default: built-in settings";

/// The chosen configuration, or the defaults if none is chosen, with the settings applied.
GlyphConfig chosen_config(const ConfigChoice& choice);

/// All bytes of stdin. Throws InputError for more than `most`.
std::string read_stdin(std::size_t most);

/// The text of a file, or of stdin for "-".
std::string read_text_or_stdin(const std::string& file);

/// The index of the configuration; warns of characters that are left out.
LookalikeIndex open_index(const GlyphConfig& config, const GlyphOptions& options);

/// Whether a character is one of those that `index` compares.
bool is_compared(const auto& index, char32_t character) {
  return index.selected().characters.find(character) != std::u32string::npos;
}

/// The pairs of compared characters in the file `options.pairs`, of which there must be at least
/// one. Reports every other line; `code` then says that some inputs failed.
std::vector<ListedPair> compared_pairs(const LookalikeIndex& index, const GlyphOptions& options,
                                       ExitCode& code);

/// Adds the options that choose characters, configuration and measure.
void add_lookalike_options(CLI::App& command, const std::shared_ptr<GlyphOptions>& options);

/// Adds `glyph evaluate`.
void add_evaluate_command(CLI::App& glyph, CommandLine& line,
                          const std::shared_ptr<GlyphOptions>& options);

/// Adds `glyph similar`, `distance`, `export`, `explore`, `groups` and `confuse`.
void add_lookalike_commands(CLI::App& glyph, CommandLine& line,
                            const std::shared_ptr<GlyphOptions>& options);

}  // namespace leafglyph
