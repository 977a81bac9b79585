#include "classify/serve/glyph_search.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "classify/http/http_message.h"

namespace leafglyph {
namespace {

int units(float share) { return static_cast<int>(std::lround(share * GlyphSearch::kOutlineSide)); }

std::string path_of(const std::vector<GlyphContour>& contours) {
  std::string path;
  for (const GlyphContour& contour : contours) {
    for (std::size_t i = 0; i < contour.size(); ++i) {
      path += fmt::format("{}{} {}", i == 0 ? 'M' : 'L', units(contour[i].x), units(contour[i].y));
    }
    path += 'Z';
  }
  return path;
}

std::vector<std::uint8_t> ink_of(const GlyphSource& source, char32_t character) {
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(source.size()) * source.size());
  source.render(character, ink);
  return ink;
}

FontDrawing draw(const GlyphSource& source, std::u32string_view characters) {
  FontDrawing drawing{source.family(), 0, {}, {}};
  if (source.is_bitmap()) drawing.size = source.size();
  for (const char32_t character : characters) {
    const bool has = source.draws(character);
    if (source.is_bitmap()) {
      drawing.ink.push_back(has ? ink_of(source, character) : std::vector<std::uint8_t>{});
    } else {
      drawing.outlines.push_back(has ? path_of(source.outline(character)) : "");
    }
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
              return std::make_shared<Opened>(Opened{LookalikeIndex(options), Unihan()});
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

bool GlyphSearch::is_frequent(char32_t character, int frequency) const {
  if (frequency == 0) return true;
  const std::optional<CharacterFacts> facts = opened().unihan.facts(character);
  return facts && facts->frequency >= static_cast<std::uint32_t>(frequency);
}

std::vector<FontDrawing> GlyphSearch::drawings(std::u32string_view characters) const {
  std::vector<FontDrawing> drawings;
  for (const GlyphSource& font : index().fonts()) {
    drawings.push_back(draw(GlyphSource(font), characters));  // one GlyphSource per thread
  }
  return drawings;
}

}  // namespace leafglyph
