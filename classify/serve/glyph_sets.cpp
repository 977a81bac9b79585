#include "classify/serve/glyph_sets.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

/// A set of the page, and the list of sets (character_set_names) that it consists of.
struct OfferedSet {
  std::string_view name, of;
};
constexpr std::array<OfferedSet, 15> kOffered = {{{"gb2312", "gb2312"},
                                                  {"common", "common"},
                                                  {"hsk1", "hsk1"},
                                                  {"hsk2", "hsk2"},
                                                  {"hsk3", "hsk3"},
                                                  {"hsk4", "hsk4"},
                                                  {"hsk5", "hsk5"},
                                                  {"hsk6", "hsk6"},
                                                  {"hsk9", "hsk9"},
                                                  {"general", "general"},
                                                  {"big5", "big5"},
                                                  {"jis", "jis"},
                                                  {"ksx", "ksx"},
                                                  {"kana", "hiragana, katakana"},
                                                  {"cjk", "U+4E00..U+9FFF"}}};

// Found at the first question and kept: it takes as long as several answers. Safe from many
// threads.
const std::u32string& characters_of(const OfferedSet& set) {
  static std::mutex mutex;
  static std::map<std::string_view, std::u32string> known;
  const std::lock_guard lock(mutex);
  const auto at = known.find(set.name);
  if (at != known.end()) return at->second;
  return known[set.name] = character_sets(character_set_names(set.of), U"").characters;
}

const OfferedSet& offered_set(const std::string& name) {
  const auto found = std::ranges::find(kOffered, name, &OfferedSet::name);
  if (found == kOffered.end()) throw UsageError("the page has no set called '" + name + "'");
  return *found;
}

}  // namespace

GlyphSets::GlyphSets(GlyphConfig config, std::filesystem::path cache_folder)
    : config_(std::move(config)), cache_folder_(std::move(cache_folder)) {
  searches_.push_back(std::make_unique<GlyphSearch>(config_, cache_folder_));
  opened_[""] = {searches_.front().get()};
}

std::vector<std::string> GlyphSets::names() {
  std::vector<std::string> names;
  names.reserve(kOffered.size());
  for (const OfferedSet& set : kOffered) names.emplace_back(set.name);
  return names;
}

std::string GlyphSets::set_with(char32_t character) {
  for (const OfferedSet& set : kOffered) {
    if (characters_of(set).find(character) != std::u32string::npos) return std::string(set.name);
  }
  return "";
}

const GlyphSets::Search* GlyphSets::found(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto set = opened_.find(name);
  return set == opened_.end() ? nullptr : &set->second;
}

const GlyphSets::Search& GlyphSets::search(const std::string& name) {
  if (const Search* set = found(name)) return *set;
  const std::lock_guard opening(opening_);
  if (const Search* set = found(name)) return *set;
  Search set = opened(name);
  const std::lock_guard lock(mutex_);
  return opened_[name] = std::move(set);
}

GlyphSets::Search GlyphSets::opened(const std::string& name) {
  const OfferedSet& set = offered_set(name);
  const std::u32string& characters = characters_of(set);
  const std::u32string& whole = searches_.front()->index().selected().characters;
  const std::unordered_set<char32_t> all(whole.begin(), whole.end());
  const bool is_part =
      std::ranges::all_of(characters, [&](char32_t character) { return all.contains(character); });
  if (is_part) return {searches_.front().get(), {characters.begin(), characters.end()}};
  GlyphConfig config = config_;
  const bool own_fonts =
      config.lookalike_fonts != default_lookalike_fonts(config.selection.characters);
  config.selection.characters = character_set_names(set.of);
  if (!own_fonts) config.lookalike_fonts = default_lookalike_fonts(config.selection.characters);
  searches_.push_back(std::make_unique<GlyphSearch>(config, cache_folder_));
  return {searches_.back().get()};
}

}  // namespace leafglyph
