#include "classify/character/character_spec.h"

#include "classify/character/character_drawing.h"
#include "classify/glyph/glyph_config.h"
#include "classify/support/config.h"
#include "features/base/errors.h"
#include "features/base/keys.h"

namespace leafglyph {

void declare(Keys& keys, TrainingFont& font) {
  declare(keys, font.font);
  keys.key({"style", &font.style, "Fonts of one style are judged by those of the others"});
}

void declare(Keys& keys, CharacterSpec& spec) {
  keys.each("fonts", spec.fonts);
  keys.key({"characters", &spec.characters, "Names of sets of characters"});
  keys.number("copies", spec.copies, {0, 100}, "Damaged copies of each drawing");
  keys.seed(spec.seed, "Draws the damage");
  keys.group("features", [&] { declare(keys, spec.features); });
  keys.group("classifier", [&] { declare(keys, spec.classifier); });
}

CharacterSpec load_character_spec(const std::filesystem::path& file,
                                  const std::vector<std::string>& settings) {
  CharacterSpec spec;
  read_keys(Config::load(file, settings), spec);
  if (spec.fonts.empty()) throw UsageError(file.string() + ": lists no font; add at least one");
  return spec;
}

CharacterSpec taught_by(CharacterSpec spec, const std::vector<std::string>& fonts, bool pictures) {
  if (fonts.empty() && !pictures) return spec;
  spec.fonts.clear();
  for (const std::string& file : fonts) {
    TrainingFont& font = spec.fonts.emplace_back();
    font.font.file = file;
    font.font.pixel_size = kDrawnSide;
    font.style = GlyphSource(font.font).family();
  }
  return spec;
}

bool configures_recogniser(const Config& config) { return config.has("copies"); }

}  // namespace leafglyph
