#include "classify/glyph/glyph_comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "classify/glyph/glyph_edges.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Rows that a group of queries is compared with before the next group, few enough to stay in the
// cache.
constexpr std::size_t kRowsAtATime = 512;
constexpr std::size_t kQueriesAtATime = 8;
// The two directions of each pair: way 2 k runs from the first character of pair k to the second,
// way 2 k + 1 back.
struct Ways {
  std::span<const PlacePair> pairs;

  std::size_t count() const { return 2 * pairs.size(); }
  std::uint32_t from(std::size_t way) const {
    return way % 2 == 0 ? pairs[way / 2].first : pairs[way / 2].second;
  }
  std::uint32_t to(std::size_t way) const { return from(way ^ 1U); }
};

// The ways, grouped by the character they start from: those from character c are order[start[c]] to
// order[start[c + 1] - 1].
struct GroupedWays {
  std::vector<std::size_t> start;
  std::vector<std::size_t> order;
};

GroupedWays group(const Ways& ways, std::size_t characters) {
  GroupedWays grouped{std::vector<std::size_t>(characters + 1),
                      std::vector<std::size_t>(ways.count())};
  for (std::size_t way = 0; way < ways.count(); ++way) ++grouped.start[ways.from(way) + 1];
  std::partial_sum(grouped.start.begin(), grouped.start.end(), grouped.start.begin());
  std::vector<std::size_t> next(grouped.start);
  for (std::size_t way = 0; way < ways.count(); ++way) {
    grouped.order[next[ways.from(way)]++] = way;
  }
  return grouped;
}

}  // namespace

GlyphComparer::GlyphComparer(const std::vector<FontOptions>& fonts, const GlyphProfile& profile)
    : shortlist_order_(profile.shortlist_order), fonts_(open_fonts(fonts)) {
  std::map<int, std::shared_ptr<const GlyphWindows>> by_size;
  for (const FontOptions& font : fonts) {
    auto& windows = by_size[font.pixel_size];
    if (!windows) windows = std::make_shared<GlyphWindows>(profile, font.pixel_size);
    windows_.push_back(windows);
  }
}

const GlyphSource* GlyphComparer::font_without(char32_t character) const {
  const std::lock_guard lock(drawing_);
  const auto font =
      std::ranges::find_if(fonts_, [&](const GlyphSource& one) { return !one.draws(character); });
  return font == fonts_.end() ? nullptr : &*font;
}

GlyphImages GlyphComparer::draw(std::size_t font, std::u32string_view characters) const {
  const std::lock_guard lock(drawing_);
  return draw_glyphs(fonts_[font], characters);
}

std::vector<double> GlyphComparer::distances(std::u32string_view characters,
                                             std::span<const PlacePair> pairs) const {
  return distances(characters.size(), pairs, [&](std::size_t f) { return draw(f, characters); });
}

std::vector<double> GlyphComparer::edge_differences(std::u32string_view characters,
                                                    std::span<const PlacePair> pairs) const {
  std::vector<double> differences(pairs.size());
  const double share = 1.0 / static_cast<double>(fonts_.size());
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphImages images = draw(f, characters);
    std::vector<GlyphEdges> edges(images.count());
    parallel_for({images.count(), /*at_a_time=*/8, /*serial=*/8}, [&](std::size_t glyph) {
      edges[glyph] = glyph_edges(images.ink_of(glyph), images.size);
    });
    parallel_for({pairs.size(), /*at_a_time=*/8, /*serial=*/8}, [&](std::size_t k) {
      differences[k] += share * edge_difference(edges[pairs[k].first], edges[pairs[k].second]);
    });
  }
  return differences;
}

void GlyphComparer::require_comparable(const DrawnGlyph& drawing) const {
  const bool has_font = std::ranges::any_of(
      fonts_, [&](const GlyphSource& font) { return font.size() == drawing.size; });
  if (!has_font || drawing.ink.size() != static_cast<std::size_t>(drawing.size) * drawing.size) {
    throw UsageError(fmt::format(
        "a drawing of {1} x {1} pixels with {0} values matches no font; use {2} pixels per side",
        drawing.ink.size(), drawing.size, fonts_.front().size()));
  }
  if (std::ranges::all_of(drawing.ink, [](std::uint8_t ink) { return ink == 0; })) {
    throw UsageError("nothing is drawn");
  }
}

// The drawing is stored after the characters.
std::vector<double> GlyphComparer::distances(const DrawnGlyph& drawing,
                                             std::u32string_view characters) const {
  require_comparable(drawing);
  const auto last = static_cast<std::uint32_t>(characters.size());
  std::vector<PlacePair> pairs;
  for (std::uint32_t i = 0; i < last; ++i) pairs.push_back({i, last});
  return distances(characters.size() + 1, pairs, [&](std::size_t f) {
    if (fonts_[f].size() != drawing.size) return GlyphImages{};
    GlyphImages images = draw(f, characters);
    images.characters.push_back(U'\0');
    images.ink.insert(images.ink.end(), drawing.ink.begin(), drawing.ink.end());
    return images;
  });
}

std::vector<double> GlyphComparer::distances(std::size_t characters,
                                             std::span<const PlacePair> pairs,
                                             const ImagesOf& images_of) const {
  const Ways ways{pairs};
  const GroupedWays grouped = group(ways, characters);
  std::vector<double> sums(ways.count());
  std::size_t compared = 0;  // number of fonts
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphWindows& windows = *windows_[f];
    const std::size_t dimension = windows.dimension();
    const GlyphImages images = images_of(f);
    if (images.count() == 0) continue;
    ++compared;
    std::vector<float> fixed(images.count() * dimension);
    windows.fixed(images.ink, fixed);
    parallel_for_with_scratch({images.count(), /*at_a_time=*/4, /*serial=*/4}, [&]() -> RoundJob {
      return [&, moved = std::vector<float>(dimension * windows.lanes())](
                 std::size_t character) mutable {
        const std::size_t last = grouped.start[character + 1];
        if (grouped.start[character] == last) return;
        windows.moved(images.ink_of(character), moved);
        for (std::size_t k = grouped.start[character]; k < last; ++k) {
          const std::size_t way = grouped.order[k];
          sums[way] +=
              windows.one_way(moved, std::span(fixed).subspan(ways.to(way) * dimension, dimension));
        }
      };
    });
  }
  std::vector<double> distances(pairs.size());
  const double share = 0.5 / static_cast<double>(compared);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    distances[k] = share * (sums[2 * k] + sums[2 * k + 1]);
  }
  return distances;
}

std::size_t GlyphComparer::row_length() const {
  std::size_t length = 0;
  for (const auto& windows : windows_) {
    length += windows->windows() * windows->length_to(shortlist_order_);
  }
  return length;
}

SearchRows GlyphComparer::rows(std::u32string_view characters) const {
  const std::size_t stride = search_stride(characters.size());
  const auto values = std::make_shared<std::vector<float>>(row_length() * stride);
  std::size_t column = 0;
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphWindows& windows = *windows_[f];
    const GlyphImages images = draw(f, characters);
    std::vector<float> fixed(images.count() * windows.dimension());
    windows.fixed(images.ink, fixed);
    const std::size_t kept = windows.length_to(shortlist_order_);
    for (std::size_t w = 0; w < windows.windows(); ++w) {
      for (std::size_t k = 0; k < kept; ++k, ++column) {
        float* row = values->data() + column * stride;
        const float* first = fixed.data() + w * windows.length() + k;
        for (std::size_t i = 0; i < images.count(); ++i) row[i] = first[i * windows.dimension()];
      }
    }
  }
  return {characters.size(), stride, *values, values};
}

bool GlyphComparer::fits(const SearchRows& rows) const {
  return rows.values.size() == row_length() * rows.stride;
}

std::vector<float> GlyphComparer::search(std::u32string_view queries,
                                         const SearchRows& rows) const {
  return search(queries.size(), rows, [&](std::size_t f) { return draw(f, queries); });
}

std::vector<float> GlyphComparer::search(const DrawnGlyph& drawing, const SearchRows& rows) const {
  require_comparable(drawing);
  return search(1, rows, [&](std::size_t f) {
    return fonts_[f].size() == drawing.size
               ? GlyphImages{std::u32string(1, U'\0'), drawing.size, drawing.ink}
               : GlyphImages{};
  });
}

std::vector<float> GlyphComparer::search(std::size_t queries, const SearchRows& rows,
                                         const ImagesOf& images_of) const {
  const std::size_t blocks = (rows.stride + kRowsAtATime - 1) / kRowsAtATime;
  const std::size_t tiles = (queries + kQueriesAtATime - 1) / kQueriesAtATime;
  std::vector<float> sums(queries * rows.stride);
  const float* values = rows.values.data();
  std::size_t compared = 0;  // windows of fonts
  for (std::size_t f = 0; f < fonts_.size(); ++f) {
    const GlyphWindows& windows = *windows_[f];
    const GlyphImages images = images_of(f);
    std::vector<GlyphWindows::Sought> sought(images.count());
    parallel_for({images.count(), 1, /*serial=*/kQueriesAtATime}, [&](std::size_t q) {
      sought[q] = windows.sought(images.ink_of(q), shortlist_order_);
    });
    const std::size_t rounds = images.count() == 0 ? 0 : blocks * tiles;
    if (rounds > 0) compared += windows.windows();
    parallel_for(rounds, [&](std::size_t round) {
      const std::size_t first = round / tiles * kRowsAtATime;
      const std::size_t length = std::min(kRowsAtATime, rows.stride - first);
      const std::size_t query = round % tiles * kQueriesAtATime;
      for (std::size_t q = query; q < std::min(query + kQueriesAtATime, queries); ++q) {
        windows.search(sought[q], values + first, rows.stride,
                       std::span(sums).subspan(q * rows.stride + first, length));
      }
    });
    values += windows.windows() * windows.length_to(shortlist_order_) * rows.stride;
  }
  const float share = 1.0F / static_cast<float>(compared);
  for (float& sum : sums) sum *= share;
  return sums;
}

}  // namespace leafglyph
