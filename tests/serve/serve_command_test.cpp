// End to end: the command `leafglyph serve`.
#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

class ServeCommandTest : public CommandTest {
 protected:
  ServeCommandTest() : CommandTest("serve") {}

  const std::string options_ = "--port 0 --data " + at("data");
};

// mechanics: only the address is printed; Ctrl-C and TERM end the server.
TEST_F(ServeCommandTest, SaysItsAddressAndEndsWithASignal) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome =
        run_interrupted(options_, signal, "grep -q Ctrl-C $(dirname $stderr)/stdout");
    EXPECT_EQ(outcome.code, 0) << signal;
    EXPECT_TRUE(outcome.out.starts_with("LeafGlyph is at http://127.0.0.1:")) << outcome.out;
    EXPECT_EQ(outcome.error, "");
  }
}

// mechanics: invalid options are reported before anything is served.
TEST_F(ServeCommandTest, WrongOptionsAreRefused) {
  expect_refused(run("--port 65536"), 2, "65536");
  expect_refused(run("--port x"), 2, "x");
  expect_refused(run("--bind localhost"), 2, "localhost");
  expect_refused(run(options_ + " --model " + at("none")), 3, "none");
  folder_.write("file", "no model");
  expect_refused(run(options_ + " --model " + at("file")), 4, "file");
}

// mechanics: nothing that has no mark of ours is removed at the start, whatever it is called. A
// trained model that cannot be read is reported in one line, and the page is served.
TEST_F(ServeCommandTest, WhatLiesInTheDataIsLookedThrough) {
  namespace fs = std::filesystem;
  const fs::path data = at("data");
  const fs::path left = data / ".training.partial-0123456789abcdef";
  for (const fs::path& folder :
       {left / "oak", data / ".training" / "oak", data / "models" / "mine"}) {
    fs::create_directories(folder);
  }
  folder_.write("data/.training.partial-0123456789abcdef/oak/1.png", "x");
  folder_.write("data/.training/oak/1.png", "x");
  folder_.write("data/models/mine/thesis.txt", "precious");
  const Outcome outcome =
      run_interrupted(options_, "INT", "grep -q Ctrl-C $(dirname $stderr)/stdout");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(fs::exists(left / "oak/1.png"));  // a folder without a mark is not ours
  EXPECT_TRUE(fs::exists(data / ".training/oak/1.png"));
  EXPECT_TRUE(fs::exists(data / "models/mine/thesis.txt"));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_NE(outcome.error.find("a trained model is left out: "), std::string::npos);
  EXPECT_NE(outcome.error.find("models/mine"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace leafglyph
