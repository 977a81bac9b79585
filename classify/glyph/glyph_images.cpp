#include "classify/glyph/glyph_images.h"

#include <fmt/format.h>

#include "datasets/glyph/gb2312.h"
#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

constexpr std::size_t kNamedAtMost = 10;

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

GlyphImages draw_glyphs(const FontOptions& font, std::u32string_view characters) {
  const GlyphSource source(font);
  GlyphImages images;
  images.characters = characters;
  images.size = source.size();
  images.ink.resize(images.count() * images.pixels_per_glyph());
  if (source.is_bitmap()) {  // copying is quicker than opening the font twice
    draw_range(source, images, 0, images.count());
    return images;
  }
  const auto parts = static_cast<std::size_t>(thread_count());
  parallel_for(parts, [&](std::size_t part) {
    const GlyphSource own(font);
    draw_range(own, images, images.count() * part / parts, images.count() * (part + 1) / parts);
  });
  return images;
}

SelectedCharacters select_characters(const GlyphSelection& selection) {
  if (selection.fonts.empty()) throw UsageError("no font is given; name at least one");
  const Gb2312 table;
  for (const char32_t character : selection.leave_out) table.require(character);
  SelectedCharacters selected;
  for (const char32_t character : table.hanzi()) {
    if (selection.leave_out.find(character) == std::u32string::npos) {
      selected.characters.push_back(character);
    }
  }
  for (const FontOptions& font : selection.fonts) {
    const GlyphSource source(font);
    std::u32string kept;
    std::u32string lacking;
    for (const char32_t character : selected.characters) {
      (source.has(character) ? kept : lacking).push_back(character);
    }
    if (lacking.empty()) continue;
    const std::string report = "font '" + font.file + "' lacks " + list_characters(lacking);
    if (!selection.skip_missing) {
      throw InputError(report + "; use another font, leave them out, or set missing: leave_out");
    }
    selected.missing.push_back(report);
    selected.characters = std::move(kept);
  }
  return selected;
}

}  // namespace leafglyph
