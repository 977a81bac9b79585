// What a look-alike search needs before its first query, kept on disk between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classify/glyph/glyph_images.h"
#include "classify/glyph/glyph_profile.h"
#include "classify/glyph/lookalike_score.h"

namespace leafglyph {

/// The tables of one selection of characters and one profile.
struct LookalikeTables {
  SelectedCharacters selected;
  std::size_t dimension = 0;
  std::vector<float> rows;  ///< component c of character i is rows[i * dimension + c]
  LookalikeScore score;
};

/// Names everything that the tables depend on: version of their computation, profile, and content,
/// face, size and box of every font. 64 hexadecimal digits. Throws InputError when a font file
/// cannot be read.
std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile);

/// $XDG_CACHE_HOME/leafglyph, else ~/.cache/leafglyph; empty when neither is known.
std::filesystem::path default_cache_folder();

/// The tables stored under `key`; empty when there are none, they are damaged, or the folder is one
/// that other users can write into.
std::optional<LookalikeTables> load_tables(const std::filesystem::path& folder,
                                           const std::string& key);

/// Stores them, replacing older ones, in a folder that only its owner can look into. Returns what
/// hindered it (the folder of another user, no rights), or an empty text.
std::string store_tables(const std::filesystem::path& folder, const std::string& key,
                         const LookalikeTables& tables);

}  // namespace leafglyph
