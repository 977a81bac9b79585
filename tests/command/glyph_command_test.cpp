// End to end: the command `leafglyph glyph ...` with a handmade font.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/base/input_file.h"
#include "features/base/text.h"
#include "features/image_io/encode_image.h"
#include "tests/support/bdf_font.h"
#include "tests/support/character_picture.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::write_character;
using testing::write_picture;

class GlyphCommandTest : public CommandTest {
 protected:
  GlyphCommandTest() : CommandTest("glyph") {
    folder_.write("drawn.bdf",
                  bdf_font({{0x4E00, {"########"}, 0, 3},
                            {0x4E8C, {".######.", "........", "........", "########"}, 0, 1},
                            {0x5341, {"...##...", "########", "...##...", "...##..."}, 0, 1},
                            {0x5DE5, {".######.", "...##...", "...##...", "########"}, 0, 1}}));
    folder_.write("drawn.yaml",
                  "fonts: [{file: drawn.bdf, size: 8}]\nmissing: leave_out\n"
                  "statistics: {order: 4, bins: 3, bin_width: 0.2, closest: 2, pairs: [十工]}\n");
  }

  Outcome drawn(const std::string& arguments) const {
    return run(arguments + " --quiet --config " + at("drawn.yaml"));
  }
};

// mechanics: each of the three formats is written to a file and to stdout alike.
TEST_F(GlyphCommandTest, StatsComeAsTextJsonAndCsv) {
  const Outcome text = drawn("stats --json " + at("s.json") + " --csv " + at("s.csv"));
  ASSERT_EQ(text.code, 0) << text.error;
  EXPECT_TRUE(text.out.starts_with("4 characters\n")) << text.out;
  const auto json = nlohmann::json::parse(read_file(at("s.json")));
  const auto& part = json.at("families").at("zernike").at("complex");
  EXPECT_EQ(part.at("pairs"), 6);
  EXPECT_EQ(part.at("counts").size(), 4U);
  EXPECT_EQ(part.at("closest").size(), 2U);
  EXPECT_EQ(part.at("listed").at(0).at("first"), "十");
  const std::string csv = read_file(at("s.csv"));
  EXPECT_TRUE(csv.starts_with("family,part,quantity,first,second,value\n"));
  EXPECT_NE(csv.find("pseudo-zernike,magnitude,pairs,,,6\n"), std::string::npos);
  EXPECT_EQ(drawn("stats --json -").out, read_file(at("s.json")));
  EXPECT_EQ(drawn("stats --csv -").out, csv);
}

// mechanics: a file of pairs replaces those of the configuration.
TEST_F(GlyphCommandTest, StatsListThePairsOfAFile) {
  folder_.write("pairs.txt", "# two\n一二\n工十\n");
  const Outcome listed = drawn("stats --json - --pairs " + at("pairs.txt"));
  ASSERT_EQ(listed.code, 0) << listed.error;
  const auto json = nlohmann::json::parse(listed.out);
  const auto& pairs = json.at("families").at("zernike").at("real").at("listed");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs.at(0).at("second"), "二");
  EXPECT_EQ(pairs.at(1).at("first"), "工");
  folder_.write("broken.txt", "一二\n一\n");
  expect_refused(drawn("stats --pairs " + at("broken.txt")), 3, "broken.txt:2");
  expect_refused(drawn("stats --pairs " + at("none.txt")), 3, "none.txt");
  folder_.write("empty.txt", "#\n");
  expect_refused(drawn("stats --pairs " + at("empty.txt")), 3, "no pair");
}

// agreement: both commands give the same score.
TEST_F(GlyphCommandTest, SimilarAndDistanceGiveTheSameScore) {
  const Outcome similar = drawn("similar 十 一 --top 3 --json -");
  ASSERT_EQ(similar.code, 0) << similar.error;
  const auto json = nlohmann::json::parse(similar.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0].at("character"), "十");
  EXPECT_EQ(json[0].at("gb2312"), "0x4A2E");
  ASSERT_EQ(json[0].at("similar").size(), 3U);
  for (const auto& answer : json[0].at("similar")) {
    const Outcome distance = drawn("distance 十 " + answer.at("character").get<std::string>());
    char expected[80];
    std::snprintf(expected, sizeof expected, "  score %.3f  distance %.4f\n",
                  answer.at("score").get<double>(), answer.at("distance").get<double>());
    EXPECT_TRUE(distance.out.ends_with(expected)) << distance.out << expected;
  }
}

// mechanics: the outputs exist and have the expected content.
TEST_F(GlyphCommandTest, TextSheetAndExport) {
  const Outcome similar = drawn("similar 工 --top 2 --draw blocks --sheet " + at("sheet.png"));
  ASSERT_EQ(similar.code, 0) << similar.error;
  EXPECT_NE(similar.out.find("█"), std::string::npos);
  EXPECT_TRUE(read_file(at("sheet.png")).starts_with("\x89PNG"));
  const Outcome all = drawn("export --top 2 --csv -");
  ASSERT_EQ(all.code, 0) << all.error;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 1 + 4 * 2);
  folder_.write("pairs.txt", "十工\n一二\n");
  const Outcome pairs = drawn("export --top 2 --csv - --pairs " + at("pairs.txt"));
  ASSERT_EQ(pairs.code, 0) << pairs.error;
  EXPECT_EQ(std::count(pairs.out.begin(), pairs.out.end(), '\n'), 1 + 2);
}

// mechanics: other character sets, and look-alikes from one set for characters of another.
TEST_F(GlyphCommandTest, CharactersAreThoseOfAnySet) {
  folder_.write("kana.bdf", bdf_font({{0x30CB, {".######.", "........", "........", "########"}},
                                      {0x4E8C, {".######.", "........", "........", "########"}},
                                      {0x30A8, {".######.", "...##...", "...##...", "########"}},
                                      {0x5DE5, {".######.", "...##...", "...##...", "########"}}}));
  folder_.write("kana.yaml", "fonts: [{file: kana.bdf, size: 8}]\ncharacters: katakana\n");
  folder_.write("set.txt", "# two\n二 工\n");
  const auto kana = [&](const std::string& arguments) {
    return run(arguments + " --quiet --no-cache --config " + at("kana.yaml"));
  };
  const Outcome found = kana("similar 工 --top 1");
  ASSERT_EQ(found.code, 0) << found.error;
  EXPECT_NE(found.out.find("1  \u30A8  score 1.000  distance 0.0000"), std::string::npos)
      << found.out;
  const Outcome back = kana("similar \u30CB --top 1 --characters " + at("set.txt"));
  ASSERT_EQ(back.code, 0) << back.error;
  EXPECT_NE(back.out.find("1  二"), std::string::npos) << back.out;
  const Outcome page = kana("explore --top 1 --out " + at("kana.html"));
  EXPECT_EQ(page.code, 0) << page.error;
  expect_refused(kana("similar 工 --characters kanji"), 2, "'kanji'");
  expect_refused(kana("similar 工 --characters greekandcoptic"), 2, "fewer than two");
  expect_refused(kana("similar 工 --characters big5"), 3, "lacks");
  expect_refused(kana("similar 工 --characters " + at("none.txt")), 3, "none.txt");
}

// regression: a comma among the characters shifted the cells of CSV, and a pair of digits is text.
TEST_F(GlyphCommandTest, TablesQuoteCharactersAndKeepDigitsAsText) {
  folder_.write("latin.bdf", bdf_font({{U',', {"........", "...##...", "...##...", "..#....."}},
                                       {U';', {"...##...", "........", "...##...", "..#....."}},
                                       {U'1', {"...##...", "..###...", "...##...", "..####.."}}}));
  folder_.write("latin.yaml",
                "fonts: [{file: latin.bdf, size: 8}]\nmissing: leave_out\n"
                "characters: Basic Latin\n");
  const auto latin = [&](const std::string& arguments) {
    return run(arguments + " --quiet --no-cache --config " + at("latin.yaml"));
  };
  const Outcome csv = latin("distance , 1 --csv -");
  ASSERT_EQ(csv.code, 0) << csv.error;
  EXPECT_TRUE(csv.out.starts_with("first,second,score,distance\n\",\",1,")) << csv.out;
  const auto json = nlohmann::json::parse(latin("distance , 1 --json -").out).at(0);
  EXPECT_EQ(json.at("first"), ",");
  EXPECT_EQ(json.at("second"), "1");
  EXPECT_TRUE(json.at("distance").is_number());
  const Outcome similar = latin("similar , --top 2 --csv -");
  EXPECT_NE(similar.out.find("\n\",\",2,"), std::string::npos) << similar.out << similar.error;
}

// mechanics: every set named in the help has look-alikes in the default fonts, which may lack
// characters; explicitly chosen fonts must have all of them.
TEST_F(GlyphCommandTest, EverySetIsComparedInTheDefaultFonts) {
  for (const std::string set : {"general", "hsk1", "jis", "ksx", "hiragana", "'basic latin'"}) {
    const std::string query = set == "hiragana" ? "\u3042" : set[0] == '\'' ? "a" : "一";
    const Outcome found = run("similar " + query + " --top 1 --quiet --characters " + set);
    EXPECT_EQ(found.code, 0) << set << found.error;
    EXPECT_NE(found.out.find("     1  "), std::string::npos) << set << found.out;
  }
  expect_refused(run("similar 一 --quiet --characters jis --set missing=error"), 3, "lacks");
}

// mechanics: a character that the fonts of the chosen characters do not draw is answered among
// those of its own set, and the command says so; what no font draws is refused, with the font only
// if it was chosen.
TEST_F(GlyphCommandTest, CharactersOfOtherSetsAreAnsweredThere) {
  for (const auto& [character, set] : {std::pair("a", "Basic Latin"),
                                       {"龍", "big5"},
                                       {"\u30BD", "Katakana"},
                                       {"畑", "jis"},
                                       {"é", "Latin-1"}}) {
    const Outcome found = run("similar " + std::string(character) + " --top 2");
    EXPECT_EQ(found.code, 0) << found.error;
    EXPECT_TRUE(found.out.starts_with(character)) << found.out;
    EXPECT_NE(found.error.find(std::string("is compared with ") + set), std::string::npos)
        << found.error;
    EXPECT_EQ(found.error.find("/usr/share/fonts/X11"), std::string::npos) << found.error;
  }
  const Outcome pair = run("distance 龍 籠");
  EXPECT_EQ(pair.code, 0) << pair.error;
  EXPECT_NE(pair.error.find("is compared with big5"), std::string::npos) << pair.error;
  const Outcome refused = run("similar \U0001F600 --quiet");
  expect_refused(refused, 2, "is not drawn by the fonts of the characters that are compared");
  EXPECT_EQ(refused.error.find("/usr/share/"), std::string::npos) << refused.error;
  EXPECT_NE(refused.error.find("(characters: Emoticons)"), std::string::npos) << refused.error;
  const Outcome own = drawn("similar 土");
  expect_refused(own, 2, "drawn.bdf'; choose fonts that draw it");
  const Outcome some = run("similar 己 \U0001F600 --top 1 --quiet");
  EXPECT_EQ(some.code, 5);
  EXPECT_TRUE(some.out.starts_with("己")) << some.out;
}

// oracle: Unicode's decompositions and its list of equivalent ideographs. What is not drawn as
// given is taken for what it stands for, and the command says which.
TEST_F(GlyphCommandTest, SaysWhichCharacterIsTaken) {
  const Outcome plain = run("similar 十 二 --top 2 --quiet");
  for (const char* given : {"\u2F17 \u2F06",                 // radicals ten and two
                            "U+2F17 U+2F06", "十\uFE00 二",  // with a variation selector
                            "十\U000E0100 \u2F06"}) {
    const Outcome found = run("similar " + std::string(given) + " --top 2");
    EXPECT_EQ(found.code, 0) << found.error;
    EXPECT_EQ(found.out, plain.out) << given;
    EXPECT_NE(found.error.find("十 (U+5341)"), std::string::npos) << found.error;
  }
  const Outcome compatibility = run("distance \uFA0A 贝");  // 見, of big5
  EXPECT_EQ(compatibility.code, 0) << compatibility.error;
  EXPECT_TRUE(compatibility.out.starts_with("見 贝")) << compatibility.out;
  EXPECT_NE(compatibility.error.find("(U+FA0A) is taken for 見 (U+898B)"), std::string::npos)
      << compatibility.error;
  const Outcome half = run("similar \uFF7F --top 1 --characters katakana");
  EXPECT_TRUE(half.out.starts_with("\u30BD")) << half.out;
  expect_refused(run("similar \uFE00 --quiet"), 2, "no character is given");
}

// mechanics: readings and other Unihan data appear in JSON and select queries and results.
TEST_F(GlyphCommandTest, ReadingsAreShownAndChoose) {
  const Outcome similar = drawn("similar --pinyin Shí --top 3 --json -");
  ASSERT_EQ(similar.code, 0) << similar.error;
  const auto json = nlohmann::json::parse(similar.out);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0].at("character"), "十");
  EXPECT_EQ(json[0].at("pinyin").at(0), "shí");
  EXPECT_EQ(json[0].at("toneless").at(0), "shi");
  EXPECT_EQ(json[0].at("strokes"), 2);
  EXPECT_EQ(json[0].at("radical"), 24);
  EXPECT_EQ(json[0].at("similar").size(), 3U);
  folder_.write("among.txt", "一\n工\n");
  const Outcome among = drawn("similar 十 --top 3 --json - --among " + at("among.txt"));
  ASSERT_EQ(among.code, 0) << among.error;
  EXPECT_EQ(nlohmann::json::parse(among.out)[0].at("similar").size(), 2U);
  const Outcome frequent = drawn("similar 十 --top 3 --json - --min-frequency 5000");
  ASSERT_EQ(frequent.code, 0) << frequent.error;
  const auto answers = nlohmann::json::parse(frequent.out);
  for (const auto& answer : answers[0].at("similar")) {
    EXPECT_GE(answer.at("frequency"), 5000);
  }
  expect_refused(drawn("similar --pinyin zhuang4"), 2, "zhuang4");
  expect_refused(drawn("similar 十 --top 3 --min-frequency 999999999"), 2, "no character");
}

// mechanics: the misreadings of a text by position, and groups.
TEST_F(GlyphCommandTest, TextsAreMisreadAndGroupsListed) {
  const Outcome read = drawn("confuse A十，十 --top 2 --min-score 0");
  ASSERT_EQ(read.code, 0) << read.error;
  const auto json = nlohmann::json::parse(read.out);
  EXPECT_EQ(json.at("text"), "A十，十");
  ASSERT_EQ(json.at("characters").size(), 2U);
  EXPECT_EQ(json.at("characters")[0].at("position"), 1);
  EXPECT_EQ(json.at("characters")[1].at("position"), 3);
  EXPECT_EQ(json.at("characters")[0].at("misread").size(), 2U);
  folder_.write("text.txt", "十");
  const Outcome piped = drawn("confuse - --min-score 1 --top 2 < " + at("text.txt"));
  ASSERT_EQ(piped.code, 0) << piped.error;
  EXPECT_TRUE(nlohmann::json::parse(piped.out).at("characters")[0].at("misread").empty());
  const Outcome groups = drawn("groups --min-score 0 --json " + at("groups.json"));
  ASSERT_EQ(groups.code, 0) << groups.error;
  EXPECT_NE(groups.out.find("一二十工  score "), std::string::npos) << groups.out;
  EXPECT_EQ(nlohmann::json::parse(read_file(at("groups.json")))[0].at("characters").size(), 4U);
  EXPECT_EQ(drawn("groups --min-score 1").out, "");
  expect_refused(drawn("groups --min-score 2"), 2, "min-score");
}

// mechanics: pairs may have separators and weights, and come from stdin.
TEST_F(GlyphCommandTest, PairsComeFromStdinWithWeights) {
  folder_.write("pairs.txt", "十 工\t3\nU+4E00,U+4E8C\n");
  const Outcome listed = drawn("export --top 1 --csv - --pairs - < " + at("pairs.txt"));
  ASSERT_EQ(listed.code, 0) << listed.error;
  EXPECT_TRUE(listed.out.find("十,工,") != std::string::npos) << listed.out;
  EXPECT_TRUE(listed.out.find("一,二,") != std::string::npos) << listed.out;
}

// oracle: with four characters every partner is among the three others; mechanics: figures,
// columns, and lists without a usable pair.
TEST_F(GlyphCommandTest, ListsOfPairsAreEvaluated) {
  folder_.write("pairs.txt", "十工\n一二\n");
  const Outcome text = drawn("evaluate " + at("pairs.txt") + " --json " + at("e.json"));
  ASSERT_EQ(text.code, 0) << text.error;
  EXPECT_TRUE(text.out.starts_with("2 pairs, both ways")) << text.out;
  std::size_t within_five = 0;
  for (const auto& share : nlohmann::json::parse(read_file(at("e.json")))) {
    if (share.value("rank", 0) != 5) continue;
    EXPECT_EQ(share.at("share"), 1.0);
    EXPECT_EQ(share.at("pairs"), 2);
    ++within_five;
  }
  EXPECT_EQ(within_five, 2U);  // leafglyph and blurred
  const Outcome columns = drawn("evaluate " + at("pairs.txt") + " --columns -");
  EXPECT_TRUE(
      columns.out.starts_with("query,candidate,listed,shortlisted,kind,query_strokes,distance,"))
      << columns.out;
  EXPECT_EQ(std::count(columns.out.begin(), columns.out.end(), '\n'), 1 + 4 * 3);
  folder_.write("bad.txt", "# 十龙\n");
  expect_refused(drawn("evaluate " + at("bad.txt")), 3, "no usable pair");
}

// agreement: --by published gives the distances that the statistics list.
TEST_F(GlyphCommandTest, ThePublishedVectorsAreThoseOfTheStatistics) {
  const auto listed = nlohmann::json::parse(drawn("stats --json -").out);
  for (const std::string part : {"complex", "real", "magnitude"}) {
    const Outcome pair = drawn("distance 十工 --by published --part " + part);
    ASSERT_EQ(pair.code, 0) << pair.error;
    const double expected =
        listed.at("families").at("pseudo-zernike").at(part).at("listed").at(0).at("distance");
    EXPECT_NE(pair.out.find(fmt::format("十 工  distance {:.4f}  pair ", expected)),
              std::string::npos)
        << pair.out;
    EXPECT_EQ(pair.out.find("score"), std::string::npos) << pair.out;
  }
  const Outcome similar = drawn("similar 十 --top 3 --by published --among U+4E00..U+5200");
  EXPECT_EQ(std::count(similar.out.begin(), similar.out.end(), '\n'), 1 + 2 + 1) << similar.out;
  EXPECT_NE(similar.out.find("need not look alike"), std::string::npos) << similar.out;
  const auto json =
      nlohmann::json::parse(drawn("similar 十 --top 1 --by published --json -").out).at(0);
  const auto& first = json.at("similar").at(0);
  EXPECT_FALSE(first.contains("score"));
  EXPECT_GE(first.at("pair"), 1);
  EXPECT_LE(first.at("pair"), first.at("pairs"));
  EXPECT_TRUE(drawn("similar 十 --top 1 --by published --csv -")
                  .out.starts_with("character,rank,similar,distance,pair,pairs\n"));
  expect_refused(drawn("similar 土 --top 1 --by published"), 2, "not among the compared");
  expect_refused(drawn("export --csv - --by published"), 2, "only glyph similar");
  expect_refused(drawn("similar 十 --by windows --for ocr"), 2, "--for");
}

// mechanics: exit code 5, and one line for each bad input.
TEST_F(GlyphCommandTest, SomeBadInputsOfManyAreNamedAndTheRestIsDone) {
  const Outcome similar = drawn("similar 十A --top 2");
  EXPECT_EQ(similar.code, 5);
  EXPECT_TRUE(similar.out.starts_with("十")) << similar.out;
  EXPECT_NE(similar.error.find("A (U+0041)"), std::string::npos);
  EXPECT_EQ(drawn("similar U+5341 --top 2").out, similar.out);
  EXPECT_EQ(drawn("similar 4A2E --top 2").out, similar.out);  // in GB 2312
  folder_.write("pairs.txt", "十工\n十\n十龙\n");
  const Outcome pairs = drawn("export --top 2 --csv - --pairs " + at("pairs.txt"));
  EXPECT_EQ(pairs.code, 5);
  EXPECT_EQ(pairs.error.find("leafglyph: 2 lines of " + at("pairs.txt")), 0U) << pairs.error;
  EXPECT_EQ(std::count(pairs.out.begin(), pairs.out.end(), '\n'), 2);
  std::string lines = "十工\n";
  for (int i = 0; i < 12; ++i) lines += "十\n";
  folder_.write("pairs.txt", lines);
  const std::string complaints =
      run("export --csv - --pairs " + at("pairs.txt") + " --config " + at("drawn.yaml")).error;
  EXPECT_NE(complaints.find("pairs.txt:11: "), std::string::npos) << complaints;
  EXPECT_EQ(complaints.find("pairs.txt:12: "), std::string::npos) << complaints;
  EXPECT_NE(complaints.find("leafglyph: 2 more lines of"), std::string::npos) << complaints;
}

// mechanics: what is refused, and how.
TEST_F(GlyphCommandTest, RefusesBadInputWithItsExitCode) {
  expect_refused(drawn("similar A"), 2, "A (U+0041)");
  expect_refused(drawn("similar 龍"), 2, "龍");
  expect_refused(drawn("similar ''"), 2, "no character");
  expect_refused(drawn("similar \xE9\x82"), 2, "not UTF-8");
  expect_refused(drawn("similar 土 --top 2"), 2, "土");
  expect_refused(drawn("similar 十 --top 4"), 2, "1 to 3");
  expect_refused(drawn("similar 十 --sheet sheet.jpg"), 2, "sheet.jpg");
  expect_refused(drawn("distance 十"), 2, "two");
  expect_refused(drawn("stats --closest 7"), 2, "only 6");
  expect_refused(drawn("export --csv - --pairs " + at("none.txt")), 3, "none.txt");
}

// mechanics: what is refused, and how.
TEST_F(GlyphCommandTest, RefusesBadFontsAndConfigurations) {
  const auto with = [&](const std::string& yaml) {
    folder_.write("bad.yaml", yaml);
    return run("similar 十 --config " + at("bad.yaml"));
  };
  folder_.write("text.ttf", "no font");
  expect_refused(with("fonts: [{file: text.ttf}]"), 4, "text.ttf");
  expect_refused(with("fonts: [{file: none.ttf}]"), 3, "none.ttf");
  expect_refused(with("fonts: [{file: drawn.bdf, size: 9}]\nmissing: leave_out"), 2, "it has 8");
  expect_refused(with("fonts: [{file: drawn.bdf, size: 8}]"), 3, "lacks 啊");
  expect_refused(with("fonts: [{file: drawn.bdf, size: 8, box: bounds}]"), 2, "not resampled");
  expect_refused(with("fonts: []"), 2, "fonts");
  expect_refused(with("leave_out: x"), 2, "bad.yaml:1");
  expect_refused(with("statistics: {families: [legendre]}"), 2, "legendre");
  expect_refused(with("statistics: {moments: {complex: [A4]}}"), 2, "A4");
  expect_refused(with("statistics: {pairs: [己]}"), 2, "己");
  expect_refused(with("lookalikes: {order: 90}"), 2, "order");
  expect_refused(with("lookalikes: {ordre: 9}"), 2, "ordre");
  expect_refused(run("stats --config " + at("none.yaml")), 3, "none.yaml");
}

// mechanics: outputs are checked before any work, here before a missing configuration is read.
TEST_F(GlyphCommandTest, OutputsAreTriedBeforeTheWork) {
  const std::string config = " --config " + at("none.yaml") + " ";
  const std::string nowhere = " " + at("nowhere/file");
  for (const std::string& command :
       {"stats" + config + "--json" + nowhere, "stats" + config + "--json - --csv" + nowhere,
        "similar 十" + config + "--json" + nowhere, "similar 十" + config + "--sheet" + nowhere,
        "export" + config + "--csv" + nowhere, "explore" + config + "--out" + nowhere}) {
    expect_refused(run(command), 1, "nowhere");
  }
}

// mechanics: what is refused, and how.
TEST_F(GlyphCommandTest, NumbersOutOfRangeAreRefused) {
  expect_refused(drawn("similar 十 --top -1"), 2, "'-1'");
  expect_refused(drawn("similar 十 --top 0"), 2, "'0'");
  expect_refused(drawn("export --csv " + at("e.csv") + " --top 18446744073709551615"), 2,
                 "'18446744073709551615'");
  const Outcome closest = drawn("stats --closest -5");
  expect_refused(closest, 2, "'-5'");
  EXPECT_LT(closest.error.size(), 120U) << closest.error;
}

// mechanics: a recogniser is trained, names characters in pictures of a font that it does not
// know, and says which files it cannot read.
TEST_F(GlyphCommandTest, PicturesAreNamed) {
  folder_.write("some.txt", "永水火木林森己已");
  const std::string model = " --model " + at("m");
  const Outcome trained =
      run("train --quiet --set characters=[" + at("some.txt") +
          "] --set copies=0 --set features.blurs=[1.5] --set features.orders=[6]"
          " --set classifier.directions=7" +
          model);
  ASSERT_EQ(trained.code, 0) << trained.error;
  EXPECT_TRUE(trained.out.starts_with("8 characters in 3 styles, ")) << trained.out;
  fs::create_directory(at("cut"));
  for (const char32_t character : std::u32string(U"永林")) {
    write_character(at("cut/" + encode_utf8(character) + ".png"),
                    "/usr/share/fonts/truetype/arphic/uming.ttc", character);
  }
  const Outcome named = run("recognise " + at("cut") + model + " --json -");
  ASSERT_EQ(named.code, 0) << named.error;
  const auto json = nlohmann::json::parse(named.out);
  ASSERT_EQ(json.size(), 2U);
  for (const auto& picture : json) {
    const std::string name = fs::path(picture.at("image").get<std::string>()).stem();
    EXPECT_EQ(picture.at("character"), name);
    EXPECT_EQ(picture.at("character_1"), name);
    EXPECT_TRUE(picture.at("same").is_null());
    const auto& perhaps = picture.at("perhaps");
    EXPECT_TRUE(perhaps.is_null() || perhaps == picture.at("character_2")) << perhaps;
    EXPECT_GT(picture.at("probability_1").get<double>(), picture.at("probability_2").get<double>());
  }
  EXPECT_EQ(json[0].at("code"), "U+6797");
  const Outcome some =
      run("recognise " + at("cut/永.png") + model + " --top 1 --characters U+6C34");
  EXPECT_NE(some.out.find("水"), std::string::npos) << some.out;

  folder_.write("cut/bad.png", "not an image");
  const Outcome mixed = run("recognise " + at("cut") + model);
  EXPECT_EQ(mixed.code, 5);
  EXPECT_NE(mixed.error.find("bad.png"), std::string::npos);
  EXPECT_NE(mixed.out.find("永"), std::string::npos);
  expect_refused(run("recognise " + at("cut/bad.png") + model), 3, "bad.png");
  write_picture(at("blank.png"), 40, std::vector<std::uint8_t>(40 * 40));
  expect_refused(run("recognise " + at("blank.png") + model), 3, "blank.png");
  expect_refused(run("recognise " + at("cut/永.png") + " --model " + at("cut")), 4,
                 "manifest.json");
  expect_refused(run("recognise " + at("cut/永.png") + model + " --characters U+3042"), 2,
                 "none of these");
  expect_refused(run("train --model " + at("cut")), 1, "not overwritten");
  expect_refused(run("train --model " + at("n") + " --set fonts=[]"), 2, "font");
}

// mechanics: a sweep has a line for each order and family, as those of leaves have.
TEST_F(GlyphCommandTest, OrdersAreSwept) {
  folder_.write("some.txt", "永水火木林森己已");
  const std::string small =
      " --set copies=1 --set features.blurs=[1.5] --set features.orders=[6]"
      " --set classifier.directions=7 ";
  const Outcome swept = run("sweep --quiet --orders 3,4 --characters " + at("some.txt") + small +
                            "--csv " + at("s.csv") + " --plot " + at("s.svg"));
  ASSERT_EQ(swept.code, 0) << swept.error;
  const std::string csv = read_file(at("s.csv"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5) << csv;
  EXPECT_NE(csv.find("\nzernike,3,80,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\npseudo-zernike,4,200,"), std::string::npos) << csv;
  EXPECT_NE(read_file(at("s.svg")).find("order of the moments"), std::string::npos);
  expect_refused(run("sweep --families wavelets" + small), 2, "wavelets");
  expect_refused(run("sweep --font /usr/share/fonts/truetype/arphic/uming.ttc --characters " +
                     at("some.txt") + " --orders 3 --quiet" + small),
                 2, "two styles");
}

// mechanics: a recogniser is trained on folders, which are of one style, beside a font or alone,
// and says what its words are measured on.
TEST_F(GlyphCommandTest, FoldersTeach) {
  for (const char32_t character : std::u32string(U"永水火木林")) {
    const std::string folder = at("set/" + encode_utf8(character));
    fs::create_directories(folder);
    write_character(folder + "/a.png", "/usr/share/fonts/truetype/arphic/uming.ttc", character);
  }
  const std::string small =
      " --set features.blurs=[1.5] --set features.orders=[6] --set classifier.directions=4"
      " --model " +
      at("m");
  const Outcome alone = run("train " + at("set") + small);
  ASSERT_EQ(alone.code, 0) << alone.error;
  EXPECT_TRUE(alone.out.starts_with("5 characters in 1 style, ")) << alone.out;
  EXPECT_NE(alone.error.find("damaged copies"), std::string::npos) << alone.error;
  const Outcome named = run("recognise --model " + at("m") + " " + at("set/永") + " --json -");
  EXPECT_NE(named.out.find("\"character\": \"永\""), std::string::npos) << named.out;

  folder_.write("set/火/bad.png", "not an image");
  const Outcome both = run("train --quiet " + at("set") +
                           " --font /usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
                           " --characters U+571F,U+6728" +
                           small);
  EXPECT_EQ(both.code, 5) << both.error;
  EXPECT_NE(both.error.find("bad.png"), std::string::npos) << both.error;
  EXPECT_EQ(both.error.find("damaged copies"), std::string::npos) << both.error;
  EXPECT_TRUE(both.out.starts_with("6 characters in 2 styles, ")) << both.out;

  const Outcome judged = run("evaluate " + at("set") + " --model " + at("m") + " --json -" +
                             " --report " + at("r.html") + " --csv " + at("e.csv"));
  EXPECT_EQ(judged.code, 5) << judged.error;
  const auto json = nlohmann::json::parse(judged.out);
  EXPECT_EQ(json.at("pictures"), 5);
  EXPECT_EQ(json.at("right"), 5);
  EXPECT_EQ(json.at("errors").size(), 1U);
  EXPECT_NE(read_file(at("r.html")).find("How well 6 characters are recognised"),
            std::string::npos);
  EXPECT_TRUE(read_file(at("e.csv")).starts_with("character,code,tests,right,")) << at("e.csv");
  const Outcome drawn =
      run("evaluate --font /usr/share/fonts/truetype/wqy/wqy-zenhei.ttc"
          " --damage small,fax --characters U+6728,U+571F --model " +
          at("m"));
  EXPECT_EQ(drawn.code, 0) << drawn.error;
  EXPECT_NE(drawn.out.find("6 pictures from wqy-zenhei.ttc"), std::string::npos) << drawn.out;
  const Outcome info = run("info " + at("m") + " --json -");
  ASSERT_EQ(info.code, 0) << info.error;
  const auto facts = nlohmann::json::parse(info.out);
  EXPECT_EQ(facts.at("characters"), 6);
  EXPECT_EQ(facts.at("by_others"), true);
  EXPECT_EQ(facts.at("learnt_styles").size(), 2U);
  EXPECT_NE(run("info " + at("m")).out.find("characters     6: "), std::string::npos);
  expect_refused(run("info " + at("set")), 4, "manifest.json");

  write_character(at("set/永/b.png"), "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", U'永');
  write_character(at("set/水/b.png"), "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", U'水');
  write_character(at("set/木/b.png"), "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", U'木');
  const Outcome checked =
      run("check --quiet " + at("set") + " --json " + at("c.json") + " --report " + at("c.html") +
          " --set copies=1" + small.substr(0, small.find(" --model")));
  EXPECT_EQ(checked.code, 5) << checked.error;
  EXPECT_NE(checked.out.find("pictures       9 pictures from set: 1 to 2 of a character"),
            std::string::npos)
      << checked.out;
  expect_refused(run("check"), 2, "FOLDER");

  expect_refused(run("evaluate"), 2, "nothing is given");
  expect_refused(run("evaluate " + at("set") + " --columns " + at("c.csv")), 2, "--columns");
  expect_refused(run("evaluate " + folder_.write("p.txt", "十工") + " --damage small"), 2,
                 "--damage");
  expect_refused(run("evaluate " + at("set") + " --damage rain"), 2, "rain");

  expect_refused(run("train " + at("set/永") + small), 3, "subfolders");
  expect_refused(run("train --font " + at("nowhere.ttf") + small), 3, "nowhere.ttf");
}

}  // namespace
}  // namespace leafglyph
