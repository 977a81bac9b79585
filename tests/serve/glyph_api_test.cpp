// The characters of the page: its look-alikes are those of the search that `glyph similar` uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "classify/glyph_report/lookalike_report.h"
#include "classify/serve/glyph_sets.h"
#include "datasets/glyph/character_set.h"
#include "features/base/text.h"
#include "tests/serve/patterned_font.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
using testing::post;

class GlyphApiTest : public ::testing::Test {
 protected:
  GlyphApiTest() {
    config_ = parse_glyph_config(
        "fonts: [{file: " + folder_.write("made.bdf", testing::patterned_font()) +
            ", size: 8}]\nmissing: leave_out\nlookalikes: {measure: windows}\n",
        "made.yaml");
    options_.data = folder_.path() / "data";
    options_.glyphs = config_;
    options_.glyph_cache.clear();
  }

  // Tables are computed while the page is already served.
  static Json ask(int port, const std::string& path, const std::string& body) {
    return when_there([&] { return post(port, "/api/v1/glyph/" + path, body); });
  }
  static Json ask_for(int port, const std::string& path) {
    return when_there([&] { return testing::get(port, "/api/v1/glyph/" + path); });
  }

  template <class Request>
  static Json when_there(const Request& request) {
    testing::Reply reply = request();
    while (reply.status == 503) {
      std::this_thread::yield();
      reply = request();
    }
    EXPECT_EQ(reply.status, 200) << reply.body;
    return Json::parse(reply.body);
  }

  TemporaryFolder folder_;
  GlyphConfig config_;
  ServeOptions options_;
};

// agreement: the same JSON as `glyph similar --json`; a list restricts it to its characters.
TEST_F(GlyphApiTest, LookAlikesAreThoseOfTheCommand) {
  const testing::ServedPage page(options_);
  LookalikeOptions options;
  options.selection = config_.lookalike_selection();
  options.profile = config_.lookalikes;
  options.cache_folder.clear();
  const LookalikeIndex index(options);
  for (const char32_t character : index.selected().characters) {
    const Json expected =
        Json::parse(lookalikes_json({{character, index.similar(character, 4)}}))[0];
    const std::string query = "similar?top=4&character=" + encode_utf8(character);
    Json given = ask(page.port(), query, "");
    given.erase("usual");
    given.erase("hsk");
    for (Json& answer : given["similar"]) {
      EXPECT_EQ(answer["hsk"], hsk_level(decode_utf8(answer["character"].get<std::string>())[0]));
      answer.erase("usual");
      answer.erase("hsk");
    }
    EXPECT_EQ(given, expected);
    const Json among = ask(page.port(), query, "十天");
    for (const Json& answer : among["similar"]) {
      EXPECT_TRUE(answer["character"] == "十" || answer["character"] == "天") << answer;
    }
  }
}

// oracle: what a pupil learns of a character: its usual readings by frequency, and its level.
TEST_F(GlyphApiTest, CharactersHaveReadingsAndALevel) {
  const testing::ServedPage page(options_);
  const Json given = ask(page.port(), "similar?top=4&character=大", "");
  EXPECT_EQ(given["usual"], Json::parse(R"(["dà", "dài"])"));
  EXPECT_EQ(given["hsk"], 1);
}

// mechanics: strokes come from the user's folder, in its order. A file that has no outlines is
// refused, and so is a folder without such files; a request cannot name other files.
TEST_F(GlyphApiTest, StrokesAreThoseOfTheFolder) {
  {
    const testing::ServedPage without(options_);
    EXPECT_EQ(ask_for(without.port(), "strokes?character=一")["strokes"], Json::array());
  }
  const TemporaryFolder folder;
  options_.strokes = folder.path();
  EXPECT_THROW(testing::ServedPage{options_}, InputError);
  folder.write("一.json", R"({"strokes": ["M 1 2 L 3 -4 Z"], "medians": [[[1, 2]]]})");
  folder.write("二.json", R"({"strokes": ["M 1 2 Z", "\"><script>"]})");
  folder.write("十.json", R"({"strokes": "M 1 2 Z"})");
  folder.write("A.json", R"({"strokes": ["M 1 2 Z"]})");
  const testing::ServedPage page(options_);
  EXPECT_EQ(ask_for(page.port(), "sets")["strokes"], true);
  EXPECT_EQ(ask_for(page.port(), "strokes?character=一")["strokes"], Json({"M 1 2 L 3 -4 Z"}));
  for (const char* none : {"三", "A"}) {
    EXPECT_EQ(ask_for(page.port(), std::string("strokes?character=") + none)["strokes"],
              Json::array());
  }
  for (const char* path : {"strokes?character=二", "strokes?character=十"}) {
    EXPECT_EQ(testing::get(page.port(), std::string("/api/v1/glyph/") + path).status, 422) << path;
  }
  EXPECT_EQ(testing::get(page.port(), "/api/v1/glyph/strokes?character=../x").status, 400);
}

// agreement: every pair of a list, most alike first, with the scores of the search.
TEST_F(GlyphApiTest, PairsOfAListAreSorted) {
  const testing::ServedPage page(options_);
  const Json pairs = ask(page.port(), "pairs", "一丁二三 一x")["pairs"];
  ASSERT_EQ(pairs.size(), 6U);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(pairs[i - 1]["distance"], pairs[i]["distance"]);
    }
    const std::string first = pairs[i]["characters"][0], second = pairs[i]["characters"][1];
    const Json similar = ask(page.port(), "similar?top=10&character=" + first, "");
    for (const Json& answer : similar["similar"]) {
      if (answer["character"] == second) {
        EXPECT_EQ(answer["distance"], pairs[i]["distance"]);
      }
    }
  }
}

// agreement: a glyph of the font sent as a drawing gives the same result as the search.
TEST_F(GlyphApiTest, DrawingsAreTakenForTheirCharacter) {
  const testing::ServedPage page(options_);
  const std::string size = std::to_string(ask_for(page.port(), "fonts")["size"].get<int>());
  EXPECT_EQ(size, "8");
  std::vector<std::uint8_t> ink(64);
  const GlyphSource font(config_.lookalike_fonts.front());
  for (const char32_t character : testing::kCharacters) {
    font.render(character, ink);
    const std::string body(ink.begin(), ink.end());
    const Json found = ask(page.port(), "drawn?top=4", body)["similar"];
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0]["character"], encode_utf8(character));
    const Json similar =
        ask(page.port(), "similar?top=10&character=" + encode_utf8(character), "")["similar"];
    for (std::size_t k = 1; k < found.size(); ++k) {
      EXPECT_EQ(found[k]["character"], similar[k - 1]["character"]);
      EXPECT_EQ(found[k]["distance"], similar[k - 1]["distance"]);
    }
  }
  const auto status = [&](const std::string& body) {
    return post(page.port(), "/api/v1/glyph/drawn", body).status;
  };
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status(std::string(64, '\0')), 400);
  EXPECT_EQ(status(std::string(65, 'x')), 400);
}

// mechanics: a text without a Chinese character is a reading, with or without a tone.
TEST_F(GlyphApiTest, CharactersAreFoundByTheirReadings) {
  const testing::ServedPage page(options_);
  for (const char* reading : {"ji3", "jǐ", "JI", "ji"}) {
    const Json found = ask(page.port(), "characters", reading);
    EXPECT_EQ(found["characters"], Json({"己"})) << reading;
    EXPECT_EQ(found["read"], true);
  }
  EXPECT_EQ(ask(page.port(), "characters", "shi2")["characters"], Json({"十"}));
  const Json none = ask(page.port(), "characters", "ji4");
  EXPECT_EQ(none["characters"], Json::array());
  EXPECT_EQ(none["read"], false);
  EXPECT_EQ(ask(page.port(), "characters", "ji3 十")["characters"], Json({"十"}));
}

// mechanics: a set and a frequency restrict the results; a text that the fonts do not draw names
// the set that has it.
TEST_F(GlyphApiTest, SetsAndFrequenciesRestrict) {
  const testing::ServedPage page(options_);
  EXPECT_EQ(ask_for(page.port(), "sets")["sets"], Json(GlyphSets::names()));
  EXPECT_EQ(GlyphSets::set_with(U'己'), "gb2312");
  EXPECT_EQ(GlyphSets::set_with(U'龍'), "big5");
  EXPECT_EQ(GlyphSets::set_with(U'ソ'), "kana");
  EXPECT_EQ(GlyphSets::set_with(U'a'), "");
  EXPECT_EQ(ask(page.port(), "characters", "龍")["set"], "big5");
  EXPECT_FALSE(ask(page.port(), "characters", "己龍").contains("set"));
  const std::u32string first = character_set("hsk1").characters;
  const Json part = ask(page.port(), "similar?top=10&character=己&set=hsk1", "")["similar"];
  const Json whole = ask(page.port(), "similar?top=10&character=己", "")["similar"];
  EXPECT_LT(part.size(), whole.size());
  for (const Json& answer : part) {
    const char32_t character = decode_utf8(answer["character"].get<std::string>()).front();
    EXPECT_NE(first.find(character), std::u32string::npos) << answer;
  }
  EXPECT_EQ(post(page.port(), "/api/v1/glyph/similar?character=己&frequency=1000000", "").status,
            400);  // nothing is left to compare with
  EXPECT_EQ(post(page.port(), "/api/v1/glyph/similar?character=己&set=none", "").status, 400);
  EXPECT_EQ(post(page.port(), "/api/v1/glyph/similar?character=己&set=.%2Fx.txt", "").status, 400);
}

// agreement: the paths of an outline font have the corners of its outlines.
TEST_F(GlyphApiTest, OutlineFontsAreDrawnAsPaths) {
  const FontOptions kai{"/usr/share/fonts/truetype/arphic-gkai00mp/gkai00mp.ttf"};
  options_.glyphs = parse_glyph_config(
      "characters: U+4E00..U+4E0B\nfonts: [{file: " + kai.file + "}]\n", "kai.yaml");
  const testing::ServedPage page(options_);
  const Json fonts = ask(page.port(), "drawings", "十a")["fonts"];
  ASSERT_EQ(fonts.size(), 1U);
  const std::string path = fonts[0]["outlines"][0];
  std::size_t corners = 0;
  const std::vector<GlyphContour> outline = GlyphSource(kai).outline(U'十');
  for (const GlyphContour& contour : outline) corners += contour.size();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(path, 'M')), outline.size());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(path, 'L')), corners - outline.size());
  EXPECT_TRUE(path.ends_with('Z'));
}

// mechanics: a package of the notes; what is not JSON of notes is refused.
TEST_F(GlyphApiTest, NotesBecomeAPackage) {
  const testing::ServedPage page(options_);
  const auto reply = [&](const std::string& body) {
    return post(page.port(), "/api/v1/glyph/anki", body);
  };
  const testing::Reply package =
      reply(R"({"deck": "A", "notes": [{"character": "己", "lines": ["one", "two"]}]})");
  EXPECT_EQ(package.status, 200);
  EXPECT_TRUE(package.body.starts_with("PK"));
  for (const std::string_view body :
       {"", "[]", "{}", R"({"deck": "A", "notes": []})", R"({"deck": "A", "notes": [1]})",
        R"({"deck": "", "notes": [{"character": "己", "lines": []}]})",
        "{\"deck\": \"\xFF\", \"notes\": []}",
        R"({"deck": "A", "notes": [{"character": "己", "lines": "one"}]})"}) {
    EXPECT_EQ(reply(std::string(body)).status, 400) << body;
  }
  EXPECT_EQ(reply(std::string(1'000'001, ' ')).status, 400);
}

// mechanics: characters by code, each once; drawings in every font; characters that cannot be
// drawn.
TEST_F(GlyphApiTest, TextsAreTakenApart) {
  const testing::ServedPage page(options_);
  EXPECT_EQ(ask(page.port(), "characters", "十 a一十龘")["characters"], Json({"十", "一"}));
  EXPECT_EQ(ask(page.port(), "characters", "U+5DF1")["characters"], Json({"己"}));
  const Json fonts = ask(page.port(), "drawings", "十龘")["fonts"];
  ASSERT_EQ(fonts.size(), 1U);
  EXPECT_EQ(fonts[0]["size"], 8);
  EXPECT_EQ(fonts[0]["ink"][0].get<std::string>().size(), 88U);  // 64 bytes in base64
  EXPECT_EQ(fonts[0]["ink"][1], "");
  const auto status = [&](const std::string& path, const std::string& body) {
    return post(page.port(), "/api/v1/glyph/" + path, body).status;
  };
  EXPECT_EQ(status("similar", ""), 400);
  EXPECT_EQ(status("similar?character=龘", ""), 400);
  EXPECT_EQ(status("similar?character=十一", ""), 400);
  EXPECT_EQ(status("similar?character=十&top=0", ""), 400);
  EXPECT_EQ(status("similar?character=%FF", ""), 400);
  EXPECT_EQ(status("drawings", "\xFF"), 400);
  EXPECT_EQ(status("drawings", std::string(151, 'a')), 400);
  EXPECT_EQ(status("characters", std::string(20'001, 'a')), 400);
}

}  // namespace
}  // namespace leafglyph
