#include "classify/serve/page_apis.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/glyph_report/lookalike_report.h"
#include "classify/http/page_limits.h"
#include "classify/page/html_page.h"
#include "classify/serve/anki_package.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/unihan.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

std::string_view text_of(const HttpRequest& request) {
  if (request.body.size() <= kMaxLessonBytes) return request.body;
  throw UsageError(fmt::format("a text has at most {} bytes", kMaxLessonBytes));
}

// The characters of a text that the fonts draw, each once, in their order; or the character whose
// code the text is.
std::u32string drawn_characters(const LookalikeIndex& index, std::string_view text) {
  const auto draws = [&](char32_t character) { return index.draws(character); };
  const auto is_compared = [&](char32_t character) {
    return index.selected().characters.find(character) != std::u32string::npos;
  };
  std::u32string characters;
  for (const char32_t character :
       meant_characters(characters_from(text, draws), is_compared).characters) {
    if (characters.find(character) == std::u32string::npos && index.draws(character)) {
      characters.push_back(character);
    }
  }
  return characters;
}

// The query.
char32_t only_character(const LookalikeIndex& index, const std::string& text) {
  const std::u32string characters = drawn_characters(index, text);
  if (characters.size() != 1) throw UsageError("give one character that every font draws");
  return characters.front();
}

// A set that contains a character of the text, for a text of which the fonts draw nothing.
std::string other_set(std::string_view text) {
  for (const char32_t character : decode_utf8(text)) {
    std::string set = GlyphSets::set_with(character);
    if (!set.empty()) return set;
  }
  return "";
}

// What a pupil learns of a character of a reply: its usual readings, and its level.
void add_lesson(const Unihan& unihan, Json& json) {
  const char32_t character = decode_utf8(json["character"].get<std::string>()).front();
  json["usual"] = Json::array();
  if (const auto facts = unihan.facts(character)) {
    for (const std::string& reading : facts->usual) json["usual"].push_back(marked_pinyin(reading));
  }
  json["hsk"] = hsk_level(character);
}

constexpr int kMostFrequent = 1'000'000;

std::size_t top_of(const HttpRequest& request, std::size_t most) {
  const int top = request.number("top", 1, kMaxServedLookalikes, /*otherwise=*/20);
  return std::min(static_cast<std::size_t>(top), most);
}

}  // namespace

void GlyphApi::add_to(HttpServer& server) {
  const auto worked = [this](HttpReply (GlyphApi::*handle)(const HttpRequest&) const) {
    return [this, handle](const HttpRequest& request) {
      HttpReply reply;
      work_.run([&] { reply = (this->*handle)(request); });
      return reply;
    };
  };
  server.get("/api/v1/glyph/sets", [this](const HttpRequest&) {
    return json_reply({{"sets", GlyphSets::names()}, {"strokes", order_.is_there()}});
  });
  server.get("/api/v1/glyph/strokes", worked(&GlyphApi::strokes));
  server.get("/api/v1/glyph/fonts", worked(&GlyphApi::fonts));
  server.post("/api/v1/glyph/drawn", worked(&GlyphApi::drawn));
  server.post("/api/v1/glyph/characters", worked(&GlyphApi::characters));
  server.post("/api/v1/glyph/similar", worked(&GlyphApi::similar));
  server.post("/api/v1/glyph/pairs", worked(&GlyphApi::pairs));
  server.post("/api/v1/glyph/drawings", worked(&GlyphApi::drawings));
  server.post("/api/v1/glyph/anki", worked(&GlyphApi::anki));
}

const GlyphSets::Search& GlyphApi::search(const HttpRequest& request) const {
  return sets_.search(request.value("set").value_or(""));
}

HttpReply GlyphApi::characters(const HttpRequest& request) const {
  const GlyphSearch& glyphs = *search(request).glyphs;
  const LookalikeIndex& index = glyphs.index();
  const std::string_view text = text_of(request);
  // Fonts also draw letters. A text of only letters is a reading, if there is one like it.
  const bool letters = std::ranges::all_of(decode_utf8(text), [&](char32_t character) {
    return index.selected().characters.find(character) == std::u32string::npos;
  });
  const std::u32string read = letters ? glyphs.with_pinyin(text) : U"";
  const std::u32string found = read.empty() ? drawn_characters(index, text) : read;
  Json list = Json::array();
  for (const char32_t character : found) list.push_back(encode_utf8(character));
  Json json = {{"characters", std::move(list)}, {"read", !read.empty()}};
  if (found.empty()) json["set"] = other_set(text);
  return json_reply(std::move(json));
}

HttpReply GlyphApi::strokes(const HttpRequest& request) const {
  const std::u32string characters = decode_utf8(request.required("character"));
  if (characters.size() != 1) throw UsageError("give one character");
  return json_reply({{"strokes", order_.strokes(characters.front())}});
}

HttpReply GlyphApi::fonts(const HttpRequest& request) const {
  return json_reply({{"size", search(request).glyphs->index().drawing_size()}});
}

HttpReply GlyphApi::drawn(const HttpRequest& request) const {
  const LookalikeIndex& index = search(request).glyphs->index();
  const DrawnGlyph drawing{index.drawing_size(), {request.body.begin(), request.body.end()}};
  const std::size_t top = top_of(request, index.selected().characters.size());
  const std::vector<Lookalike> answers = index.similar(drawing, top);
  // In the same format as the look-alikes of a character.
  const std::vector<LookalikeList> lists = {{answers.front().character, answers}};
  return json_reply({{"similar", Json::parse(lookalikes_json(lists)).front()["similar"]}});
}

HttpReply GlyphApi::similar(const HttpRequest& request) const {
  const GlyphSets::Search& set = search(request);
  const LookalikeIndex& index = set.glyphs->index();
  const char32_t character = only_character(index, request.required("character"));
  const std::size_t top = top_of(request, index.selected().characters.size() - 1);
  SearchOptions options;
  const std::u32string list = drawn_characters(index, text_of(request));
  const int frequency = request.number("frequency", 0, kMostFrequent, 0);
  if (!list.empty() || !set.among.empty() || frequency > 0) {
    options.among = [&, frequency](char32_t one) {
      return (list.empty() || list.find(one) != std::u32string::npos) && set.may_be(one) &&
             set.glyphs->is_frequent(one, frequency);
    };
  }
  const auto answers = index.similar(std::u32string_view(&character, 1), top, options);
  const std::vector<LookalikeList> lists = {{character, answers.front()}};
  Json json = Json::parse(lookalikes_json(lists)).front();
  const Unihan unihan;
  add_lesson(unihan, json);
  for (Json& similar : json["similar"]) add_lesson(unihan, similar);
  return json_reply(std::move(json));
}

HttpReply GlyphApi::pairs(const HttpRequest& request) const {
  const LookalikeIndex& index = search(request).glyphs->index();
  const std::u32string list = drawn_characters(index, text_of(request));
  if (list.size() > kMaxLessonCharacters) {
    throw UsageError(fmt::format("a list has at most {} characters; this one has {}",
                                 kMaxLessonCharacters, list.size()));
  }
  std::vector<std::pair<char32_t, char32_t>> pairs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size(); ++j) pairs.emplace_back(list[i], list[j]);
  }
  const std::vector<Lookalike> alike = index.compare(pairs);
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return alike[i].evidence; });
  order.resize(std::min(order.size(), kMaxLessonPairs));
  Json listed = Json::array();
  for (const std::size_t i : order) {
    listed.push_back({{"characters", {encode_utf8(pairs[i].first), encode_utf8(pairs[i].second)}},
                      {"score", alike[i].score},
                      {"distance", alike[i].distance}});
  }
  return json_reply({{"pairs", std::move(listed)}});
}

HttpReply GlyphApi::drawings(const HttpRequest& request) const {
  const std::u32string characters = decode_utf8(text_of(request));
  if (characters.size() > kMaxDrawnCharacters) {
    throw UsageError(fmt::format("at most {} characters are drawn at once", kMaxDrawnCharacters));
  }
  Json fonts = Json::array();
  for (const FontDrawing& drawing : search(request).glyphs->drawings(characters)) {
    if (drawing.size == 0) {
      fonts.push_back({{"family", drawing.family}, {"outlines", drawing.outlines}});
      continue;
    }
    Json ink = Json::array();
    for (const std::vector<std::uint8_t>& pixels : drawing.ink) {
      ink.push_back(base64({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    }
    fonts.push_back({{"family", drawing.family}, {"size", drawing.size}, {"ink", std::move(ink)}});
  }
  return json_reply({{"fonts", std::move(fonts)}});
}

HttpReply GlyphApi::anki(const HttpRequest& request) const {
  if (request.body.size() > kMaxAnkiBytes) {
    throw UsageError(fmt::format("the notes have at most {} bytes", kMaxAnkiBytes));
  }
  std::string deck;
  std::vector<AnkiNote> notes;
  try {
    const Json given = Json::parse(request.body);
    deck = given.at("deck").get<std::string>();
    for (const Json& note : given.at("notes")) {
      notes.push_back({note.at("character").get<std::string>(),
                       note.at("lines").get<std::vector<std::string>>()});
    }
  } catch (const Json::exception&) {
    throw UsageError(
        R"(notes are JSON such as {"deck": "", "notes": [{"character": "", "lines": [""]}]})");
  }
  if (deck.empty() || notes.empty()) throw UsageError("give the name of a deck, and notes");
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {200,
          "application/apkg",
          anki_package(deck, notes, now),
          {{"Content-Disposition", "attachment"}}};
}

}  // namespace leafglyph
