// What a look-alike search needs before its first query, kept on disk between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/glyph/glyph_comparer.h"
#include "classify/glyph/glyph_images.h"
#include "classify/glyph/glyph_profile.h"
#include "classify/glyph/lookalike_score.h"

namespace leafglyph {

/// The tables of one selection of characters and one profile.
struct LookalikeTables {
  SelectedCharacters selected;
  SearchRows rows;
  LookalikeScore score;
};

/// Names everything that the tables depend on but what is in the fonts: version of their
/// computation, profile, characters, and file, face, size and box of every font. 64 hexadecimal
/// digits.
std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile);

/// $XDG_CACHE_HOME/leafglyph, else ~/.cache/leafglyph; empty when neither is known.
std::filesystem::path default_cache_folder();

/// The tables stored under `key`, when they were made with these fonts; empty when there are none,
/// they are damaged, or the folder is one that other users can write into. A font is the same when
/// its file has the stamp that was noted with the tables (files.h), or else the same SHA-256;
/// the new stamp is then noted. The rows stay in their file, which is mapped.
std::optional<LookalikeTables> load_tables(const std::filesystem::path& folder,
                                           const std::string& key,
                                           std::span<const GlyphSource> fonts);

/// Stores them, replacing older ones, in a folder that only its owner can look into. Returns what
/// hindered it (the folder of another user, no rights, a font that is being changed), or an empty
/// text.
std::string store_tables(const std::filesystem::path& folder, const std::string& key,
                         const LookalikeTables& tables, std::span<const GlyphSource> fonts);

}  // namespace leafglyph
