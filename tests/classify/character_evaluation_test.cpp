// Evaluation of the recogniser of characters, and its documents.
#include "classify/character/character_evaluation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classify/character/character_training.h"
#include "classify/character/known_lookalikes.h"
#include "classify/character_report/character_report.h"
#include "classify/glyph/lookalikes.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "tests/support/character_picture.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::write_character;

const std::string kTested = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc";
const std::u32string kTaught = U"己已土士大太人入木林水永";

class CharacterEvaluationTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryFolder folder;
    CharacterSpec spec;
    for (const char* file : {"arphic-gbsn00lp/gbsn00lp.ttf", "arphic-gkai00mp/gkai00mp.ttf"}) {
      TrainingFont& font = spec.fonts.emplace_back();
      font.font.file = std::string("/usr/share/fonts/truetype/") + file;
      font.style = file;
    }
    spec.characters = {folder.write("some.txt", encode_utf8(kTaught))};
    spec.features.scales = {{1.5, 4}};
    spec.classifier.directions = 6;
    recogniser_ = new CharacterRecogniser(train_characters(spec).model);
  }
  static void TearDownTestSuite() {
    delete recogniser_;
    recogniser_ = nullptr;
  }
  static CharacterRecogniser* recogniser_;
};
CharacterRecogniser* CharacterEvaluationTest::recogniser_ = nullptr;

// oracle: the figures of a document are those counted here, of pictures in a folder, one of them of
// a character that the model does not have and one that is none, and of a font with a damage.
TEST_F(CharacterEvaluationTest, DocumentsCountTests) {
  const TemporaryFolder folder;
  for (const char32_t character : kTaught + U"金") {
    const auto place = folder / "hands" / encode_utf8(character);
    std::filesystem::create_directories(place);
    write_character((place / "a.png").string(), kTested, character);
  }
  folder.write("hands/金/bad.png", "no picture");
  std::size_t advanced = 0;
  TestedCharacters tested;
  CharacterTests tests(
      *recogniser_, {Damage::kSmall}, [&](std::size_t n) { advanced += n; }, tested);
  tests.add_pictures(load_character_folders(std::vector{(folder / "hands").string()}).pictures);
  FontOptions font;
  font.file = kTested;
  tests.add_font(font, kTaught);
  EXPECT_EQ(tested.tests.size(), 2 * (2 * kTaught.size() + 1));
  EXPECT_EQ(advanced, tested.tests.size());
  ASSERT_EQ(tested.errors.size(), 1U);

  std::size_t known = 0, right = 0, sure = 0, sure_right = 0;
  for (const TestedCharacter& test : tested.tests) {
    EXPECT_EQ(test.is_known, test.truth != U'金');
    if (!test.is_known) continue;
    const bool first = test.prediction.ranking[0].character == test.truth;
    EXPECT_EQ(test.drawing.empty(), first);
    ++known;
    right += first ? 1 : 0;
    if (test.prediction.decision.word() != Word::kSure) continue;
    ++sure;
    sure_right += first ? 1 : 0;
  }
  const PageValues document =
      character_evaluation_document(&recogniser_->model(), tested, "some pictures");
  EXPECT_EQ(document["pictures"], known);
  EXPECT_EQ(document["right"], right);
  EXPECT_DOUBLE_EQ(document["top1"].get<double>(),
                   static_cast<double>(right) / static_cast<double>(known));
  EXPECT_EQ(document["words"]["sure"]["predictions"], sure);
  EXPECT_EQ(document["words"]["sure"]["right"], sure_right);
  EXPECT_EQ(document["outside"]["pictures"], 2U);
  EXPECT_EQ(document["wrong"], known - right);
  EXPECT_EQ(document["mistakes"].size(), known - right);
  EXPECT_EQ(document["groups"].size(), 4U);
  EXPECT_EQ(document["groups"][1]["name"], "hands, small");
  EXPECT_EQ(document["groups"][1]["known"]["pictures"], kTaught.size());
  EXPECT_EQ(document["characters"].size(), kTaught.size());
  EXPECT_EQ(character_evaluation_table(document).rows(), kTaught.size());
  ASSERT_LT(right, known) << "without a mistake the rest says nothing";
  EXPECT_NE(character_evaluation_text(document).find(" -> "), std::string::npos);
  const std::string page = character_evaluation_page(document, tested);
  EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  EXPECT_NE(page.find("taken for"), std::string::npos);
}

// mechanics: nothing is not evaluated.
TEST_F(CharacterEvaluationTest, NothingIsRefused) {
  EXPECT_THROW(character_evaluation_document(&recogniser_->model(), {}, ""), UsageError);
}

// oracle: scores are those that a search among all characters of a set gives; a character that the
// fonts lack has none.
TEST(KnownLookalikes, HaveTheScoresOfTheSearch) {
  const KnownLookalikes known;
  const auto scores = known.scores(std::vector<std::pair<char32_t, char32_t>>{
      {U'己', U'已'}, {U'木', U'林'}, {U'己', U'\xE000'}});
  LookalikeOptions options;
  options.selection = {default_lookalike_fonts({"hsk"}), {"hsk"}, U"", /*skip_missing=*/true};
  options.cache_folder.clear();
  const LookalikeIndex index(options);
  EXPECT_DOUBLE_EQ(scores[0], index.compare(U'己', U'已').score);
  EXPECT_DOUBLE_EQ(scores[1], index.compare(U'木', U'林').score);
  EXPECT_GE(scores[0], kLookalikeFrom);
  EXPECT_LT(scores[1], kLookalikeFrom);
  EXPECT_EQ(scores[2], 0);
}

// oracle: 己 is open where 已 goes on at the upper left, 入 goes on at the top where 人 begins, 目
// has a stroke more in the middle; of 土 and 士 all strokes differ a little.
TEST(KnownLookalikes, DifferInAPlace) {
  const KnownLookalikes known;
  EXPECT_EQ(known.place_of_difference(U'己', U'已'), "at the upper left");
  EXPECT_EQ(known.place_of_difference(U'人', U'入'), "at the top");
  EXPECT_EQ(known.place_of_difference(U'目', U'日'), "in the middle");
  EXPECT_EQ(known.place_of_difference(U'土', U'士'), "");
}

// mechanics: a look-alike is remarked beside an answer that is not sure, and only a look-alike.
TEST(KnownLookalikes, AreRemarkedBesideDoubt) {
  const auto prediction = [](char32_t first, char32_t second, double probability) {
    CharacterPrediction made;
    made.ranking = {{first, probability}, {second, 1 - probability}};
    made.decision = decide({{.unlike = 0, .threshold = 1, .probability = probability}});
    return made;
  };
  const auto remarks = KnownLookalikes().remarks(
      std::vector{prediction(U'己', U'已', 0.9), prediction(U'己', U'已', 0.99),
                  prediction(U'己', U'林', 0.6), prediction(U'土', U'士', 0.6)});
  EXPECT_EQ(remarks[0].other, U'已');
  EXPECT_EQ(remarks[0].place, "at the upper left");
  EXPECT_EQ(remarks[1].other, 0U);
  EXPECT_EQ(remarks[2].other, 0U);
  EXPECT_EQ(remarks[3].other, U'士');
}

}  // namespace
}  // namespace leafglyph
