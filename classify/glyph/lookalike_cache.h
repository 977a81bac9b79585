// Tables for a look-alike search, cached on disk between runs.
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

/// A key of everything on which the tables depend except the contents of the fonts: version of
/// their computation, profile, characters, and file, face, size and box of every font. 64
/// hexadecimal digits.
std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile);

/// $XDG_CACHE_HOME/leafglyph, else ~/.cache/leafglyph; empty when neither is known.
std::filesystem::path default_cache_folder();

/// The tables stored under `key` that were made with these fonts; empty if there are none, they are
/// damaged, or other users can write into the folder. A font is unchanged if its file has the stamp
/// that was stored with the tables (files.h), or otherwise the same SHA-256; the new stamp is then
/// stored. The rows stay in their file, which is mapped.
std::optional<LookalikeTables> load_tables(const std::filesystem::path& folder,
                                           const std::string& key,
                                           std::span<const GlyphSource> fonts);

/// Stores them, replacing older ones, in a folder that only its owner can read. Returns the reason
/// if it cannot (the folder of another user, no permission, a font that is being changed), or an
/// empty text.
std::string store_tables(const std::filesystem::path& folder, const std::string& key,
                         const LookalikeTables& tables, std::span<const GlyphSource> fonts);

}  // namespace leafglyph
