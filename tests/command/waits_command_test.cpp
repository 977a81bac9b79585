// Signals that arrive while the command waits for others: writers that are silent, readers that are
// absent or do not read.
#include <sys/stat.h>

#include "tests/support/features_command.h"

namespace leafglyph {
namespace {

class WaitsCommandTest : public FeaturesCommandTest {
 protected:
  WaitsCommandTest() {
    for (const char* name : {"silent", "full", "unread"}) {
      EXPECT_EQ(::mkfifo(at(name).c_str(), 0600), 0);
    }
    EXPECT_EQ(run(extract("store")).code, 5);
  }

  // Sends SIGTERM once it is caught. Descriptor 3 is a pipe whose writer is silent, 4 one that is
  // full; `more` redirects to them.
  Outcome run_terminated(const std::string& arguments, const std::string& more = "") const {
    return run_shell(
        "exec 3<>" + at("silent") + " 4<>" + at("full") + "; head -c 65536 /dev/zero >&4; " +
        LEAFGLYPH_COMMAND + " features " + arguments + " >" + log("stdout") + " 2>" +
        log("stderr") + " " + more +
        " & job=$!; until grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$job/status; do sleep 0.02; "
        "done; sleep 0.3; kill -TERM $job; wait $job");
  }

  void expect_terminated(const Outcome& outcome) const {
    EXPECT_EQ(outcome.code, 130);
    EXPECT_EQ(outcome.error, "leafglyph: interrupted\n");
    EXPECT_FALSE(outcome.wrote);
  }
};

// mechanics: a signal ends a command that waits for standard input, or for the reader of a pipe.
TEST_F(WaitsCommandTest, ASignalEndsWaiting) {
  const std::string options = " --order 4 --quiet --out " + at("new");
  expect_terminated(run_terminated("extract --list -" + options, "<&3"));
  expect_terminated(run_terminated("extract -" + options, "<&3"));
  expect_terminated(run_terminated("export " + at("store") + " --csv " + at("unread")));
  expect_terminated(run_terminated("export " + at("store") + " --csv " + at("full")));
  expect_terminated(run_terminated("export " + at("store") + " --npz " + at("unread")));
  expect_terminated(run_terminated("report " + at("store") + " --out " + at("unread")));
}

// mechanics: the same when nobody reads what the command prints.
TEST_F(WaitsCommandTest, ASignalEndsPrinting) {
  expect_terminated(run_terminated("info " + at("store"), ">&4"));
  const Outcome server = run_shell(
      "exec 4<>" + at("full") + "; head -c 65536 /dev/zero >&4; " + LEAFGLYPH_COMMAND + " serve " +
      "--port 0 --data " + log("data") + " >&4 2>" + log("stderr") +
      " & job=$!; until grep -q '^SigBlk:.*[4-7c-f]...$' /proc/$job/status; do sleep 0.02; done; "
      "sleep 0.3; kill -TERM $job; wait $job");
  expect_terminated(server);
  const Outcome silent = run_terminated("info " + at("missing"), "2>&4");
  EXPECT_EQ(silent.code, 3);
  EXPECT_EQ(silent.error, "");
}

// mechanics: a list without end on standard input, of one line or of many, is refused with the
// limit before it takes more memory than is allowed.
TEST_F(WaitsCommandTest, AListHasLimits) {
  const std::string options = " --order 4 --quiet --memory 300M --out " + at("new");
  const auto refused_list = [&](const std::string& writer) {
    return run_shell(writer + " 2>" + log("writer") + " | " + LEAFGLYPH_COMMAND +
                     " features extract --list -" + options + " >" + log("stdout") + " 2>" +
                     log("stderr"));
  };
  expect_refused(
      refused_list("tr '\\0' a </dev/zero"), 3,
      "standard input: has a line of more than 4096 bytes, the most that is read of one");
  expect_refused(refused_list("yes " + std::string(1000, 'a') + ".png"), 2,
                 "give the images in several lists, or allow ");
}

}  // namespace
}  // namespace leafglyph
