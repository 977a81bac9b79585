#include "classify/serve/glyph_search.h"

#include <chrono>
#include <utility>

#include "classify/serve/http_message.h"

namespace leafglyph {
namespace {

GlyphSource drawing_font(FontOptions font) {
  GlyphSource source(font);
  if (source.is_bitmap()) return source;
  font.pixel_size = GlyphSearch::kDrawingSide;
  return GlyphSource(font);
}

FontDrawing draw(const GlyphSource& source, std::u32string_view characters) {
  FontDrawing drawing{source.family(), source.size(), {}};
  const auto pixels = static_cast<std::size_t>(source.size()) * source.size();
  for (const char32_t character : characters) {
    std::vector<std::uint8_t>& ink = drawing.ink.emplace_back();
    if (!source.has(character)) continue;
    ink.resize(pixels);
    source.render(character, ink);
  }
  return drawing;
}

}  // namespace

GlyphSearch::GlyphSearch(const GlyphConfig& config, std::filesystem::path cache_folder) {
  LookalikeOptions options;
  options.selection = config.lookalike_selection();
  options.profile = config.lookalikes;
  options.cache_folder = std::move(cache_folder);
  opened_ = std::async(std::launch::async, [options]() -> std::shared_ptr<const Opened> {
              std::vector<GlyphSource> fonts;
              for (const FontOptions& font : options.selection.fonts) {
                fonts.push_back(drawing_font(font));
              }
              return std::make_shared<Opened>(
                  Opened{LookalikeIndex(options), std::move(fonts), Unihan()});
            }).share();
}

GlyphSearch::~GlyphSearch() = default;

const GlyphSearch::Opened& GlyphSearch::opened() const {
  if (opened_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) throw BusyError();
  return *opened_.get();
}

const LookalikeIndex& GlyphSearch::index() const { return opened().index; }

std::u32string GlyphSearch::with_pinyin(std::string_view pinyin) const {
  return opened().unihan.with_pinyin(pinyin, index().selected().characters);
}

std::vector<FontDrawing> GlyphSearch::drawings(std::u32string_view characters) const {
  std::vector<FontDrawing> drawings;
  for (const GlyphSource& font : opened().fonts) {
    drawings.push_back(draw(GlyphSource(font), characters));  // one GlyphSource per thread
  }
  return drawings;
}

}  // namespace leafglyph
