// Texts and tables of other programs.
#include <gtest/gtest.h>

#include <iconv.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/foreign_text.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

// The UTF-8 text in another encoding, by iconv, which the reader trusts, too: the bytes that it
// makes of the words below stand beside it.
std::string in(const char* encoding, std::string text) {
  const iconv_t handle = iconv_open(encoding, "UTF-8");
  std::string bytes(4 * text.size() + 4, '\0');
  char* from = text.data();
  char* to = bytes.data();
  std::size_t left = text.size(), room = bytes.size();
  EXPECT_EQ(iconv(handle, &from, &left, &to, &room), 0U) << encoding;
  iconv_close(handle);
  bytes.resize(bytes.size() - room);
  return bytes;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// oracle: the bytes of a word in each encoding, from its code charts
TEST(ForeignText, ReadsEncodings) {
  const std::string word = "橡树,叶\n";
  EXPECT_EQ(foreign_text("橡树,叶\r\n", "f").text, word);
  EXPECT_EQ(foreign_text("\xEF\xBB\xBF橡树,叶\r", "f").text, word);
  EXPECT_EQ(foreign_text({"\xFF\xFE\x61\x6A\x11\x68\x2C\x00\xF6\x53\x0A\x00", 12}, "f").text, word);
  EXPECT_EQ(foreign_text({"\xFE\xFF\x6A\x61\x68\x11\x00\x2C\x53\xF6\x00\x0A", 12}, "f").text, word);
  const ForeignText gb = foreign_text("\xCF\xF0\xCA\xF7,\xD2\xB6\n", "f");
  EXPECT_EQ(gb.text, word);
  EXPECT_EQ(gb.note, "f: read as GB 18030");
  EXPECT_EQ(foreign_text("\xE8\xDD\n", "f").text, "栎\n") << "a rare character alone";
  EXPECT_EQ(in("GB18030", word), "\xCF\xF0\xCA\xF7,\xD2\xB6\n");
}

// mechanics: other bytes stay as they are, and a line says so
TEST(ForeignText, LeavesOtherBytes) {
  for (const std::string latin : {"caf\xE9\n",
                                  "Gr\xF6\xDF"
                                  "e,\xC9t\xE9\n",
                                  "na\xEFve\n"}) {
    const ForeignText text = foreign_text(latin, "f");
    EXPECT_EQ(text.text, latin);
    EXPECT_EQ(text.note, "f: has bytes that are not UTF-8, which are shown as \\xNN");
  }
  EXPECT_EQ(foreign_text("plain", "f").note, "");
  EXPECT_NE(refusal<InputError>([] {
              foreign_text({"\xFF\xFE\x00\xD8", 4}, "f");
            }).find("UTF-16"),
            std::string::npos);
}

class ForeignTableTest : public ::testing::Test {
 protected:
  std::vector<std::vector<std::string>> rows(const std::string& bytes) {
    ForeignTable table(bytes, "table.csv", "name columns");
    const auto path = table.reader().column("path"), label = table.reader().column("label");
    if (!path || !label) table.reader().refuse("no path or label");
    std::vector<std::vector<std::string>> rows;
    for (std::vector<std::string> fields; table.reader().next(fields);) {
      rows.push_back({fields[*path], fields[*label]});
    }
    return rows;
  }
};

// mechanics: ten dialects of one table
TEST_F(ForeignTableTest, ReadsTenDialects) {
  const std::vector<std::vector<std::string>> expected = {{"a b/1.jpg", "橡树"},
                                                          {"c/2.jpg", "x,y;z"}};
  const std::string comma = "path,label\na b/1.jpg,橡树\nc/2.jpg,\"x,y;z\"\n";
  const std::string semicolon = "path;label\na b/1.jpg;橡树\nc/2.jpg;\"x,y;z\"\n";
  const std::string tab = "path\tlabel\na b/1.jpg\t橡树\nc/2.jpg\tx,y;z\n";
  const std::array<std::string, 10> dialects = {
      comma,
      "\xEF\xBB\xBF" + replaced(comma, "\n", "\r\n"),
      replaced(comma, "\n", "\r"),
      semicolon,
      tab,
      "path，label\na b/1.jpg，橡树\nc/2.jpg，\"x,y;z\"\n",
      in("GB18030", replaced(semicolon, "\n", "\r\n")),
      "\xFF\xFE" + in("UTF-16LE", tab),
      in("UTF-16BE", comma),
      "Site,Label,PATH,,\nhill,橡树,a b/1.jpg,,\nvale,\"x,y;z\",c/2.jpg,,\n"};
  for (const std::string& dialect : dialects) EXPECT_EQ(rows(dialect), expected) << dialect;
}

// mechanics: two that cannot be read say why
TEST_F(ForeignTableTest, RefusesTwoWithTheirCause) {
  EXPECT_NE(refusal<InputError>([&] { rows("path,label\n\"a.jpg,oak\n"); }).find("closing quote"),
            std::string::npos);
  EXPECT_NE(refusal<InputError>([&] {
              rows("path,label\na.jpg,oak,2019\n");
            }).find("line 2: has 3 fields instead of 2"),
            std::string::npos);
}

// mechanics: a file that has a backslash in its name is found, others are in folders
TEST(ForeignTable, DividesPathsAsWindowsDoes) {
  const TemporaryFolder folder;
  EXPECT_EQ(path_of_field(folder.path(), "oak\\1.jpg"), folder.path() / "oak/1.jpg");
  std::ofstream(folder.path() / "oak\\1.jpg") << 'x';
  EXPECT_EQ(path_of_field(folder.path(), "oak\\1.jpg"), folder.path() / "oak\\1.jpg");
}

}  // namespace
}  // namespace leafglyph
