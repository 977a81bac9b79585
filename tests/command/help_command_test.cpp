// The help, configurations and figures on stdout.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/grey_bmp.h"
#include "tests/support/run_command.h"
#include "tests/support/small_leaf_config.h"

namespace leafglyph {
namespace {

class HelpCommandTest : public CommandTest {
 protected:
  HelpCommandTest() : CommandTest("") {
    folder_.write("small.yaml", kSmallConfig);
    Image<std::uint8_t> image(24, 24);
    for (int i = 0; i < 24; ++i) image.at(i, (7 * i) % 24) = 200;
    write_grey_bmp(at("image.bmp"), image);
  }
};

// agreement: help and --help print the same at every level; so do -V and --version.
TEST_F(HelpCommandTest, HelpIsWhatTheOptionPrints) {
  for (const std::string command : {"", "leaf", "leaf train", "moments compute", "doctor"}) {
    const Outcome help = run("help " + command);
    EXPECT_EQ(help.code, 0) << help.error;
    EXPECT_EQ(help.out, run(command + " --help").out) << command;
    EXPECT_NE(help.out.find("Usage: leafglyph"), std::string::npos);
  }
  EXPECT_EQ(run("-V").out, run("--version").out);
  EXPECT_TRUE(run("-V").out.starts_with("leafglyph 0."));
}

// mechanics: help fits into a narrow terminal, but for words that are longer, and says the same
TEST_F(HelpCommandTest, HelpIsWrapped) {
  const auto words = [](const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  };
  const std::string whole = run("leaf train --help").out;
  for (const std::size_t columns : {40U, 80U}) {
    ::setenv("COLUMNS", std::to_string(columns).c_str(), 1);
    const std::string narrow = run("leaf train --help").out;
    ::unsetenv("COLUMNS");
    EXPECT_EQ(words(narrow), words(whole));
    std::istringstream lines(narrow);
    for (std::string line; std::getline(lines, line);) {
      const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == line.npos;
      EXPECT_TRUE(line.size() <= columns || is_one_word) << line;
    }
  }
}

// mechanics: every command has a manual page with every option of its help.
TEST_F(HelpCommandTest, EveryCommandHasAManualPage) {
  ASSERT_EQ(run("help --man-pages " + at("man")).code, 0);
  for (const std::string name : {"leafglyph", "leafglyph-leaf", "leafglyph-leaf-train",
                                 "leafglyph-glyph-similar", "leafglyph-serve", "leafglyph-help"}) {
    const std::string page = read_file(at("man/" + name + ".1"));
    EXPECT_TRUE(page.starts_with(".TH ")) << name;
    for (const std::string part : {".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXIT STATUS"}) {
      EXPECT_NE(page.find(part), std::string::npos) << name << part;
    }
  }
  const std::string page = read_file(at("man/leafglyph-leaf-train.1"));
  EXPECT_EQ(page, run("help leaf train --man").out);
  for (const std::string option : {"config", "set", "model", "json", "device", "threads"}) {
    EXPECT_NE(page.find("\\fB\\-\\-" + option + "\\fR"), std::string::npos) << option;
  }
}

// mechanics: configurations have names and can be shown, and a copy of one is equivalent.
TEST_F(HelpCommandTest, ConfigurationsAreFoundByName) {
  const Outcome list = run("config list --json -");
  ASSERT_EQ(list.code, 0) << list.error;
  std::vector<std::string> names;
  for (const auto& one : nlohmann::json::parse(list.out)) names.push_back(one.at("name"));
  for (const char* name : {"leaf", "leaf_tuned", "gb2312", "gb2312_published"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    EXPECT_NE(run("config list").out.find(name), std::string::npos);
  }
  const Outcome shown = run("config show leaf");
  EXPECT_TRUE(shown.out.starts_with("# ")) << shown.out;
  for (const char* name : {"leaf.yaml", "configs/leaf.yaml"}) {
    EXPECT_EQ(run(std::string("config show ") + name).out, shown.out) << name;
  }
  folder_.write("mine.yaml", shown.out);
  EXPECT_EQ(run("config show --all " + at("mine.yaml")).out, run("config show --all leaf").out);
}

// agreement: every key of a configuration as it is written is described, alone and with its
// mapping, and also on the manual page.
TEST_F(HelpCommandTest, KeysAreDescribed) {
  const Outcome all = run("config describe --json -");
  ASSERT_EQ(all.code, 0) << all.error;
  const auto keys = nlohmann::json::parse(all.out);
  const std::string page = run("help config describe --man").out;
  for (const char* name : {"pipeline.shrinkage", "data.path", "tuning.order", "fonts[].size",
                           "lookalikes.window", "statistics.moments.real"}) {
    const auto is_it = [&](const auto& key) { return key.at("key") == name; };
    EXPECT_EQ(std::ranges::count_if(keys, is_it), 1) << name;
    EXPECT_NE(page.find("\\fB" + std::string(name) + "\\fR"), std::string::npos) << name;
  }
  for (const auto& key : keys)
    EXPECT_FALSE(key.at("description").template get<std::string>().empty());
  EXPECT_EQ(run("config describe pipeline.shrinkage").out,
            "pipeline.shrinkage: a number from 1e-06 to 1; default 0.7; needs projection: plda\n"
            "    Of the covariance within species towards its mean variance\n");
  const std::string mapping = run("config describe pipeline").out;
  EXPECT_NE(mapping.find("pipeline.prior_leaves: "), std::string::npos);
  EXPECT_EQ(mapping.find("classifier."), std::string::npos);
  expect_refused(run("config describe pipeline.shrinkag"), 2, "did you mean 'pipeline.shrinkage'?");
}

// mechanics: a base is found by its name, and a setting overrides both files.
TEST_F(HelpCommandTest, SettingsHoldBeforeFiles) {
  folder_.write("mine.yaml", "base: leaf\nfeatures: {order: 21}\n");
  EXPECT_NE(run("config show --all " + at("mine.yaml")).out.find("order: 21"), std::string::npos);
  const Outcome set = run("config show " + at("mine.yaml") + " --set features.order=22" +
                          " --set 'features.channels=[grey]' --set classifier.k=3");
  ASSERT_EQ(set.code, 0) << set.error;
  for (const char* part : {"order: 22", "channels: [grey]", "  k: 3"}) {
    EXPECT_NE(set.out.find(part), std::string::npos) << set.out;
  }
  const std::string evaluate = "leaf evaluate --quiet --json - --config " + at("small.yaml");
  const auto by_setting = nlohmann::json::parse(run(evaluate + " --set features.order=5").out);
  EXPECT_NE(by_setting.at("resolved_configuration").get<std::string>().find("order: 5"),
            std::string::npos);
}

// agreement: stdout gets the same as a file, and nothing else; JSON has the same figures as CSV.
TEST_F(HelpCommandTest, FiguresGoToFilesAndToStdoutAlike) {
  const std::string image = at("image.bmp");
  const std::string small = " --quiet --config " + at("small.yaml");
  for (const std::string& command : std::vector<std::string>{
           "leaf sweep --orders 2:4:2" + small,
           "moments filter " + image + " --order 8 --out " + at("f.png"),
           "moments volume " + image + " --order 4 --orders 2:4",
           "moments fit " + image + " --order 3",
           "moments compare " + image + " --families zernike,legendre --orders 3,4"}) {
    SCOPED_TRACE(command);
    const Outcome files = run(command + " --csv " + at("t.csv") + " --json " + at("t.json"));
    ASSERT_EQ(files.code, 0) << files.error;
    EXPECT_NE(files.out, "");
    const std::string csv = run(command + " --csv -").out;
    const auto json = nlohmann::json::parse(run(command + " --json -").out);
    const auto lines = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
    ASSERT_GT(lines, 1U);
    EXPECT_EQ(json.size(), lines - 1);
    EXPECT_EQ(
        json.at(0).size(),
        static_cast<std::size_t>(std::count(csv.begin(), csv.begin() + csv.find('\n'), ',')) + 1);
    const auto written = nlohmann::json::parse(read_file(at("t.json")));
    EXPECT_EQ(written.size(), json.size());
    // Only times differ from run to run.
    if (csv.find("seconds") == std::string::npos) {
      EXPECT_EQ(read_file(at("t.csv")), csv);
      EXPECT_EQ(written, json);
    }
  }
  const Outcome confusion = run("leaf evaluate" + small + " --confusion -");
  EXPECT_EQ(confusion.code, 0) << confusion.error;
  EXPECT_EQ(confusion.out.find("top-1"), std::string::npos) << confusion.out;
  EXPECT_EQ(nlohmann::json::parse(run("doctor --json -").out)
                .at("leafglyph")
                .get<std::string>()
                .substr(0, 2),
            "0.");
}

}  // namespace
}  // namespace leafglyph
