// Tests that run the command `leafglyph`. stdout has results and nothing else, stderr the rest;
// exit codes are those of the README.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "features/base/files.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {

struct Outcome {
  int code = -1;
  std::string out;
  std::string error;
  bool wrote = false;  ///< whether there are more files or folders in the test's folder than before
};

/// A group of commands, run in its own folder. LEAFGLYPH_COMMAND is the program.
class CommandTest : public ::testing::Test {
 protected:
  explicit CommandTest(std::string group) : group_(std::move(group)) {}

  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  Outcome run(const std::string& arguments) const { return run_shell(command(arguments)); }

  /// The same, with a signal ("INT", "TERM") sent once the shell's condition `begun` holds; in it,
  /// $stderr is the file of the messages. A process ended by a signal has 128 plus its number as
  /// code, so that TERM (143) differs from an exit with 130.
  Outcome run_interrupted(const std::string& arguments, const std::string& signal,
                          const std::string& begun) const {
    // The condition must not see messages of an earlier run.
    return run_shell("stderr=" + log("stderr") + "; : >" + log("stdout") + "; : >$stderr; " +
                     command(arguments) + " & job=$!; tries=0; until " + begun +
                     "; do sleep 0.05; tries=$((tries + 1)); [ $tries -lt 1200 ] || break; done; " +
                     "kill -" + signal + " $job; wait $job");
  }

  /// Expects the exit code, one line on stderr that names the problem, and no other output.
  static void expect_refused(const Outcome& outcome, int code, const std::string& named) {
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.error.find(named), std::string::npos) << outcome.error;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
    EXPECT_FALSE(outcome.wrote) << named;
  }

  // Runs a line of the shell; what the command prints is in log("stdout") and log("stderr").
  Outcome run_shell(const std::string& line) const {
    const std::set<std::string> before = files();
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(log("stdout")),
            read_file(log("stderr")), files() != before};
  }

  std::string log(const char* name) const { return (logs_.path() / name).string(); }

  TemporaryFolder folder_;

 private:
  std::string command(const std::string& arguments) const {
    return "XDG_CACHE_HOME=" + log("cache") + " " + LEAFGLYPH_COMMAND + " " + group_ + " " +
           arguments + " >" + log("stdout") + " 2>" + log("stderr");
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      names.insert(entry.path().string());
    }
    return names;
  }

  std::string group_;
  TemporaryFolder logs_;
};

}  // namespace leafglyph
