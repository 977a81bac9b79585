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
#include "classify/glyph/lookalike_measure.h"

namespace leafglyph {

/// The distances of the calibration pairs (lookalike_score.h) that the fonts draw.
struct CalibrationDistances {
  std::u32string characters;  ///< pair after pair
  std::vector<PairDistances> distances;
};

/// The tables of one selection of characters and one profile, for every measure.
struct LookalikeTables {
  SelectedCharacters selected;
  SearchRows rows;
  CalibrationDistances calibration;
};

/// A key for everything on which the tables depend except the contents of the fonts: the version of
/// their computation, the profile, the characters, and file, face, size and box of every font. 64
/// hexadecimal digits.
std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile);

/// $XDG_CACHE_HOME/leafglyph, otherwise ~/.cache/leafglyph; empty if neither variable is set.
std::filesystem::path default_cache_folder();

/// The tables stored under `key` that were made with these fonts. Empty if there are none, they are
/// damaged, or other users can write to the folder. A font counts as unchanged if its file has the
/// stamp stored with the tables (files.h), or else the same SHA-256; the new stamp is then stored.
std::optional<LookalikeTables> load_tables(const std::filesystem::path& folder,
                                           const std::string& key,
                                           std::span<const GlyphSource> fonts);

/// Stores the tables, replacing older ones, in a folder that only its owner can read. Returns an
/// empty text, or the reason if it cannot: the folder belongs to another user, permission is
/// denied, or a font is being changed.
std::string store_tables(const std::filesystem::path& folder, const std::string& key,
                         const LookalikeTables& tables, std::span<const GlyphSource> fonts);

}  // namespace leafglyph
