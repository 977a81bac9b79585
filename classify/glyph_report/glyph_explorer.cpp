#include "classify/glyph_report/glyph_explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <unordered_map>
#include <vector>

#include "classify/glyph/glyph_windows.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph_report/glyph_explorer_assets.h"
#include "classify/page/html_page.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unihan.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr double kScoreSteps = 10000.0;  // scores are stored with four decimals
constexpr double kGroupScore = 0.8;      // least score of any two characters of a group

void put_number(std::string& bytes, std::size_t number) {
  bytes.push_back(static_cast<char>(number & 0xFF));
  bytes.push_back(static_cast<char>(number >> 8));
}

// One bit per pixel, rows from the top, the first pixel in the highest bit. Each glyph starts at a
// byte boundary.
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

// Readings, strokes, radical, frequency, meaning and usual readings of each character.
nlohmann::json facts_json(std::u32string_view characters) {
  const Unihan unihan;
  auto json = nlohmann::json::array();
  for (const char32_t character : characters) {
    const CharacterFacts facts = unihan.facts(character).value_or(CharacterFacts{});
    json.push_back(
        {facts.pinyin, facts.strokes, facts.radical, facts.frequency, facts.meaning, facts.usual});
  }
  return json;
}

nlohmann::json windows_json(const GlyphProfile& profile, int size) {
  const GlyphWindows windows(profile, size);
  const GlyphWindows::Layout layout = windows.layout();
  return {{"size", layout.window_size},
          {"corners", layout.corners},
          {"moves", layout.moves},
          {"basis", std::vector<float>(layout.basis.begin(), layout.basis.end())},
          {"saturation", layout.saturation},
          {"kept", windows.length_to(profile.shortlist_order)}};
}

nlohmann::json group_list(std::u32string_view characters, const std::vector<LookalikeList>& lists) {
  std::vector<std::vector<Lookalike>> answers;
  answers.reserve(lists.size());
  for (const LookalikeList& list : lists) answers.push_back(list.answers);
  auto json = nlohmann::json::array();
  for (const LookalikeGroup& group : lookalike_groups(characters, answers, kGroupScore)) {
    json.push_back({encode_utf8(group.characters), group.score});
  }
  return json;
}

nlohmann::json outlines_json(const std::vector<FontOptions>& fonts,
                             std::u32string_view characters) {
  auto json = nlohmann::json::array();
  std::size_t bytes = 0;
  for (const FontOptions& options : fonts) {
    const GlyphSource font(options);
    if (font.is_bitmap()) continue;
    const std::string outlines = packed_outlines(font, characters);
    if (bytes + outlines.size() > kMaxOutlineBytes) continue;
    bytes += outlines.size();
    json.push_back({{"family", font.family()}, {"outlines", base64(outlines)}});
  }
  return json;
}

std::string json_element(std::string_view id, std::string json) {
  // The name of a font could close the element.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) {
    json.replace(at, 1, "\\u003c");
  }
  return "<script type=\"application/json\" id=\"" + std::string(id) + "\">" + json + "</script>\n";
}

// The page's data. Two-byte numbers are little-endian.
std::string data_json(const std::vector<LookalikeList>& lists,
                      const std::vector<FontOptions>& fonts, const GlyphProfile& profile) {
  if (lists.size() > kMaxExplorerCharacters) {
    throw UsageError(
        fmt::format("{} characters are too many for the explorer, which takes {}; name fewer",
                    lists.size(), kMaxExplorerCharacters));
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
        throw UsageError("the explorer needs the same number of look-alikes for every character; " +
                         describe_character(list.query) + " has others");
      }
      put_number(neighbours, place->second);
      put_number(scores, static_cast<std::size_t>(std::lround(answer.score * kScoreSteps)));
    }
  }
  const GlyphSource font(fonts.front());
  const GlyphImages images = draw_glyphs(font, characters);
  nlohmann::json json;
  json["family"] = font.family();
  json["size"] = images.size;
  json["answers"] = lists.front().answers.size();
  json["characters"] = encode_utf8(characters);
  json["codes"] = base64(codes);
  json["glyphs"] = base64(packed_glyphs(images));
  json["neighbours"] = base64(neighbours);
  json["scores"] = base64(scores);
  json["facts"] = facts_json(characters);
  json["windows"] = windows_json(profile, images.size);
  json["groups"] = group_list(characters, lists);
  json["grid"] = kOutlineGrid;
  json["fonts"] = outlines_json(fonts, characters);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string explorer_page(const std::vector<LookalikeList>& lists,
                          const std::vector<FontOptions>& fonts, const GlyphProfile& profile) {
  if (lists.empty()) throw UsageError("the explorer needs at least one character");
  if (fonts.empty()) throw UsageError("the explorer needs at least one font");
  const std::string strings = with_character_strings(explorer_strings());
  const auto english = [table = nlohmann::json::parse(strings)](const std::string& key) {
    return table.at(key).at("en").get<std::string>();
  };
  Page page;
  page.title = english("explorer.title");
  page.eyebrow = english("explorer.eyebrow");
  page.lead = english("characters.lead");
  const auto add_section = [&](const std::string& id, const std::string& content) {
    page.sections.push_back({id, english(id + ".menu"), english(id + ".title"), "\n" + content});
  };
  add_section("similar", std::string(explorer_body()) +
                             json_element("data", data_json(lists, fonts, profile)) +
                             json_element("strings", strings));
  add_section("browse", std::string(explorer_table()));
  add_section("groups", std::string(explorer_groups()));
  std::string about = std::string(explorer_about()) + "<style>\n";
  for (const std::string_view style : {interactive_style(), explorer_style()}) about += style;
  about += "</style>\n<script>\n";
  for (const std::string_view script :
       {language_script(), practice_script(), drawing_pad_script(), explorer_windows(),
        explorer_data(), explorer_script(), explorer_pad()}) {
    about += script;
  }
  add_section("about", about + "</script>\n");
  return html_page(page);
}

namespace {

constexpr double kTolerance = 1.0;          // in grid steps; too small to see
constexpr std::size_t kMostContours = 255;  // fits in one byte
constexpr std::size_t kMostCorners = 65535;

char grid_byte(float share) {
  const float place = std::clamp(share, 0.0F, static_cast<float>(kOutlineGrid));
  return static_cast<char>(static_cast<unsigned char>(std::lround(place)));
}

std::vector<cv::Point2f> corners_of(const GlyphContour& contour) {
  std::vector<cv::Point2f> points;
  points.reserve(contour.size());
  for (const GlyphPoint& point : contour) {
    points.emplace_back(kOutlineGrid * point.x, kOutlineGrid * point.y);
  }
  std::vector<cv::Point2f> corners;
  cv::approxPolyDP(points, corners, kTolerance, /*closed=*/true);
  return corners;
}

}  // namespace

std::string packed_outlines(const GlyphSource& font, std::u32string_view characters) {
  std::string bytes;
  for (const char32_t character : characters) {
    std::string contours;
    std::size_t count = 0;
    for (const GlyphContour& contour : font.outline(character)) {
      const std::vector<cv::Point2f> corners = corners_of(contour);
      if (corners.size() < 3 || corners.size() > kMostCorners || count == kMostContours) continue;
      ++count;
      contours.push_back(static_cast<char>(corners.size() & 0xFF));
      contours.push_back(static_cast<char>(corners.size() >> 8));
      for (const cv::Point2f& corner : corners) {
        contours.push_back(grid_byte(corner.x));
        contours.push_back(grid_byte(corner.y));
      }
    }
    bytes.push_back(static_cast<char>(count));
    bytes += contours;
  }
  return bytes;
}

}  // namespace leafglyph
