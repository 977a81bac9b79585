// Columns of a table that another program made, beside the moments of a leaf.
#include "classify/rows/joined_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "classify/classifier/row_prior.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/leaf_training.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

class JoinedTableTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    write_file(folder_ / name, bytes);
    return folder_ / name;
  }
  std::filesystem::path array(const std::vector<float>& values, std::size_t rows,
                              const std::string& names) {
    const std::array<std::size_t, 2> shape = {rows, values.size() / rows};
    write("a.txt", names);
    return write("a.npy", npy_bytes<float>(values, shape));
  }
  static JoinedTable table(const std::filesystem::path& file,
                           std::vector<std::string> columns = {}) {
    return JoinedTable({file, std::move(columns)});
  }

  TemporaryFolder folder_;
};

std::vector<float> row_of(const JoinedTable& table, std::string_view photograph) {
  const auto row = table.row(photograph);
  return {row.begin(), row.end()};
}

// oracle: a photograph's row is that of the longest end of its path; columns come in the order of
// the file or of the spec; text columns that are not asked for do not matter.
TEST_F(JoinedTableTest, RowsAreFoundByName) {
  const auto file = write("t.csv",
                          "width,file,kind,length\n1,1.jpg,x,2\n3,b\\1.jpg,y,4e0\n"
                          "-5,./c/2.jpg,z,6.5\n");
  const JoinedTable both = table(file, {"length", "width"});
  EXPECT_EQ(row_of(both, "/photographs/a/1.jpg"), (std::vector<float>{2, 1}));
  EXPECT_EQ(row_of(both, "1.jpg"), (std::vector<float>{2, 1}));
  EXPECT_EQ(row_of(both, "/photographs/b/1.jpg"), (std::vector<float>{4, 3}));
  EXPECT_EQ(row_of(both, "c/2.jpg"), (std::vector<float>{6.5, -5}));
  EXPECT_TRUE(refuses<InputError>([&] { both.row("d/2.jpg"); }, "d/2.jpg: "));
  EXPECT_TRUE(refuses<InputError>([&] { both.row("d/2.jpg"); }, "t.csv has no row for it"));
  const JoinedTable first = table(write("u.csv", "of;w;l\na.jpg;1;2\n"));
  EXPECT_EQ(first.columns(), (std::vector<std::string>{"w", "l"}));
  EXPECT_EQ(row_of(first, "a.jpg"), (std::vector<float>{1, 2}));
}

// agreement: an array with a list of names is the same table as a CSV file.
TEST_F(JoinedTableTest, ArraysAreTables) {
  const JoinedTable from_csv = table(write("t.csv", "path,x,y,z\na/1.jpg,1,2,3\nb.jpg,4,5,6\n"));
  const JoinedTable all = table(array({1, 2, 3, 4, 5, 6}, 2, "a/1.jpg\r\nb.jpg\n"));
  EXPECT_EQ(all.columns(), (std::vector<std::string>{"column_0", "column_1", "column_2"}));
  for (const char* name : {"a/1.jpg", "z/b.jpg"}) {
    EXPECT_EQ(row_of(all, name), row_of(from_csv, name));
  }
  EXPECT_EQ(row_of(table(folder_ / "a.npy", {"column_2"}), "b.jpg"), std::vector<float>{6});
}

// mechanics: each mistake in a table has a line that says where it is.
TEST_F(JoinedTableTest, MistakesAreNamed) {
  struct Case {
    std::string text;
    const char* words;
  };
  for (const Case& bad : std::vector<Case>{
           {"path,x\na.jpg,nan\n", "line 2: column 'x' has 'nan', which is not a finite number"},
           {"path,x\na.jpg,1\nb.jpg,inf\n", "line 3: column 'x' has 'inf'"},
           {"path,x\na.jpg,1e39\n", "has '1e39', which is not a finite number"},
           {"path,x,y\na.jpg,,2\n", "column 'x' has nothing, which is not a finite number"},
           {"path,x\na.jpg,red\n", "column 'x' has 'red'"},
           {"path,x\na.jpg,1\n./a.jpg,2\n", "line 3: 'a.jpg' is there for the second time"},
           {"path,x,x\na.jpg,1,2\n", "two columns are called 'x'"},
           {"path,x\n,1\n", "line 2: the row has no name of a photograph"},
           {"path,x\na.jpg,1,2\n", "line 2"},
           {"path\na.jpg\n", "0 columns beside the names; use 1 to 8192"},
           {"path,x\n", "the table has no rows"},
           {"", "t.csv"}}) {
    SCOPED_TRACE(bad.text);
    const auto file = write("t.csv", bad.text);
    EXPECT_TRUE(refuses<InputError>([&] { table(file); }, bad.words));
  }
  EXPECT_TRUE(refuses<InputError>([&] { table(write("t.csv", "path,x\na.jpg,1\n"), {"y"}); },
                                  "there is no column 'y'"));
  EXPECT_TRUE(refuses<InputError>([&] { table(folder_ / "none.csv"); }, "none.csv"));
  EXPECT_TRUE(refuses<InputError>(
      [&] {
        table(array({1, 2, 3}, 3, "a\nb\n"));
      },
      "a.npy: 3 rows, but 2 names in "));
  EXPECT_TRUE(refuses<InputError>(
      [&] {
        table(array({1, NAN}, 1, "a\n"));
      },
      "row 0, column 'column_1' is not a finite number"));
  EXPECT_TRUE(refuses<InputError>([&] { table(array({1, 2}, 2, "a\na\n")); }, "for the second"));
  std::filesystem::remove(folder_ / "a.txt");
  EXPECT_TRUE(refuses<InputError>([&] { table(folder_ / "a.npy"); }, "write them to "));
  const std::array<std::size_t, 1> flat = {2};
  const auto file = write("b.npy", npy_bytes<float>(std::vector<float>{1, 2}, flat));
  EXPECT_TRUE(refuses<InputError>([&] { table(file); }, "the array has 1 axes"));
  EXPECT_TRUE(refuses<UsageError>([] { table("", {"x"}); }, "name the table (--join)"));
  EXPECT_TRUE(refuses<UsageError>(
      [] { parse_leaf_config("features: {join_columns: [x, x]}", "a.yaml"); }, "listed twice"));
}

// mechanics: photographs without a row, and two that would have the same one, are refused.
TEST_F(JoinedTableTest, PhotographsWithoutARowAreNamed) {
  const JoinedTable some = table(write("t.csv", "path,x\n1.jpg,1\nb/2.jpg,2\n"));
  const std::vector<std::string> fine = {"a/1.jpg", "b/2.jpg", "a/1.jpg"};
  some.check(fine);
  const std::vector<std::string> lacking = {"a/1.jpg", "a/2.jpg", "c/3.jpg"};
  EXPECT_TRUE(refuses<InputError>([&] { some.check(lacking); },
                                  "no row for 2 of 3 photographs; first: a/2.jpg"));
  some.check_distinct(lacking);
  const std::vector<std::string> alike = {"a/1.jpg", "c/1.jpg"};
  EXPECT_TRUE(refuses<InputError>([&] { some.check_distinct(alike); },
                                  "its row '1.jpg' could be that of a/1.jpg and of c/1.jpg"));
}

// oracle: the prior's own columns stay; units of the joined ones follow by the analysis of
// variance, which is written out here for two columns of two classes. They say more than the
// prior's, and so count in full. A constant column is dropped.
TEST(JoinedPrior, UnitsFollowFromTheRows) {
  FeatureLayout layout;
  layout.groups = {{std::string(kMeasuresGroup), ColumnKind::kMeasure, {"m"}}};
  const RowPrior own{layout, 0.03, {5}, {1}, {1, {1}, {1}, {2, 0}, 0}};
  layout.groups.push_back({std::string(kJoinedGroup), ColumnKind::kJoined, {"a", "b", "c"}});
  const FeatureTable rows{layout, {4, -1, 9, 7, 6, 1, 11, 7, 4, 3, -1, 7, 6, 5, 1, 7}};
  const std::vector<int> labels = {0, 0, 1, 1};
  const RowPrior prior = with_joined(own, rows, labels);
  const double deviation = std::sqrt(5.0), of_second = std::sqrt(26.0);
  // Column b has the means 10 and 0: 1 / 26 within.
  const double within = (4 / 5.0 + 4 / 26.0) / (2 * 2);
  const double between = ((8 - 4 / 5.0 - 4 / 26.0) / 2 - within) / 2;
  const double counted = 2 * between / (between + within / 2);  // 2: of column m within classes
  EXPECT_EQ(prior.mean, (std::vector<double>{5, 2, 5, 7}));
  EXPECT_EQ(prior.deviation[0], 1);
  EXPECT_NEAR(prior.deviation[1], deviation * std::sqrt(within / counted), 1e-6);
  EXPECT_NEAR(prior.deviation[2], of_second * std::sqrt(within / counted), 1e-6);
  EXPECT_EQ(prior.deviation[3], 0);
  EXPECT_EQ(prior.scatter.columns, 4U);
  ASSERT_EQ(prior.scatter.remainder.size(), 4U);
  EXPECT_EQ(prior.scatter.remainder[0], 1);
  EXPECT_NEAR(prior.scatter.remainder[1], counted, 1e-6);
  EXPECT_NEAR(prior.scatter.remainder[2], counted, 1e-6);
  EXPECT_EQ(prior.scatter.remainder[3], 0);
  EXPECT_EQ(prior.scatter.within, (std::vector<double>{1, 0, 0, 0}));
  ASSERT_EQ(prior.scatter.between.size(), 4U * 4);
  EXPECT_EQ(prior.scatter.between[0], 2);
  EXPECT_NEAR(prior.scatter.between[9], std::sqrt(counted * between / within), 1e-6);
  EXPECT_NEAR(prior.scatter.between[14], std::sqrt(counted * between / within), 1e-6);
  EXPECT_EQ(scales_of(prior, {}).scale[3], 0);
  EXPECT_DOUBLE_EQ(scales_of(prior, {6, 1, 1, 3}).scale[1], 3 / prior.deviation[1]);
}

// invariant: columns in which classes differ less count less, and not at all where classes have one
// mean.
TEST(JoinedPrior, WhatSaysNothingDoesNotCount) {
  FeatureLayout layout;
  layout.groups = {{std::string(kMeasuresGroup), ColumnKind::kMeasure, {"m"}}};
  const RowPrior own{layout, 0.03, {5}, {1}, {1, {1}, {1}, {2, 0}, 0}};
  layout.groups.push_back({std::string(kJoinedGroup), ColumnKind::kJoined, {"a"}});
  const std::vector<int> labels = {0, 0, 1, 1};
  const auto unit = [&](float apart) {
    const FeatureTable rows{layout, {4, -1, 6, 1, 4, apart - 1, 6, apart + 1}};
    const RowPrior prior = with_joined(own, rows, labels);
    return prior.deviation[1];
  };
  EXPECT_EQ(unit(0), 0);
  // In deviations 0.4 within and 1.4 between classes, of which 0.2 are by chance in each mean.
  EXPECT_NEAR(unit(4), std::sqrt(5 * 0.4 / (2 * 1.4 / 1.6)), 1e-6);
  EXPECT_GT(unit(2.4F), 1.1 * unit(4));
}

/// Drawn leaves in files, and tables about them.
class JoinedLeavesTest : public JoinedTableTest {
 protected:
  JoinedLeavesTest() {
    write_synthetic_leaves({kSpecies, kLeaves, /*seed=*/3}, folder_ / "data");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "data")) {
      if (entry.path().extension() == ".png") files_.push_back(entry.path());
    }
    std::ranges::sort(files_);
  }
  std::string name(std::size_t leaf) const {
    return files_[leaf].lexically_relative(folder_ / "data").string();
  }
  // A value for each leaf.
  template <class Value>
  std::filesystem::path table_of(const Value& value) {
    std::string text = "file,value\n";
    for (std::size_t i = 0; i < files_.size(); ++i) {
      text += name(i) + "," + std::to_string(value(i)) + "\n";
    }
    return write("values.csv", text);
  }
  LeafConfig config(const std::filesystem::path& table) const {
    LeafConfig config = small_config();
    config.data = {DataSource::kFolders, folder_ / "data", {}, 0, {}};
    config.protocol.kind = ProtocolKind::kAuto;
    config.protocol.repeats = 1;
    config.features.join.file = table;
    settle(config.features.join);
    return config;
  }

  static constexpr int kSpecies = 4, kLeaves = 8;
  std::vector<std::filesystem::path> files_;
};

// invariant: the other columns are as without a table, to the last bit; the joined ones are those
// of the leaf's row.
TEST_F(JoinedLeavesTest, ColumnsFollowTheOthers) {
  const LeafConfig with =
      config(table_of([](std::size_t i) { return 0.5 * static_cast<double>(i); }));
  LeafConfig without = with;
  without.features.join = {};
  const LeafData both = load_leaf_data(with, std::nullopt, 8, LeafRun{});
  const LeafData alone = load_leaf_data(without, std::nullopt, 8, LeafRun{});
  EXPECT_EQ(column_names(both.table.layout).back(), "joined_value");
  ASSERT_EQ(both.names, alone.names);
  for (std::size_t i = 0; i < both.names.size(); ++i) {
    const auto row = both.table.row(i);
    EXPECT_TRUE(std::ranges::equal(row.first(row.size() - 1), alone.table.row(i)));
    EXPECT_EQ(row.back(), 0.5 * static_cast<double>(i)) << both.names[i];
  }
}

// oracle: a column that says the species makes more predictions right, one of noise harms hardly
// any: at most two of 32 leaves, as folds drawn anew do.
TEST_F(JoinedLeavesTest, AColumnIsWorthWhatItSays) {
  const auto wrong = [&](const LeafConfig& config) {
    const LeafEvaluation evaluation = evaluate_leaves(config, {}, LeafRun{});
    return std::ranges::count_if(
        evaluation.result.predictions,
        [](const TestPrediction& prediction) { return !prediction.hit(1); });
  };
  std::mt19937_64 random(5);
  const auto noise = [&](std::size_t) { return static_cast<double>(random() % 1000); };
  const auto with_noise = wrong(config(table_of(noise)));
  LeafConfig without = config(table_of(noise));
  without.features.join = {};
  EXPECT_LE(with_noise, wrong(without) + 2);
  const auto species = [&](std::size_t i) { return static_cast<double>(i / kLeaves); };
  EXPECT_LT(wrong(config(table_of(species))), wrong(without));
}

// mechanics: a model does not say where its table was, identifies with a table of the photographs,
// and refuses to do without, to be added to, or to take each leaf of a photograph.
TEST_F(JoinedLeavesTest, AModelAsksForATable) {
  const auto species = [&](std::size_t i) { return static_cast<double>(i / kLeaves); };
  const LeafConfig with = config(table_of(species));
  save_model(train_leaves(with, LeafRun{}).model, WriteLock(folder_ / "m"));
  LeafModel model = load_model(folder_ / "m");
  EXPECT_EQ(model.config.features.join, (JoinSpec{"", {"value"}}));
  EXPECT_EQ(model.requested.features.join, (JoinSpec{"", {"value"}}));
  const std::vector<std::filesystem::path> asked = {files_[0], files_[9]};
  const auto classified = [&] { return classify_leaves(model, asked, 1, LeafRun{}); };
  EXPECT_TRUE(refuses<UsageError>(classified, "the model needs 1 column of a table for each"));
  model.config.features.join.file = write("new.csv", "x,value,file\n5,0," + name(0) + "\n");
  const std::vector<ClassifiedLeaf> leaves = classified();
  EXPECT_EQ(leaves[0].prediction.value().ranking.front().distance, 0);
  EXPECT_NE(leaves[1].error.find("new.csv has no row for it"), std::string::npos);
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        const std::vector<std::string> files = {files_[0].string()};
        classify_every_leaf(model, files, 1, LeafRun{}, std::nullopt, [](const LeafSheet&) {});
      },
      "not for each of several leaves"));
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        add_leaves(load_model(folder_ / "m"), {"new", "", files_[0].parent_path()}, LeafRun{});
      },
      "name the table (--join)"));
}

// mechanics: a training names what the table lacks before it prepares a photograph.
TEST_F(JoinedLeavesTest, TrainingsNeedEveryRow) {
  LeafConfig with = config(write("t.csv", "file,value\n" + name(3) + ",1\n"));
  EXPECT_TRUE(refuses<InputError>([&] { train_leaves(with, LeafRun{}); },
                                  "no row for 31 of 32 photographs; first: "));
  with.data.features = {folder_ / "none.store"};
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        sums_of_stores(with, {0, 1}, LeafRun{});
      },
      "parts of them have no sums"));
}

}  // namespace
}  // namespace leafglyph
