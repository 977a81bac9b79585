// Look-alikes: search, score, several fonts.
#include "classify/glyph/lookalikes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalike_score.h"
#include "classify/glyph_report/glyph_drawing.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "tests/support/bdf_font.h"
#include "tests/support/drawn_characters.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

// oracle: among five drawn characters 干 is most like 十, and 二 most like 三.
TEST(Lookalikes, FindsTheDrawnOnes) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  EXPECT_EQ(index.selected().characters, U"二干三十一");  // in GB 2312 order
  EXPECT_EQ(index.selected().missing.size(), 1U);
  EXPECT_EQ(index.similar(U'十', 4).front().character, U'干');
  EXPECT_EQ(index.similar(U'干', 4).front().character, U'十');
  EXPECT_EQ(index.similar(U'三', 4).front().character, U'二');
}

// invariant: every other character appears once, distances grow, scores fall, and compare() gives
// exactly the same figures, both ways.
TEST(Lookalikes, AnswersAreSortedAndAgreeWithCompare) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  for (const char32_t query : index.selected().characters) {
    const auto answers = index.similar(query, 4);
    ASSERT_EQ(answers.size(), 4U);
    std::u32string seen(1, query);
    for (std::size_t k = 0; k < answers.size(); ++k) {
      EXPECT_EQ(seen.find(answers[k].character), std::u32string::npos);
      seen.push_back(answers[k].character);
      EXPECT_GE(answers[k].score, 0.0);
      EXPECT_LE(answers[k].score, 1.0);
      EXPECT_GE(answers[k].distance, answers[k > 0 ? k - 1 : 0].distance);
      EXPECT_LE(answers[k].score, answers[k > 0 ? k - 1 : 0].score);
      const Lookalike forth = index.compare(query, answers[k].character);
      const Lookalike back = index.compare(answers[k].character, query);
      EXPECT_EQ(forth.distance, answers[k].distance);
      EXPECT_EQ(back.distance, answers[k].distance);
      EXPECT_EQ(forth.score, answers[k].score);
    }
  }
  EXPECT_EQ(index.compare(U'十', U'十').distance, 0.0);
  EXPECT_EQ(index.compare(U'十', U'十').score, 1.0);
}

// oracle: by readers' confusions, common characters come before rare ones that are drawn as alike,
// and before less like ones with the same phonetic part; compare() gives the same figures.
TEST(Lookalikes, ReadersConfuseCommonCharacters) {
  const TemporaryFolder folder;
  auto dot = kTen;
  dot[0][0] = '#';
  // 七 is common, 亍 is not in general use; both are drawn with one pixel more than 十.
  LookalikeOptions options = options_for({folder.write(
      "a.bdf", bdf_font({{0x5341, kTen}, {0x4E03, dot}, {0x4E8D, dot}, {0x4E00, kOne}}))});
  EXPECT_EQ(LookalikeIndex(options).similar(U'十', 1).front().score,
            LookalikeIndex(options).compare(U'十', U'亍').score);
  options.profile.measure = LookalikeMeasure::kReaders;
  const LookalikeIndex index(options);
  const auto answers = index.similar(U'十', 3);
  EXPECT_EQ(answers[0].character, U'七');
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const Lookalike same = index.compare(U'十', answers[k].character);
    EXPECT_EQ(same.evidence, answers[k].evidence);
    EXPECT_EQ(same.score, answers[k].score);
    EXPECT_EQ(same.distance, answers[k].distance);
    EXPECT_LE(answers[k].evidence, answers[k > 0 ? k - 1 : 0].evidence);
  }
  EXPECT_EQ(index.compare(U'十', U'十').score, 1.0);
}

// mechanics: results come from the requested candidates, as many as there are.
TEST(Lookalikes, AnswersAreAmongTheAsked) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  const auto among = [](char32_t c) { return c == U'一' || c == U'二' || c == U'三'; };
  const auto answers = index.similar(U"十三", 3, {among, false, {}});
  EXPECT_EQ(answers[0].size(), 3U);
  ASSERT_EQ(answers[1].size(), 2U);  // never itself
  EXPECT_EQ(answers[1].front().character, U'二');
  EXPECT_EQ(answers[1].front().distance, index.compare(U'三', U'二').distance);
}

// mechanics: invalid requests.
TEST(Lookalikes, RefusesWhatIsNotThere) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  EXPECT_THROW(index.similar(U'十', 0), UsageError);
  EXPECT_THROW(index.similar(U'十', 5), UsageError);
  EXPECT_THROW(index.similar(U'土', 1), UsageError);
  EXPECT_THROW(index.similar(U"十", 1, {[](char32_t) { return false; }, false, {}}), UsageError);
  EXPECT_THROW(index.similar(U"", 1), UsageError);
  EXPECT_THROW(index.compare(U'十', U'A'), UsageError);
  LookalikeOptions strict = options_for({folder.write("a.bdf", drawn_font())});
  strict.selection.skip_missing = false;
  EXPECT_THROW(LookalikeIndex{strict}, InputError);
}

// oracle: the distance over two fonts is the mean of the fonts' distances; a character that one of
// them lacks is reported and left out.
TEST(Lookalikes, AveragesOverFonts) {
  const TemporaryFolder folder;
  auto other = kTen;
  other[6] = "..###...";
  const std::string a = folder.write("a.bdf", drawn_font());
  const std::string b = folder.write(
      "b.bdf", bdf_font({{0x4E00, kOne}, {0x4E09, kThree}, {0x4E8C, kTwo}, {0x5341, other}}));
  const LookalikeIndex in_a(options_for({a}));
  const LookalikeIndex in_b(options_for({b}));
  const LookalikeIndex in_both(options_for({a, b}));
  EXPECT_EQ(in_both.selected().characters, U"二三十一");
  ASSERT_EQ(in_both.selected().missing.size(), 1U);
  const std::string& missing = in_both.selected().missing.front();
  EXPECT_NE(missing.find("6749 more left out"), std::string::npos)
      << missing;  // of 6763, 4 are left
  EXPECT_NE(missing.find("a.bdf', '"), std::string::npos) << missing;
  EXPECT_NE(missing.find("b.bdf"), std::string::npos) << missing;
  EXPECT_DOUBLE_EQ(in_both.compare(U'十', U'三').distance,
                   (in_a.compare(U'十', U'三').distance + in_b.compare(U'十', U'三').distance) / 2);
}

DrawnGlyph drawn_glyph(const std::vector<std::string>& rows) {
  return {static_cast<int>(rows.size()), drawn_ink(rows)};
}

// agreement: a drawing equal to 十 to the pixel is that character, and as far from the others as
// 十.
TEST(Lookalikes, ADrawingIsComparedAsTheCharacterIs) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  EXPECT_EQ(index.drawing_size(), 8);
  const std::vector<Lookalike> answers = index.similar(drawn_glyph(kTen), 5);
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers.front().character, U'十');
  EXPECT_EQ(answers.front().distance, 0.0);
  for (std::size_t k = 1; k < answers.size(); ++k) {
    const Lookalike same = index.compare(U'十', answers[k].character);
    EXPECT_EQ(answers[k].distance, same.distance);
    EXPECT_EQ(answers[k].score, same.score);
    EXPECT_LE(answers[k - 1].distance, answers[k].distance);
  }
}

// regression: a rare character never came first for a drawing of it, because common ones are
// confused more often
TEST(Lookalikes, ADrawingIsTheNearestCharacterHoweverRare) {
  const TemporaryFolder folder;
  auto rare = kTen, common = kTen;
  rare[0][0] = common[0][1] = '#';
  LookalikeOptions options = options_for({folder.write(
      "a.bdf", bdf_font({{0x5341, kTen}, {0x4E03, common}, {0x4E8D, rare}, {0x4E00, kOne}}))});
  options.profile.measure = LookalikeMeasure::kReaders;
  const LookalikeIndex index(options);
  auto drawn = rare;
  drawn[7][7] = '#';  // by an unsteady hand
  const auto answers = index.similar(drawn_glyph(drawn), 4);
  EXPECT_EQ(answers.front().character, U'亍');
  for (std::size_t k = 1; k < answers.size(); ++k) {
    EXPECT_LE(answers[k - 1].distance, answers[k].distance);
    EXPECT_GE(answers[k - 1].score, answers[k].score);
  }
}

// invariant: fonts whose size differs from the drawing's have no influence.
TEST(Lookalikes, ADrawingIsHeldAgainstFontsOfItsSize) {
  const TemporaryFolder folder;
  const std::string small = folder.write("a.bdf", drawn_font());
  LookalikeOptions both = options_for({small, small});
  const std::vector<std::string> line(16, "################");
  std::vector<BdfGlyph> large;
  for (const int code : {0x4E00, 0x4E09, 0x4E8C, 0x5341, 0x5E72}) large.push_back({code, line});
  both.selection.fonts[1].file =
      folder.write("b.bdf", bdf_font(large, "ISO10646", "1", /*side=*/16));
  both.selection.fonts[1].pixel_size = 16;
  const auto alone = LookalikeIndex(options_for({small})).similar(drawn_glyph(kDry), 5);
  const auto answers = LookalikeIndex(both).similar(drawn_glyph(kDry), 5);
  ASSERT_EQ(answers.size(), alone.size());
  for (std::size_t k = 0; k < answers.size(); ++k) {
    EXPECT_EQ(answers[k].character, alone[k].character);
    EXPECT_EQ(answers[k].distance, alone[k].distance);
  }
}

// mechanics: inputs that are not drawings, and drawings of a size that no font has.
TEST(Lookalikes, RefusesWhatIsNoDrawing) {
  const TemporaryFolder folder;
  const LookalikeIndex index(options_for({folder.write("a.bdf", drawn_font())}));
  EXPECT_THROW(index.similar(DrawnGlyph{8, {}}, 1), UsageError);
  EXPECT_THROW(index.similar(DrawnGlyph{8, std::vector<std::uint8_t>(64)}, 1), UsageError);
  EXPECT_THROW(index.similar(DrawnGlyph{9, std::vector<std::uint8_t>(81, 255)}, 1), UsageError);
  EXPECT_THROW(index.similar(drawn_glyph(kTen), 0), UsageError);
  EXPECT_THROW(index.similar(drawn_glyph(kTen), 6), UsageError);
}

// oracle: five pairs at 1 to 5: with k of them having less evidence, a score is (k + 1/2) / 6, from
// 0.5 / 6 to 5.5 / 6, linear in between, and never 1.
TEST(LookalikeScore, IsTheShareOfPairsWithLessEvidence) {
  const auto score = LookalikeScore::of_pairs({3.0, 1.0, 4.0, 2.0, 5.0});
  EXPECT_DOUBLE_EQ(score(0.0), 0.5 / 6);
  EXPECT_DOUBLE_EQ(score(1.0), 0.5 / 6);
  EXPECT_DOUBLE_EQ(score(2.0), (0.25 * 5 + 0.5) / 6);
  EXPECT_DOUBLE_EQ(score(3.5), (0.625 * 5 + 0.5) / 6);
  EXPECT_DOUBLE_EQ(score(5.0), 5.5 / 6);
  EXPECT_DOUBLE_EQ(score(100.0), 5.5 / 6);
  for (double e = 1.0; e < 4.9; e += 0.1) EXPECT_LT(score(e), score(e + 0.1));
  EXPECT_DOUBLE_EQ(LookalikeScore::of_quantiles({1.0, 2.0, 3.0}, 99)(3.0), 99.5 / 100);
  std::vector<double> many;
  for (int k = 1000; k >= 0; --k) many.push_back(k);
  // Quantiles are interpolated in steps of 1/64.
  for (const double e : {1.0, 10.0, 250.0, 999.0}) {
    EXPECT_NEAR(LookalikeScore::of_pairs(many)(e), e / 1000, 1e-3) << e;
  }
}

// mechanics: equal evidence shares a knot; knots that do not increase are refused.
TEST(LookalikeScore, HandlesTiesAndRefusesDisorder) {
  const auto score = LookalikeScore::of_pairs({2.0, 1.0, 1.0, 2.0});
  EXPECT_DOUBLE_EQ(score(1.0), (4.0 / 3 + 0.5) / 5);
  EXPECT_DOUBLE_EQ(score(2.0), 4.5 / 5);
  EXPECT_DOUBLE_EQ(LookalikeScore::of_pairs({0.0})(0.0), 0.75);
  EXPECT_EQ(LookalikeScore()(-0.1), 0.0);
  EXPECT_EQ(LookalikeScore()(0.0), 1.0);
  EXPECT_THROW(LookalikeScore(std::vector<LookalikeScore::Knot>{}), FormatError);
  EXPECT_THROW(LookalikeScore({{0.0, 1.5}}), FormatError);
  EXPECT_THROW(LookalikeScore({{0.0, 0.5}, {0.0, 1.0}}), FormatError);
  EXPECT_THROW(LookalikeScore({{0.0, 1.0}, {1.0, 1.0}}), FormatError);
  EXPECT_THROW(LookalikeScore({{0.0, 0.0}, {std::nan(""), 1.0}}), FormatError);
}

// oracle: well-known confusable pairs of the Unicode security mechanisms (TR39), from three scripts
// and from symbols. One font draws them; the partner is among the three nearest of about 700
// characters.
TEST(Lookalikes, FindsConfusableLettersOfOtherScripts) {
  LookalikeOptions options;
  FontOptions font;
  font.file = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc";
  if (!std::filesystem::exists(font.file)) GTEST_SKIP() << "fonts-wqy-microhei is not installed";
  options.selection.fonts = {font};
  options.selection.characters = {"U+0021..U+024F", "greek and coptic", "cyrillic", "katakana"};
  options.cache_folder.clear();
  const LookalikeIndex index(options);
  ASSERT_GT(index.selected().characters.size(), 600U);
  for (const std::u32string_view pair :
       {U"AΑ", U"AА", U"BВ", U"EЕ", U"HН", U"KК", U"MМ", U"OО", U"PР", U"TТ", U"XХ",
        U"aа", U"cс", U"eе", U"oо", U"pр", U"xх", U"yу", U"ij", U"1l", U"0O", U"ソン"}) {
    if (!index.draws(pair[0]) || !index.draws(pair[1])) continue;
    const auto answers = index.similar(pair[0], 10);
    EXPECT_TRUE(std::any_of(answers.begin(), answers.end(), [&](const Lookalike& answer) {
      return answer.character == pair[1];
    })) << encode_utf8(pair);
  }
}

// oracle: complete linkage of four characters computed by hand. 一二 are most alike; 三 is like
// both; 十 is like 三 only, and 干 has no mutual partner.
TEST(LookalikeGroups, EveryMemberIsLikeEveryOther) {
  const auto answers = [](std::initializer_list<std::pair<char32_t, double>> scored) {
    std::vector<Lookalike> list;
    for (const auto& [character, score] : scored) {
      list.push_back({character, 1 - score, score, score});
    }
    return list;
  };
  const std::u32string characters = U"一二三十干";
  const std::vector<std::vector<Lookalike>> lists = {
      answers({{U'二', 0.9}, {U'三', 0.8}, {U'干', 0.7}}), answers({{U'一', 0.9}, {U'三', 0.7}}),
      answers({{U'一', 0.8}, {U'十', 0.75}, {U'二', 0.7}}), answers({{U'三', 0.75}}),
      answers({{U'十', 0.6}})};
  const auto groups = lookalike_groups(characters, lists, 0.65);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].characters, U"一三二");  // by code point
  EXPECT_EQ(groups[0].score, 0.7);
  const auto strict = lookalike_groups(characters, lists, 0.72);
  ASSERT_EQ(strict.size(), 2U);
  EXPECT_EQ(strict[0].characters, U"一二");
  EXPECT_EQ(strict[1].characters, U"三十");
  EXPECT_TRUE(lookalike_groups(characters, lists, 0.95).empty());
}

// oracle: drawings of a handmade glyph.
TEST(GlyphDrawing, DrawsBlocksAndBraille) {
  const auto ink = drawn_ink(kTen);
  EXPECT_EQ(draw_lines(ink, 8, DrawingStyle::kBlocks),
            (std::vector<std::string>{"   █    ", "▄▄▄█▄▄▄▄", "   █    ", "   ▀    "}));
  EXPECT_EQ(draw_lines(ink, 8, DrawingStyle::kBraille), (std::vector<std::string>{"⣀⣸⣀⣀", "⠀⠸⠀⠀"}));
  EXPECT_EQ(drawing_width(DrawingStyle::kBlocks, 8), 8);
  EXPECT_EQ(drawing_width(DrawingStyle::kBraille, 8), 4);
  EXPECT_EQ(drawing_width(DrawingStyle::kBraille, 9), 5);
}

}  // namespace
}  // namespace leafglyph
