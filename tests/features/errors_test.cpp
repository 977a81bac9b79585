#include "features/base/errors.h"

#include <gtest/gtest.h>

#include <string>

#include "features/base/input_file.h"

namespace leafglyph {
namespace {

using namespace std::string_literals;

// mechanics: whatever a message was made of, what() is one line that moves no cursor; what is
// printable stays as it is.
TEST(Errors, MessagesArePrintable) {
  const std::string name = "a\nb\x1b[2J\xff\0c"s;
  EXPECT_EQ(Error(name).what(), "a\\nb\\x1b[2J\\xff\\x00c"s);
  EXPECT_EQ(UsageError(name + "叶").what(), "a\\nb\\x1b[2J\\xff\\x00c叶"s);
  EXPECT_STREQ(InputError(Error(name).what()).what(), Error(name).what()) << "one in another";
  EXPECT_EQ(FormatError("'" + name + "'").code(), ExitCode::kFormat);
}

// mechanics: so that who throws need not think of it: the name of a file, which may hold any byte.
TEST(Errors, NamesOfFilesArePrintableInThem) {
  try {
    open_input(
        "no\tsuch\x07"
        "file");
    FAIL() << "it was opened";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              "no\\tsuch\\x07"
              "file: there is no such file"s);
  }
}

}  // namespace
}  // namespace leafglyph
