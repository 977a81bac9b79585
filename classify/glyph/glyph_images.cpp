#include "classify/glyph/glyph_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kNamedAtMost = 10;
constexpr std::size_t kDrawnAtLeast = 256;

std::string list_characters(std::u32string_view characters) {
  std::string list;
  for (std::size_t i = 0; i < characters.size() && i < kNamedAtMost; ++i) {
    list += (i == 0 ? "" : ", ") + describe_character(characters[i]);
  }
  if (characters.size() > kNamedAtMost) {
    list += fmt::format(" and {} more", characters.size() - kNamedAtMost);
  }
  return list;
}

void draw_range(const GlyphSource& source, GlyphImages& images, std::size_t first,
                std::size_t last) {
  const std::size_t pixels = images.pixels_per_glyph();
  for (std::size_t c = first; c < last; ++c) {
    source.render(images.characters[c], std::span(images.ink).subspan(c * pixels, pixels));
  }
}

}  // namespace

std::vector<GlyphSource> open_fonts(std::span<const FontOptions> fonts) {
  if (fonts.empty()) throw UsageError("no font is given; name at least one");
  return {fonts.begin(), fonts.end()};
}

GlyphImages draw_glyphs(const FontOptions& font, std::u32string_view characters) {
  return draw_glyphs(GlyphSource(font), characters);
}

GlyphImages draw_glyphs(const GlyphSource& source, std::u32string_view characters) {
  GlyphImages images;
  images.characters = characters;
  images.size = source.size();
  images.ink.resize(images.count() * images.pixels_per_glyph());
  // Each thread prepares the font, which takes as long as drawing several characters. Bitmaps are
  // only copied.
  const std::size_t parts = source.is_bitmap()
                                ? 1
                                : std::clamp<std::size_t>(images.count() / kDrawnAtLeast, 1,
                                                          static_cast<std::size_t>(thread_count()));
  if (parts == 1) {
    draw_range(source, images, 0, images.count());
    return images;
  }
  parallel_for(parts, [&](std::size_t part) {
    draw_range(GlyphSource(source), images, images.count() * part / parts,
               images.count() * (part + 1) / parts);
  });
  return images;
}

std::vector<FontOptions> default_lookalike_fonts(const std::vector<std::string>& characters) {
  const auto font = [](const char* file) {
    FontOptions options;
    options.file = std::string("/usr/share/fonts/truetype/") + file;
    return options;
  };
  const FontOptions hei = font("wqy/wqy-microhei.ttc");
  if (characters == GlyphSelection{}.characters) {
    return {FontOptions{}, font("arphic-gbsn00lp/gbsn00lp.ttf"),
            font("arphic-gkai00mp/gkai00mp.ttf"), hei};
  }
  return {font("arphic/uming.ttc"), font("arphic/ukai.ttc"), font("wqy/wqy-zenhei.ttc"), hei};
}

SelectedCharacters select_characters(const GlyphSelection& selection,
                                     std::span<const GlyphSource> fonts) {
  const CharacterSet set = character_sets(selection.characters, selection.leave_out);
  SelectedCharacters selected{set.characters, {}};
  std::u32string missing;
  std::string without;  // the fonts that lack some
  for (const GlyphSource& source : fonts) {
    std::u32string kept;
    std::u32string lacking;
    for (const char32_t character : selected.characters) {
      // A character may have no ink.
      const bool drawn =
          set.open || selection.skip_missing ? source.draws(character) : source.has(character);
      (drawn ? kept : lacking).push_back(character);
    }
    if (lacking.empty()) continue;
    const std::string& file = source.options().file;
    if (!selection.skip_missing && !set.open) {
      throw InputError("font '" + file + "' lacks " + list_characters(lacking) +
                       "; use another font, leave them out, or set missing: leave_out");
    }
    missing += lacking;
    without += (without.empty() ? "font '" : "', '") + file;
    selected.characters = std::move(kept);
  }
  if (!missing.empty() && !set.open) {
    selected.missing.push_back(list_characters(missing) + " left out: not drawn by " + without +
                               "'");
  }
  return selected;
}

}  // namespace leafglyph
