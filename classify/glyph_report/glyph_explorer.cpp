#include "classify/glyph_report/glyph_explorer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "classify/glyph/glyph_windows.h"
#include "classify/glyph_report/glyph_explorer_assets.h"
#include "classify/page/html_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/html_text.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unihan.h"
#include "features/base/errors.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

constexpr std::size_t kMostCharacters = 65536;  // numbered by two bytes
constexpr double kScoreSteps = 10000.0;         // scores are stored with four decimals

void put_number(std::string& bytes, std::size_t number) {
  bytes.push_back(static_cast<char>(number & 0xFF));
  bytes.push_back(static_cast<char>(number >> 8));
}

// One bit a pixel, rows from the top, the first pixel in the highest bit; each glyph starts a byte.
std::string packed_glyphs(const GlyphImages& images) {
  std::string bytes;
  for (std::size_t glyph = 0; glyph < images.count(); ++glyph) {
    const std::size_t pixels = images.pixels_per_glyph();
    const std::uint8_t* ink = images.ink.data() + glyph * pixels;
    for (std::size_t first = 0; first < pixels; first += 8) {
      unsigned byte = 0;
      for (std::size_t p = first; p < first + 8; ++p) {
        byte = (byte << 1) | (p < pixels && ink[p] >= 128 ? 1U : 0U);
      }
      bytes.push_back(static_cast<char>(byte));
    }
  }
  return bytes;
}

// Readings, strokes, radical, frequency and meaning of each character.
nlohmann::json facts_json(std::u32string_view characters) {
  const Unihan unihan;
  auto json = nlohmann::json::array();
  for (const char32_t character : characters) {
    const CharacterFacts facts = unihan.facts(character).value_or(CharacterFacts{});
    json.push_back({facts.pinyin, facts.strokes, facts.radical, facts.frequency, facts.meaning});
  }
  return json;
}

nlohmann::json windows_json(const GlyphWindows::Layout& layout) {
  return {{"size", layout.window_size},
          {"corners", layout.corners},
          {"moves", layout.moves},
          {"basis", std::vector<float>(layout.basis.begin(), layout.basis.end())},
          {"saturation", layout.saturation}};
}

// The page's data: two-byte numbers are little endian.
std::string data_json(const std::vector<LookalikeList>& lists, const FontOptions& font,
                      const GlyphProfile& profile) {
  if (lists.size() > kMostCharacters) {
    throw UsageError(fmt::format("{} characters for the explorer, which takes {}; name fewer",
                                 lists.size(), kMostCharacters));
  }
  const Gb2312 table;
  std::u32string characters;
  std::unordered_map<char32_t, std::size_t> places;
  for (const LookalikeList& list : lists) {
    places.emplace(list.query, characters.size());
    characters.push_back(list.query);
  }
  std::string codes;
  std::string neighbours;
  std::string scores;
  for (const LookalikeList& list : lists) {
    put_number(codes, table.code(list.query).value_or(0));
    for (const Lookalike& answer : list.answers) {
      const auto place = places.find(answer.character);
      if (place == places.end() || list.answers.size() != lists.front().answers.size()) {
        throw UsageError("the explorer needs equally many look-alikes of every character; " +
                         describe_character(list.query) + " has others");
      }
      put_number(neighbours, place->second);
      put_number(scores, static_cast<std::size_t>(std::lround(answer.score * kScoreSteps)));
    }
  }
  const GlyphImages images = draw_glyphs(font, characters);
  nlohmann::json json;
  json["size"] = images.size;
  json["answers"] = lists.front().answers.size();
  json["characters"] = encode_utf8(characters);
  json["codes"] = base64(codes);
  json["glyphs"] = base64(packed_glyphs(images));
  json["neighbours"] = base64(neighbours);
  json["scores"] = base64(scores);
  json["facts"] = facts_json(characters);
  json["windows"] = windows_json(GlyphWindows(profile, images.size).layout());
  return json.dump();
}

}  // namespace

std::string explorer_page(const std::vector<LookalikeList>& lists, const FontOptions& font,
                          const GlyphProfile& profile) {
  if (lists.empty()) throw UsageError("the explorer needs at least one character");
  Page page;
  page.title = "Look-alike characters";
  page.eyebrow = "LeafGlyph explorer";
  page.lead =
      "Type, draw or click a character; beside it stand the ones it is most easily mistaken for.";
  page.sections.push_back({"similar", "Look-alikes", "Look-alikes",
                           "\n" + std::string(explorer_body()) +
                               "<script type=\"application/json\" id=\"data\">" +
                               data_json(lists, font, profile) + "</script>\n"});
  page.sections.push_back(
      {"browse", "Browse", "All characters", "\n" + std::string(explorer_table())});
  page.sections.push_back({"about", "About the score", "What the score means",
                           "\n" + std::string(explorer_about()) + "<style>\n" +
                               std::string(characters_style()) + std::string(explorer_style()) +
                               "</style>\n<script>\n" + std::string(explorer_windows()) +
                               std::string(explorer_script()) + std::string(drawing_pad_script()) +
                               std::string(explorer_pad()) + "</script>\n"});
  return html_page(page);
}

}  // namespace leafglyph
