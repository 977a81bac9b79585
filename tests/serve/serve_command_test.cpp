// End to end: the command `leafglyph serve`.
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

class ServeCommandTest : public CommandTest {
 protected:
  ServeCommandTest() : CommandTest("serve") {}
};

// mechanics: the address is all that is printed; Ctrl-C and TERM are the way to end it.
TEST_F(ServeCommandTest, SaysItsAddressAndEndsWithASignal) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome =
        run_interrupted("--port 0", signal, "grep -q Ctrl-C $(dirname $stderr)/stdout");
    EXPECT_EQ(outcome.code, 0) << signal;
    EXPECT_TRUE(outcome.out.starts_with("LeafGlyph is at http://127.0.0.1:")) << outcome.out;
    EXPECT_EQ(outcome.error, "");
  }
}

// mechanics: what cannot be served is said before anything is.
TEST_F(ServeCommandTest, WrongOptionsAreRefused) {
  expect_refused(run("--port 65536"), 2, "65536");
  expect_refused(run("--port x"), 2, "x");
  expect_refused(run("--bind localhost"), 2, "localhost");
  expect_refused(run("--port 0 --model " + at("none")), 3, "none");
  folder_.write("file", "no model");
  expect_refused(run("--port 0 --model " + at("file")), 4, "file");
}

}  // namespace
}  // namespace leafglyph
