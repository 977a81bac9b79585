// The characters of the page: its look-alikes are those of the search that `glyph similar` uses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "classify/glyph_report/lookalike_report.h"
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
    EXPECT_EQ(ask(page.port(), query, ""), expected);
    const Json among = ask(page.port(), query, "十天");
    for (const Json& answer : among["similar"]) {
      EXPECT_TRUE(answer["character"] == "十" || answer["character"] == "天") << answer;
    }
  }
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
