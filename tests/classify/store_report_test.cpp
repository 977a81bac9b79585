// The report on a feature store against counts of the rows by hand.
#include "classify/leaf_report/store_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/sha256.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

class StoreReportTest : public ::testing::Test {
 protected:
  // Ten inputs of two labels in blocks of 4. Input 3 has the bytes of input 1 under the other
  // label, input 4 those of input 2 under the same one; input 5 fails, 6 has a leaf and a ruler, 9
  // is far from all others.
  FeatureStore store(std::size_t blocks = 3) {
    StoreHeader header;
    header.kind = "moments";
    header.settings = "none";
    header.convention = "textbook";
    header.device = "cpu";
    header.parts = PartRule::kEveryLeaf;
    header.block = 4;
    header.inputs = 10;
    header.list_sha256 = sha256("list");
    header.columns = {"mask_Z_0_0", "mask_Z_1_1", "log-area"};
    header.classes = {"elm", "oak"};
    header.scientific_names = header.chinese_names = {"", ""};
    FeatureStore store = FeatureStore::begin(folder_ / "s", header);
    for (std::size_t b = 0; b < blocks; ++b) {
      StoreBlock block;
      for (std::size_t i = 4 * b; i < std::min<std::size_t>(10, 4 * b + 4); ++i) add(i, block);
      store.write_block(b, block);
    }
    return store;
  }

  TemporaryFolder folder_;

 private:
  static void add(std::size_t input, StoreBlock& block) {
    StoreRow row;
    row.image = input;
    row.part = 1;
    row.path = "folder/" + std::to_string(input) + "<b>.jpg";
    row.label = input % 2 == 0 ? "elm" : "oak";
    if (input == 3) row.label = "elm";
    row.box = {1, 2, 30, 20};
    row.area = 100 * (input + 1);
    const std::size_t bytes_of = input == 3 ? 1 : input == 4 ? 2 : input;
    row.file = {1000, sha256("file " + std::to_string(bytes_of))};
    const auto value = static_cast<float>(input == 9 ? 50 : input % 3);
    std::vector<float> values = {value, 2 * value, 7};
    if (input == 5) {
      row.part = 0;
      row.state = RowState::kFailed;
      row.box = {};
      row.area = 0;
      row.warnings = "no leaf found: they differ by only 3 of 255; sorry";
      values = {kNone, kNone, kNone};
    }
    if (input == 7 || input == 8)
      row.warnings = "left out " + std::to_string(input) + " others; small";
    block.rows.push_back(row);
    block.values.insert(block.values.end(), values.begin(), values.end());
    if (input != 6) return;
    row.part = 2;
    row.state = RowState::kNotALeaf;
    row.warnings = "straight edges";
    block.rows.push_back(row);
    block.values.insert(block.values.end(), {kNone, kNone, kNone});
  }
};

// oracle: the rows above, counted by hand.
TEST_F(StoreReportTest, CountsAreThoseOfTheRows) {
  const PageValues report = store_document(store());
  EXPECT_EQ(report["blocks"], 3);
  EXPECT_FALSE(report.contains("missing_blocks"));
  EXPECT_EQ(report["inputs"], 10);
  EXPECT_EQ(report["rows"], 11);
  EXPECT_EQ(report["states"], PageValues::parse(R"({"ok": 9, "not a leaf": 1, "failed": 1})"));
  const PageValues& reasons = report["reasons"];
  ASSERT_EQ(reasons.size(), 4U);
  EXPECT_EQ(reasons[0]["reason"], "no leaf found: they differ by only … of …; sorry");
  EXPECT_EQ(reasons[1]["reason"], "straight edges");
  EXPECT_EQ(reasons[2]["reason"], "left out … others");
  EXPECT_EQ(reasons[2]["rows"], 2);
  EXPECT_EQ(reasons[2]["examples"].size(), 2U);
  EXPECT_EQ(reasons[3]["reason"], "small");
  // elm: 0 2 3 4 6 8; oak: 1 7 9.
  EXPECT_EQ(report["labels"], PageValues::parse(R"([
      {"name": "elm", "with_numbers": 6, "without": 1},
      {"name": "oak", "with_numbers": 3, "without": 1}])"));
  // Areas of 100; 200; 300 to 500; 700 to 1000.
  EXPECT_EQ(report["areas"], PageValues::parse("[0, 0, 0, 0, 0, 0, 1, 1, 3, 4]"));
  EXPECT_EQ(report["parts"], PageValues::parse("[1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]"));
}

// oracle: means and standard deviations of the nine rows with numbers, and who shares bytes.
TEST_F(StoreReportTest, FindsUnusualRowsAndTheSameFiles) {
  const PageValues report = store_document(store());
  const PageValues& unusual = report["unusual"];
  ASSERT_EQ(unusual.size(), 9U);
  EXPECT_EQ(unusual[0]["name"], "9<b>.jpg, part 1");
  // Values 0 1 2 0 1 0 1 2 50: in both columns that vary, the same deviation.
  const double mean = 57.0 / 9;
  double squares = 0;
  for (const double value : {0., 1., 2., 0., 1., 0., 1., 2., 50.})
    squares += (value - mean) * (value - mean);
  EXPECT_NEAR(unusual[0]["distance"].get<double>(), (50 - mean) / std::sqrt(squares / 9), 1e-12);
  for (std::size_t i = 1; i < unusual.size(); ++i) {
    EXPECT_GE(unusual[i - 1]["distance"], unusual[i]["distance"]) << i;
  }
  EXPECT_EQ(report["same_files"], 2);
  EXPECT_EQ(report["under_other_labels"], 1);
  EXPECT_EQ(report["same"][0], PageValues::parse(R"({
      "paths": ["folder/1<b>.jpg", "folder/3<b>.jpg"], "labels": ["oak", "elm"], "inputs": 2,
      "labels_differ": true})"));
  ASSERT_EQ(report["same"].size(), 2U);
  EXPECT_EQ(report["same"][1]["labels_differ"], false);
  EXPECT_EQ(report["same"][1]["inputs"], 2);
  const PageValues& columns = report["columns"];
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0]["group"], "mask");
  EXPECT_EQ(columns[0]["columns"], 2);
  EXPECT_NEAR(columns[0]["mean"].get<double>(), 1.5 * mean, 1e-12);
  EXPECT_EQ(columns[0]["largest"], 100);
  EXPECT_EQ(columns[1]["group"], "log-area");
  EXPECT_EQ(columns[1]["constant"], 1);
}

// mechanics: a store that is not complete has a report, which says so; texts are escaped; pictures
// whose files are gone are left out.
TEST_F(StoreReportTest, PagesOfPartsOfAStore) {
  EXPECT_EQ(store_document(store(0))["rows"], 0);
  const PageValues report = store_document(store(1));
  EXPECT_EQ(report["inputs"], 4);
  const std::string page = html_store_report(report);
  EXPECT_NE(page.find("2 of 3 blocks"), std::string::npos);
  EXPECT_NE(page.find("folder/1&lt;b&gt;.jpg (oak), folder/3&lt;b&gt;.jpg (elm)"),
            std::string::npos);
  EXPECT_EQ(page.find("<b>.jpg"), std::string::npos);
  EXPECT_NE(page.find("no picture"), std::string::npos);
}

// mechanics: a picture is of the part; none if a file that was replaced ends before the part.
TEST_F(StoreReportTest, PicturesOfPartsThatAreThere) {
  PageValues report = store_document(store(0));
  const std::string path = (folder_ / "replaced.bmp").string();
  write_grey_bmp(path, Image<std::uint8_t>(40, 30, 120));
  for (const int left : {10, 400}) {
    report["unusual"] = {{{"name", "replaced.bmp, part 1"},
                          {"path", path},
                          {"part", 1},
                          {"label", ""},
                          {"box", {left, 5, 20, 10}},
                          {"distance", 1.0}}};
    const std::string page = html_store_report(report);
    EXPECT_EQ(page.find("data:image/jpeg") != std::string::npos, left == 10);
    EXPECT_EQ(page.find("class=\"no-picture\"") != std::string::npos, left == 400);
  }
}

// invariant: a damaged block is an error, not a report of the others.
TEST_F(StoreReportTest, DamagedBlocksAreErrors) {
  const FeatureStore damaged = store();
  folder_.write("s/00000001.csv", "image\n");
  EXPECT_THROW(store_document(damaged), FormatError);
}

}  // namespace
}  // namespace leafglyph
