#include "tools/cli/glyph_options.h"

#include <iostream>
#include <iterator>

#include "features/base/files.h"

namespace leafglyph {

GlyphConfig chosen_config(const ConfigChoice& choice) {
  return choice.file.empty() ? parse_glyph_config("", "--set", choice.settings)
                             : load_glyph_config(choice.file, choice.settings);
}

GlyphConfig configuration(const GlyphOptions& options) {
  GlyphConfig config = chosen_config(options.config);
  if (options.characters_set.empty()) return config;
  const auto characters = character_set_names(options.characters_set);
  if (config.lookalike_fonts == default_lookalike_fonts(config.selection.characters)) {
    config.lookalike_fonts = default_lookalike_fonts(characters);
  }
  config.selection.characters = characters;
  return config;
}

std::string read_text_or_stdin(const std::string& file) {
  if (file != "-") return read_text_file(file);
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  return text;
}

}  // namespace leafglyph
