// The YAML configuration of everything about characters.
#pragma once

#include <filesystem>

#include "classify/glyph/glyph_images.h"
#include "classify/glyph/glyph_profile.h"
#include "classify/glyph/glyph_statistics.h"

namespace leafglyph {

class Config;

/// What to do with a character that a font lacks.
enum class MissingCharacters {
  kAuto,     ///< left out in a look-alike search with the default fonts of the set;
             ///< otherwise an error
  kError,    ///< nothing is computed
  kLeaveOut  ///< it is left out, with a warning
};

template <>
inline constexpr Names<MissingCharacters, 3> kNamesOf<MissingCharacters> = {
    "missing",
    {{{MissingCharacters::kAuto, "auto"},
      {MissingCharacters::kError, "error"},
      {MissingCharacters::kLeaveOut, "leave_out"}}}};

/// configs/gb2312.yaml lists every key with its default. If the fonts of look-alikes are missing,
/// look-alikes use `fonts`, or the default fonts of the characters if these are missing, too.
struct GlyphConfig {
  GlyphSelection selection;
  GlyphStatisticsOptions statistics;
  GlyphProfile lookalikes;
  MissingCharacters missing = MissingCharacters::kAuto;
  std::vector<FontOptions> lookalike_fonts = default_lookalike_fonts(selection.characters);

  /// The same characters in other fonts.
  GlyphSelection lookalike_selection() const {
    const bool own_fonts = lookalike_fonts != default_lookalike_fonts(selection.characters);
    const bool skip = missing == MissingCharacters::kLeaveOut ||
                      (missing == MissingCharacters::kAuto && !own_fonts);
    return {lookalike_fonts, selection.characters, selection.leave_out, skip};
  }

  friend bool operator==(const GlyphConfig&, const GlyphConfig&) = default;
};

/// The names of the sets in a list such as "gb2312, U+3041..U+3096".
std::vector<std::string> character_set_names(std::string_view list);

/// The keys of a font.
void declare(Keys& keys, FontOptions& font);
/// Every key of a configuration of characters.
void declare(Keys& keys, GlyphConfig& config);

/// Reads a configuration by file or name. A relative font file is relative to the configuration's
/// folder. Settings such as "statistics.order=12" take precedence over the file. Throws what Config
/// throws: UsageError with file, line and key for an unknown key, a wrong type or a value out of
/// range, InputError when the file cannot be read.
GlyphConfig load_glyph_config(const std::filesystem::path& path,
                              const std::vector<std::string>& settings = {});

/// The same from text; `name` stands for the file in messages, and relative font files stay as
/// they are.
GlyphConfig parse_glyph_config(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings = {});

/// Whether a configuration has a key that only those of characters have.
bool configures_characters(const Config& config);

}  // namespace leafglyph
