// Training of the recogniser of characters on labelled pictures, alone and beside fonts.
#include "classify/character/character_training.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "classify/character/character_check.h"
#include "classify/character/character_drawing.h"
#include "classify/character/character_recogniser.h"
#include "classify/character_report/character_report.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "tests/support/character_picture.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::refusal;
using testing::write_character;

const std::string kTrueType = "/usr/share/fonts/truetype/";
const std::string kSong = kTrueType + "arphic-gbsn00lp/gbsn00lp.ttf",
                  kKai = kTrueType + "arphic-gkai00mp/gkai00mp.ttf",
                  kHei = kTrueType + "wqy/wqy-microhei.ttc";
const std::u32string kFew = U"一二三十口田国永水火木林森明月山川土大天";

CharacterSpec spec_for_folders() {
  CharacterSpec spec;
  spec.characters = {};
  spec.copies = 2;
  spec.features.scales = {{1.5, 6}};
  spec.classifier.directions = 15;
  return spec;
}

// Pictures of kFew in a font, in folders under `folder`: every second one by its code.
void write_style(const fs::path& folder, const std::string& font) {
  for (std::size_t c = 0; c < kFew.size(); ++c) {
    std::string name = encode_utf8(kFew.substr(c, 1));
    if (c % 2 == 1) name = fmt::format("U+{:04X}", static_cast<std::uint32_t>(kFew[c]));
    fs::create_directories(folder / name);
    write_character((folder / name / "1.png").string(), font, kFew[c], 40 + static_cast<int>(c));
  }
}

std::size_t right_of(const CharacterModel& model, const std::string& font) {
  const CharacterRecogniser recogniser(model);
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (std::size_t c = 0; c < kFew.size(); ++c) {
    files.push_back((folder / fmt::format("{}.png", c)).string());
    write_character(files.back(), font, kFew[c]);
  }
  const ReadInks read = read_inks(files);
  const auto found = recogniser.recognise(
      files.size(), [&](std::size_t i) { return read.inks[i]; }, 1);
  std::size_t right = 0;
  for (std::size_t c = 0; c < kFew.size(); ++c) {
    right += found[c].ranking[0].character == kFew[c] ? 1 : 0;
  }
  return right;
}

// mechanics: folders are named by characters or codes, with or without a folder for each style.
TEST(CharacterFolders, AreOfCharactersOrStyles) {
  const TemporaryFolder folder;
  folder.write("book/永/a.png", "");
  folder.write("book/永/b.png", "");
  folder.write("book/U+0041/a.png", "");
  folder.write("book/b/a.png", "");
  folder.write("hands/anna/永/a.png", "");
  folder.write("hands/ben/6C38/a.png", "");
  const std::string book = (folder / "book").string(), hands = (folder / "hands").string();
  const auto found = load_character_folders(std::vector{book, hands}).pictures;
  ASSERT_EQ(found.size(), 6U);
  std::multiset<std::pair<std::string, char32_t>> expected = {{"book", U'永'}, {"book", U'永'},
                                                              {"book", U'A'},  {"book", U'b'},
                                                              {"anna", U'永'}, {"ben", U'永'}};
  std::multiset<std::pair<std::string, char32_t>> read;
  for (const CharacterPicture& picture : found) read.emplace(picture.style, picture.character);
  EXPECT_EQ(read, expected);

  folder.write("wrong/two/a.png", "");
  EXPECT_NE(refusal<InputError>([&] {
              load_character_folders(std::vector{(folder / "wrong").string()});
            }).find("wrong/two: is not named by a character"),
            std::string::npos);
  EXPECT_THROW(load_character_folders(std::vector{(folder / "nowhere").string()}), InputError);
}

// regression: pictures in folders teach two styles as fonts do: of 20 characters in a third style
// two may be wrong.
TEST(CharacterTraining, FoldersTeachStyles) {
  const TemporaryFolder folder;
  write_style(folder / "set/song", kSong);
  write_style(folder / "set/kai", kKai);
  const auto pictures = load_character_folders(std::vector{(folder / "set").string()}).pictures;
  const TrainedCharacters trained = train_characters(spec_for_folders(), pictures);
  EXPECT_TRUE(trained.errors.empty());
  const std::set<char32_t> learnt(trained.model.characters.begin(), trained.model.characters.end());
  EXPECT_EQ(learnt, std::set<char32_t>(kFew.begin(), kFew.end()));
  EXPECT_EQ(trained.model.styles, (std::vector<std::string>{"kai", "song"}));
  EXPECT_TRUE(trained.model.history.judged.by_others);
  EXPECT_GE(right_of(trained.model, kHei) + 2, kFew.size());
}

// mechanics: a single style is judged by its damaged copies, and cannot be without.
TEST(CharacterTraining, OneStyleIsJudgedByCopies) {
  const TemporaryFolder folder;
  write_style(folder / "book", kSong);
  folder.write("book/永/bad.png", "no image");
  const auto pictures = load_character_folders(std::vector{(folder / "book").string()}).pictures;
  const TrainedCharacters trained = train_characters(spec_for_folders(), pictures);
  ASSERT_EQ(trained.errors.size(), 1U);
  EXPECT_NE(trained.errors[0].find("bad.png"), std::string::npos);
  const StyleShares& judged = trained.model.history.judged;
  EXPECT_FALSE(judged.by_others);
  ASSERT_EQ(judged.styles.size(), 1U);
  EXPECT_EQ(judged.styles[0].clean.rows, 0U);
  EXPECT_EQ(judged.styles[0].damaged.rows, kFew.size());
  CharacterSpec plain = spec_for_folders();
  plain.copies = 0;
  EXPECT_TRUE(refuses<UsageError>([&] { train_characters(plain, pictures); }, "copies"));
}

// mechanics: a font adds its characters to those of folders; what no other style has is not judged
// by them.
TEST(CharacterTraining, FontsStandBesideFolders) {
  const TemporaryFolder folder;
  write_style(folder / "song", kSong);
  CharacterSpec spec = spec_for_folders();
  TrainingFont hei;
  hei.font.file = kHei;
  hei.style = "hei";
  spec.fonts = {hei};
  spec.characters = {"U+91D1", "U+82B1"};
  const auto pictures = load_character_folders(std::vector{(folder / "song").string()}).pictures;
  const CharacterModel model = train_characters(spec, pictures).model;
  EXPECT_EQ(model.characters.size(), kFew.size() + 2);
  const StyleShares& judged = model.history.judged;
  ASSERT_EQ(judged.styles.size(), 2U);
  EXPECT_EQ(judged.styles[0].name, "hei");
  EXPECT_EQ(judged.styles[0].clean.rows, kFew.size());
  EXPECT_EQ(judged.styles[1].clean.rows, kFew.size());
}

// mechanics: a check finds a picture in the wrong folder, the same file in two, and one that is not
// a picture, by recognisers of the other styles; what one style alone has is not tested.
TEST(CharacterCheckTest, FindsWhatIsWrong) {
  const TemporaryFolder folder;
  write_style(folder / "set/song", kSong);
  write_style(folder / "set/kai", kKai);
  write_style(folder / "set/hei", kHei);
  write_character((folder / "set/song/木").string() + "/wrong.png", kSong, U'国');
  fs::create_directories(folder / "set/hei/金");
  write_character((folder / "set/hei/金/1.png").string(), kHei, U'金');
  fs::copy(folder / "set/song/一/1.png", folder / "set/song/三/copy.png");
  folder.write("set/song/三/bad.png", "no image");
  const auto pictures = load_character_folders(std::vector{(folder / "set").string()}).pictures;
  const CharacterSpec spec = spec_for_folders();
  std::size_t steps = 0;
  const CharacterCheck check =
      check_characters(spec, pictures, [&](std::size_t count) { steps += count; });
  EXPECT_LE(steps, steps_to_check(spec, pictures));
  EXPECT_TRUE(check.by_styles);
  EXPECT_EQ(check.untested, 1U);
  EXPECT_EQ(check.tested.tests.size(), 3 * kFew.size() + 2);
  const auto found = [&](CharacterLook look, const std::string& file) {
    return std::ranges::count_if(check.look, [&](const CharacterLookAt& at) {
      return at.look == look && at.text.find(file) != std::string::npos;
    });
  };
  EXPECT_EQ(found(CharacterLook::kMisfiled, "wrong.png: looks like 国"), 1);
  EXPECT_EQ(found(CharacterLook::kOtherCharacter, "copy.png: the same file as"), 1);
  EXPECT_EQ(found(CharacterLook::kUnreadable, "bad.png"), 1);
  EXPECT_TRUE(std::ranges::is_sorted(check.look, {}, &CharacterLookAt::look));
  const PageValues document = character_check_document(check, pictures, "a set");
  EXPECT_EQ(document["untested"], 1U);
  const std::string text = character_check_text(document);
  EXPECT_NE(text.find("each style by recognisers of the others"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  in the wrong folder?\n"), std::string::npos) << text;
  EXPECT_NE(character_check_page(document, check).find("Pictures to look at"), std::string::npos);
}

// mechanics: a drawing has the ink in the middle of its square, inside the margin, whatever the
// size of the picture.
TEST(CharacterDrawing, InkFillsTheSquare) {
  for (const int scale : {1, 3, 9}) {
    Image<float> ink(40 * scale, 30 * scale);
    for (int row = 5 * scale; row < 15 * scale; ++row) {
      for (int column = 2 * scale; column < 22 * scale; ++column) ink.at(row, column) = 1;
    }
    const Drawing drawing = as_drawing(ink);
    ASSERT_EQ(drawing.width(), kDrawnSide + 2 * kDrawnMargin);
    // 60 x 30 pixels; the outermost are half covered.
    const int top = drawing.height() / 2 - 15, left = kDrawnMargin;
    EXPECT_GT(drawing.at(top + 1, left + 1), 200);
    EXPECT_GT(drawing.at(top + 28, left + 58), 200);
    EXPECT_LT(drawing.at(top - 2, left + 30), 30);
    EXPECT_LT(drawing.at(top + 15, left - 2), 30);
  }
  EXPECT_EQ(std::ranges::count(as_drawing(Image<float>(9, 9)).pixels(), 0), 80 * 80);
}

}  // namespace
}  // namespace leafglyph
