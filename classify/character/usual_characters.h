// The recogniser that comes with LeafGlyph: made from the fonts of a configuration on first use,
// and kept.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "classify/character/character_model.h"
#include "classify/glyph/lookalike_cache.h"

namespace leafglyph {

class UsualCharacters {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// The recogniser of the configuration "glyph", or of "glyph_all" if the sets `wanted` (names
  /// with commas, "all" among them) have characters that only this one has. It is kept in a folder
  /// of `caches`; empty: nowhere. Throws UsageError for a set that there is not, InputError when a
  /// font cannot be read.
  explicit UsualCharacters(const std::string& wanted = "",
                           const std::filesystem::path& caches = default_cache_folder());

  const CharacterSpec& spec() const { return spec_; }
  const std::filesystem::path& folder() const { return folder_; }  ///< empty: none

  /// The kept one, if there is one. `warn` hears of one that is damaged.
  std::optional<CharacterModel> kept(const Warn& warn) const;
  /// Keeps a model of spec(). `warn` hears why it is not kept.
  void keep(const CharacterModel& model, const Warn& warn) const;

 private:
  CharacterSpec spec_;
  std::filesystem::path folder_;
};

}  // namespace leafglyph
