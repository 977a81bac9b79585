#include "features/base/errors.h"

#include <gtest/gtest.h>

#include <string>

#include "features/base/input_file.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;

using namespace std::string_literals;

// mechanics: whatever a message contains, what() is one line without control characters; printable
// text is unchanged.
TEST(Errors, MessagesArePrintable) {
  const std::string name = "a\nb\x1b[2J\xff\0c"s;
  EXPECT_EQ(Error(name).what(), "a\\nb\\x1b[2J\\xff\\x00c"s);
  EXPECT_EQ(UsageError(name + "叶").what(), "a\\nb\\x1b[2J\\xff\\x00c叶"s);
  EXPECT_STREQ(InputError(Error(name).what()).what(), Error(name).what()) << "one in another";
  EXPECT_EQ(FormatError("'" + name + "'").code(), ExitCode::kFormat);
}

// mechanics: a file name may contain any byte; code that throws does not need to escape it.
TEST(Errors, NamesOfFilesArePrintableInThem) {
  EXPECT_EQ(refusal<InputError>([] {
              open_input(
                  "no\tsuch\x07"
                  "file");
            }),
            "no\\tsuch\\x07"
            "file: there is no such file"s);
}

}  // namespace
}  // namespace leafglyph
