#include "classify/character/usual_characters.h"

#include <algorithm>
#include <set>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace {

CharacterSpec spec_for(const std::string& wanted) {
  CharacterSpec usual = load_character_spec("glyph"), all = load_character_spec("glyph_all");
  if (wanted.empty()) return usual;
  const std::vector<std::string> names = character_set_names(wanted);
  if (std::ranges::count(names, "all") > 0) return all;
  const auto characters_of = [](const std::vector<std::string>& sets) {
    const std::u32string characters = character_sets(sets, U"").characters;
    return std::set<char32_t>(characters.begin(), characters.end());
  };
  const auto in_usual = characters_of(usual.characters), in_all = characters_of(all.characters);
  const bool beyond = std::ranges::any_of(characters_of(names), [&](char32_t character) {
    return in_all.contains(character) && !in_usual.contains(character);
  });
  return beyond ? all : usual;
}

}  // namespace

UsualCharacters::UsualCharacters(const std::string& wanted, const std::filesystem::path& caches)
    : spec_(spec_for(wanted)), folder_(caches.empty() ? caches : place_of_model(spec_, caches)) {}

std::optional<CharacterModel> UsualCharacters::kept(const Warn& warn) const {
  if (folder_.empty() || !is_folder(folder_)) return std::nullopt;
  try {
    return load_characters(folder_);
  } catch (const FormatError& error) {
    warn(error.what());
    return std::nullopt;
  }
}

void UsualCharacters::keep(const CharacterModel& model, const Warn& warn) const {
  if (folder_.empty()) return;
  try {
    make_folder(folder_.parent_path());
    save_characters(model, folder_);
  } catch (const Error& error) {
    warn(std::string("the recogniser is not kept: ") + error.what());
  }
}

}  // namespace leafglyph
