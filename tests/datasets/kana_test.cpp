// Forms and strokes of kana.
#include "datasets/glyph/kana.h"

#include <gtest/gtest.h>

#include <string_view>

namespace leafglyph {
namespace {

// oracle: forms as the names of Unicode have them (LETTER GA, LETTER SMALL TU), strokes as taught.
TEST(Kana, HasFormsAndStrokes) {
  const auto expect = [](char32_t drawn, char32_t plain, KanaForm form, int strokes) {
    const auto kana = kana_of(drawn);
    ASSERT_TRUE(kana) << static_cast<unsigned>(drawn);
    EXPECT_EQ(kana->plain, plain);
    EXPECT_EQ(kana->form, form);
    EXPECT_EQ(kana->strokes, strokes);
    EXPECT_EQ(kana_in_form(plain, form), drawn);
  };
  expect(U'あ', U'あ', KanaForm::kPlain, 3);
  expect(U'が', U'か', KanaForm::kVoiced, 5);
  expect(U'ぱ', U'は', KanaForm::kHalfVoiced, 4);
  expect(U'っ', U'つ', KanaForm::kSmall, 1);
  expect(U'ゔ', U'う', KanaForm::kVoiced, 4);
  expect(U'ヅ', U'ツ', KanaForm::kVoiced, 5);
  expect(U'ヴ', U'ウ', KanaForm::kVoiced, 5);
  expect(U'ヶ', U'ケ', KanaForm::kSmall, 3);
  expect(U'ポ', U'ホ', KanaForm::kHalfVoiced, 5);
  expect(U'ヷ', U'ワ', KanaForm::kVoiced, 4);
  expect(U'ヺ', U'ヲ', KanaForm::kVoiced, 5);
  expect(U'ン', U'ン', KanaForm::kPlain, 2);
}

// mechanics: every kana of both blocks is known, other characters and forms that do not exist are
// not.
TEST(Kana, KnowsBothBlocksAndNothingElse) {
  for (char32_t c = U'ぁ'; c <= U'ゖ'; ++c) EXPECT_TRUE(kana_of(c)) << static_cast<unsigned>(c);
  for (char32_t c = U'ァ'; c <= U'ヺ'; ++c) EXPECT_TRUE(kana_of(c)) << static_cast<unsigned>(c);
  for (const char32_t c : std::u32string_view(U"力A・ーゝ\u3099ｶ")) EXPECT_FALSE(kana_of(c));
  EXPECT_EQ(kana_in_form(U'な', KanaForm::kVoiced), 0U);
  EXPECT_EQ(kana_in_form(U'カ', KanaForm::kHalfVoiced), 0U);
  EXPECT_EQ(kana_in_form(U'ナ', KanaForm::kSmall), 0U);
}

}  // namespace
}  // namespace leafglyph
