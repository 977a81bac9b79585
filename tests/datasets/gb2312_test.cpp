// The code table of GB 2312 and UTF-8.
#include "datasets/glyph/gb2312.h"

#include <gtest/gtest.h>
#include <iconv.h>

#include <string>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;
using testing::refuses;

// agreement: the whole table, code by code, with the C library's EUC-CN converter.
TEST(Gb2312, AgreesWithIconvForEveryCode) {
  const iconv_t converter = iconv_open("UTF-32LE", "EUC-CN");
  if (converter == reinterpret_cast<iconv_t>(-1)) GTEST_SKIP() << "iconv here has no EUC-CN";
  const Gb2312 table;
  std::size_t hanzi = 0;
  for (int row = Gb2312::kFirstRow; row <= Gb2312::kLastRow; ++row) {
    for (int position = 1; position <= 94; ++position) {
      char in[2] = {static_cast<char>(0xA0 + row), static_cast<char>(0xA0 + position)};
      char32_t expected = 0;
      char* source = in;
      char* target = reinterpret_cast<char*>(&expected);
      std::size_t source_left = 2;
      std::size_t target_left = sizeof expected;
      iconv(converter, nullptr, nullptr, nullptr, nullptr);
      const bool known = iconv(converter, &source, &source_left, &target, &target_left) == 0;
      const auto code = static_cast<std::uint16_t>((row + 0x20) * 256 + position + 0x20);
      const auto character = table.character(code);
      ASSERT_EQ(character.has_value(), known) << gb2312_code_name(code);
      if (!known) continue;
      ++hanzi;
      EXPECT_EQ(*character, expected) << gb2312_code_name(code);
      EXPECT_EQ(table.code(expected), code);
    }
  }
  iconv_close(converter);
  EXPECT_EQ(hanzi, Gb2312::kHanzi);
}

// oracle: codes printed in the standard.
TEST(Gb2312, KnowsTheFirstTheLastAndTheLeftOutCharacter) {
  const Gb2312 table;
  EXPECT_EQ(table.code(U'啊'), 0x3021);
  EXPECT_EQ(table.code(U'座'), 0x5779);  // last before the gap
  EXPECT_EQ(table.code(U'亍'), 0x5821);  // the first one after it
  EXPECT_EQ(table.code(U'齄'), 0x777E);
  EXPECT_EQ(table.code(U'邯'), 0x3A2A);
  EXPECT_EQ(gb2312_code_name(0x3A2A), "0x3A2A");
  EXPECT_EQ(table.hanzi().size(), Gb2312::kHanzi);
}

// invariant: position, character and code convert back to each other.
TEST(Gb2312, LeadsBackFromEveryCharacter) {
  const Gb2312 table;
  for (std::size_t i = 0; i < table.hanzi().size(); ++i) {
    const char32_t character = table.hanzi()[i];
    ASSERT_EQ(table.index(character), i);
    ASSERT_EQ(table.character(*table.code(character)), character);
  }
}

// mechanics: characters that are not hanzi of GB 2312 are refused with their names.
TEST(Gb2312, RefusesOtherCharacters) {
  const Gb2312 table;
  for (const char32_t character : {U'A', U'龍', U'。', U'あ', U'\U00020000'}) {
    EXPECT_FALSE(table.code(character));
    EXPECT_TRUE(refuses<UsageError>([&] { table.require(character); }, encode_utf8(character)));
  }
  EXPECT_FALSE(table.character(0x577A));  // the gap of row 55
  EXPECT_FALSE(table.character(0x2121));  // punctuation
  EXPECT_FALSE(table.character(0x7821));
  EXPECT_FALSE(table.character(0));
}

// oracle: the boundaries of every length, from the standard's table of well-formed sequences.
TEST(Utf8, DecodesAndEncodesEveryLength) {
  const std::u32string characters = U"\x7F\x80\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF邯";
  const std::string encoded =
      "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
      "\xF4\x8F\xBF\xBF\xE9\x82\xAF";
  EXPECT_EQ(decode_utf8(encoded), characters);
  EXPECT_EQ(encode_utf8(characters), encoded);
  EXPECT_EQ(decode_utf8(""), U"");
}

// mechanics: everything that is not UTF-8 is refused.
TEST(Utf8, RefusesBrokenSequences) {
  for (const std::string broken :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE9\x82", "\xE9", "\xE9\x41\x42", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_THROW(decode_utf8(broken), UsageError) << ::testing::PrintToString(broken);
  }
}

// mechanics: the message names the first byte of the broken sequence and its position.
TEST(Utf8, NamesTheOffendingByte) {
  const auto message = [](std::string_view text) {
    return refusal<UsageError>([&] { decode_utf8(text); });
  };
  EXPECT_NE(message("ab\xFF").find("0xFF at offset 2"), std::string::npos);
  EXPECT_NE(message("\xC3\xA9\xE9\x41\x42").find("0xE9 at offset 2"), std::string::npos);
}

// oracle: counted by hand.
TEST(Utf8, CountsCharactersAndStrayBytes) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("己a\U0001F342"), 3U);
  EXPECT_EQ(count_characters("\xFF己\xE5\x8F"), 4U);
}

// mechanics: one is singular; none and many are plural.
TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "leaf", "leaves"), "0 leaves");
  EXPECT_EQ(counted(1, "leaf", "leaves"), "1 leaf");
  EXPECT_EQ(counted(1907, "leaf", "leaves"), "1907 leaves");
}

// mechanics: control characters are escaped.
TEST(Utf8, PrintableTextIsOneLineThatMovesNoCursor) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("plain 叶 é \U0001F342"), "plain 叶 é \U0001F342");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(printable("\u009b31m\u2028"), "\\xc2\\x9b31m\\xe2\\x80\\xa8");  // a one-character CSI
  EXPECT_EQ(printable("\xff\xe5\x8f"), "\\xff\\xe5\\x8f");  // not UTF-8; a truncated character
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace leafglyph
