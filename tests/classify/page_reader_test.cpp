// Pages of text: their ink, lines and direction, and what is read of them.
#include "classify/character/page_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "classify/character/character_training.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_page.h"

namespace leafglyph {
namespace {

using testing::kPageFonts;
using testing::page_of;
using testing::PageForm;
using testing::refuses;

const std::u32string kPageCharacters =
    U"一二三十口田国永水火木林森明月山川己已土士大太天人入八金花草字学小日校休";
// Lines with characters that fall apart, others that together would be one, and marks.
const std::vector<std::u32string> kPageText = {U"明月山川，小林三二一。", U"日月木木休八人、火水",
                                               U"永田国花草金大学校。", U"川三十二小八林森明"};

TrainingFont page_font(const std::string& file, const std::string& style) {
  TrainingFont training;
  training.font.file = kPageFonts + file;
  training.style = style;
  return training;
}

std::u32string without_marks(const std::u32string& line) {
  std::u32string kept;
  for (const char32_t character : line) {
    if (kPageCharacters.find(character) != std::u32string::npos) kept += character;
  }
  return kept;
}

// Characters that are at their place in their line.
std::size_t right_in(const ReadPage& page) {
  std::size_t right = 0;
  for (std::size_t l = 0; l < std::min(page.lines.size(), kPageText.size()); ++l) {
    const std::u32string read = decode_utf8(text_of(page.lines[l])),
                         truth = without_marks(kPageText[l]);
    for (std::size_t i = 0; i < std::min(read.size(), truth.size()); ++i) {
      right += read[i] == truth[i] ? 1 : 0;
    }
  }
  return right;
}

std::size_t characters_in_text() {
  std::size_t count = 0;
  for (const auto& line : kPageText) count += without_marks(line).size();
  return count;
}

class PageReaderTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TemporaryFolder folder;
    CharacterSpec spec;
    spec.fonts = {page_font("arphic-gbsn00lp/gbsn00lp.ttf", "song"),
                  page_font("arphic-gkai00mp/gkai00mp.ttf", "kai"),
                  page_font("wqy/wqy-microhei.ttc", "hei")};
    spec.characters = {folder.write("some.txt", encode_utf8(kPageCharacters))};
    spec.features.scales = {{1.5, 6}};
    spec.classifier.directions = 30;
    recogniser_ = new CharacterRecogniser(train_characters(spec).model);
  }
  static void TearDownTestSuite() {
    delete recogniser_;
    recogniser_ = nullptr;
  }
  static ReadPage read(const PageForm& form, const PageRequest& request = {}) {
    return read_page(*recogniser_, page_ink(page_of(kPageText, form)), request);
  }

  static CharacterRecogniser* recogniser_;
};
CharacterRecogniser* PageReaderTest::recogniser_ = nullptr;

// regression: nineteen of twenty characters of fonts that were not learnt are read at their places,
// whichever way the lines run, tilted, with noise, or light on dark; the direction and the tilt
// are found, that to one degree, which moves the ends of lines of ten by a tenth of a character.
TEST_F(PageReaderTest, CharactersAreReadInTheirPlaces) {
  std::vector<PageForm> forms(7);
  forms[1].vertical = true;
  forms[2].font = kPageFonts + "wqy/wqy-zenhei.ttc";
  forms[2].lead = 1.3;
  forms[3].tilt = 2.5;
  forms[3].noise = 12;
  forms[4].vertical = true;
  forms[4].tilt = -2;
  forms[4].noise = 12;
  forms[5].light_on_dark = true;
  forms[6].vertical = true;
  forms[6].lead = 1.35;
  for (const PageForm& form : forms) {
    SCOPED_TRACE(::testing::Message() << form.font << (form.vertical ? " vertical " : " ")
                                      << form.lead << " " << form.tilt);
    const ReadPage page = read(form);
    EXPECT_EQ(page.direction == TextDirection::kVertical, form.vertical);
    EXPECT_NEAR(page.tilt, form.tilt, 1);
    ASSERT_EQ(page.lines.size(), kPageText.size());
    EXPECT_GE(20 * right_in(page), 19 * characters_in_text()) << text_of(page);
  }
}

// invariant: a box has the middle of the square that its character was drawn in, within a third of
// its side, as marks and thin characters are not in the middle; on a tilted page, too.
TEST_F(PageReaderTest, BoxesAreWhereCharactersAre) {
  for (const double tilt : {0.0, 2.0}) {
    PageForm form;
    form.tilt = tilt;
    const ReadPage page = read(form);
    const double slope = std::tan(tilt * std::numbers::pi / 180);
    ASSERT_EQ(page.lines.size(), kPageText.size());
    for (std::size_t l = 0; l < kPageText.size(); ++l) {
      ASSERT_EQ(page.lines[l].characters.size(), kPageText[l].size()) << text_of(page);
      for (std::size_t c = 0; c < kPageText[l].size(); ++c) {
        const double x = (2.5 + static_cast<double>(c)) * form.size,
                     y = 2.5 * form.size +
                         static_cast<double>(l) * std::floor(form.lead * form.size);
        const MaskBox& box = page.lines[l].characters[c].box;
        EXPECT_NEAR((box.left + box.right) / 2.0, x + slope * (y - page.height / 2.0),
                    form.size / 3.0);
        if (!page.lines[l].characters[c].prediction) continue;
        EXPECT_NEAR((box.top + box.bottom) / 2.0, y - slope * (x - page.width / 2.0),
                    form.size / 3.0);
      }
    }
  }
}

// mechanics: the direction that is asked for is used; as many candidates are ranked as asked for;
// progress counts every picture.
TEST_F(PageReaderTest, RequestsAreMet) {
  std::size_t done = 0, all = 0;
  PageRequest request;
  request.direction = TextDirection::kVertical;
  request.top = 3;
  request.advance = [&](std::size_t some, std::size_t of) {
    done += some;
    all = of;
  };
  const ReadPage page = read({}, request);
  EXPECT_EQ(page.direction, TextDirection::kVertical);
  EXPECT_GT(done, characters_in_text());
  EXPECT_EQ(done, all);
  for (const ReadLine& line : page.lines) {
    for (const ReadCharacter& character : line.characters) {
      if (!character.prediction) continue;
      EXPECT_EQ(character.prediction->ranking.size(), 3U);
    }
  }
}

// mechanics: an empty page is refused; one with a rule alone has no lines.
TEST_F(PageReaderTest, PagesWithoutTextHaveNoLines) {
  EXPECT_TRUE(
      refuses<InputError>([] { page_ink(Image<std::uint8_t>(300, 200, 250)); }, "no character"));
  EXPECT_EQ(read_page(*recogniser_, Image<float>(300, 200), {}).lines.size(), 0U);
}

// oracle: a pixel of a turned picture is where the turn puts it: clockwise by the angle about the
// middle, in a picture that has its corners.
TEST(PageInk, IsTurnedClockwise) {
  Image<float> ink(201, 101);
  for (int row = 19; row <= 21; ++row) {
    for (int column = 159; column <= 161; ++column) ink.at(row, column) = 1;
  }
  const TurnedInk result = turned(ink, 30);
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  const double x = c * 60 + s * 30 + (result.ink.width() - 1) / 2.0,
               y = s * 60 - c * 30 + (result.ink.height() - 1) / 2.0;
  EXPECT_GT(result.ink.at(static_cast<int>(std::lround(y)), static_cast<int>(std::lround(x))),
            0.9F);
  const auto [before_x, before_y] = result.before({x, y});
  EXPECT_NEAR(before_x, 160, 1e-9);
  EXPECT_NEAR(before_y, 20, 1e-9);
  EXPECT_GE(result.ink.width(), 201 * c + 101 * s);
}

// oracle: pixels that touch at a corner are one part.
TEST(PageInk, PartsTouch) {
  Image<float> ink(8, 6);
  ink.at(1, 1) = ink.at(2, 2) = 1;
  ink.at(4, 5) = ink.at(4, 6) = 0.5F;
  ink.at(0, 7) = 0.3F;
  const InkParts found = ink_parts(ink);
  ASSERT_EQ(found.parts.size(), 2U);
  EXPECT_EQ(found.parts[0].pixels, 2);
  EXPECT_EQ(found.labels.at(2, 2), 1);
  EXPECT_EQ(found.labels.at(4, 6), 2);
  EXPECT_EQ(found.labels.at(0, 7), 0);
  EXPECT_EQ(found.parts[1].box.left, 5);
  EXPECT_EQ(found.parts[1].box.right, 6);
}

// invariant: boxes come back from the reader's coordinates.
TEST(PageLayoutTest, BoxesComeBack) {
  const MaskBox box{3, 5, 10, 20};
  for (const TextDirection direction : kNamesOf<TextDirection>.values()) {
    const MaskBox again = mask_box(text_box(box, direction, 40), direction, 40);
    EXPECT_EQ(std::vector({again.left, again.top, again.right, again.bottom}),
              std::vector({box.left, box.top, box.right, box.bottom}));
  }
  EXPECT_EQ(text_box(box, TextDirection::kVertical, 40).across.first, 29);
}

}  // namespace
}  // namespace leafglyph
