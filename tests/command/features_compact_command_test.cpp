// End to end: feature stores of fewer bytes, by `leafglyph features compact` and by `features
// extract --projection --values`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "classify/extraction/store_files.h"
#include "classify/index/feature_index.h"
#include "classify/support/half_values.h"
#include "features/base/npy.h"
#include "tests/support/features_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class CompactCommandTest : public FeaturesCommandTest {
 protected:
  CompactCommandTest() {
    folder_.write("plda.yaml",
                  "data: {source: folders, path: leaves}\n"
                  "preparation: {size: 64, area: 500}\n"
                  "features: {order: 6, channels: [inverted, mask], measures: true}\n"
                  "pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}\n"
                  "classifier: {k: 3, metric: cosine}\n"
                  "protocol: {train: 4, test: 2, repeats: 2}\n");
    for (const auto& entry : fs::directory_iterator(at("leaves"))) {
      if (entry.is_directory()) species_ = std::max(species_, entry.path().string());
    }
    fs::rename(at("leaves/bad.png"), species_ + "/bad.png");  // where it has a label
  }

  std::string extract_leaves(const std::string& store, const std::string& more = "") const {
    return "extract " + at("leaves") + " --config " + at("plda.yaml") + " --out " + at(store) +
           " --quiet --block 4 " + more;
  }
  // Trains the model "m" on the store "full", which is extracted.
  void train() const {
    ASSERT_EQ(run(extract_leaves("full")).code, 5);  // one file is not an image
    const Outcome trained = leaf("train --config " + at("plda.yaml") + " --features " + at("full") +
                                 " --model " + at("m") + " --quiet");
    ASSERT_EQ(trained.code, 5) << trained.error;
  }
  Outcome leaf(const std::string& arguments) const { return other("leaf " + arguments); }
  Outcome other(const std::string& arguments) const {
    return run("--help >/dev/null; " + std::string(LEAFGLYPH_COMMAND) + " " + arguments);
  }
  std::string projection(int directions = 3) const {
    return "--projection " + at("m") + fmt::format(" --directions {} ", directions);
  }

  std::string species_;  // the folder of one
};

// oracle: every number of the float16 store is the half nearest to that of the other; rows, states
// and blocks are the same.
TEST_F(CompactCommandTest, NumbersBecomeTheNearestHalves) {
  ASSERT_EQ(run(extract("full")).code, 5);
  const Outcome made = run("compact " + at("full") + " --values float16 --out " + at("half"));
  ASSERT_EQ(made.code, 0) << made.error;
  const FeatureStore full = FeatureStore::open(at("full")), half = FeatureStore::open(at("half"));
  EXPECT_EQ(half.header().values, StoredValues::kFloat16);
  EXPECT_EQ(half.header().columns, full.header().columns);
  for (std::size_t b = 0; b < full.header().blocks(); ++b) {
    const StoreBlock before = full.read_block(b), after = half.read_block(b);
    EXPECT_EQ(after.rows, before.rows);
    std::vector<Half> halves(before.values.size());
    to_half(before.values, halves);
    std::vector<float> expected(halves.size());
    to_float(halves, expected);
    ASSERT_EQ(after.values.size(), expected.size());
    const auto mapped = half.map_values(b);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(before.values[i])) {
        EXPECT_TRUE(std::isnan(after.values[i]) && std::isnan(mapped.values[i]));
        continue;
      }
      EXPECT_EQ(after.values[i], expected[i]);
      EXPECT_EQ(mapped.values[i], expected[i]);
    }
    const std::array<std::size_t, 2> shape = {before.rows.size(), full.header().columns.size()};
    const std::string name = "/" + values_file_name(b);
    EXPECT_EQ(2 * fs::file_size(at("half" + name)) - fs::file_size(at("full" + name)),
              npy_header("<f2", shape).size());
  }
}

// agreement: extracting float16 gives the files that compacting float32 gives, and a run in two
// shards, one of them resumed, those of one run.
TEST_F(CompactCommandTest, ExtractingAndCompactingGiveTheSameFiles) {
  train();
  const std::string smaller = projection() + "--values float16 ";
  const Outcome made = run("compact " + at("full") + " " + smaller + "--out " + at("made"));
  ASSERT_EQ(made.code, 0) << made.error;
  ASSERT_EQ(run(extract_leaves("direct", smaller)).code, 5);
  EXPECT_EQ(files("direct"), files("made"));
  ASSERT_NE(run(extract_leaves("parts", smaller + "--shard 1/2")).code, 1);
  fs::remove(at("parts/00000001.sum"));
  ASSERT_NE(run(extract_leaves("parts", smaller + "--shard 1/2")).code, 1);
  ASSERT_NE(run(extract_leaves("parts", smaller + "--shard 0/2")).code, 1);
  EXPECT_EQ(files("parts"), files("made"));
  // A run that was killed before it wrote store.json is begun again.
  fs::create_directories(at("killed"));
  fs::copy(at("made/projection.npy"), at("killed/projection.npy"));
  ASSERT_EQ(run(extract_leaves("killed", smaller)).code, 5);
  EXPECT_EQ(files("killed"), files("made"));
  for (const std::string& other :
       {projection(2) + "--values float16", projection(), std::string()}) {
    expect_refused(run(extract_leaves("parts", other)), 2, "was started with other features");
  }
}

// invariant: merged stores have the rows of their parts; an image finds itself in an index of
// projected rows, which are compared as they are.
TEST_F(CompactCommandTest, ProjectedStoresAreMergedAndSearched) {
  train();
  ASSERT_EQ(run(extract_leaves("a", projection())).code, 5);
  fs::copy(at("leaves"), at("more"), fs::copy_options::recursive);
  ASSERT_EQ(run("extract " + at("more") + " --config " + at("plda.yaml") + " --out " + at("b") +
                " --quiet --block 4 " + projection())
                .code,
            5);
  const Outcome merged = run("merge " + at("a") + " " + at("b") + " --out " + at("ab"));
  ASSERT_EQ(merged.code, 0) << merged.error;
  EXPECT_EQ(contents_of(FeatureStore::open(at("ab"))).rows, 38U);
  EXPECT_EQ(FeatureStore::open(at("ab")).header().projection,
            FeatureStore::open(at("a")).header().projection);
  expect_refused(run("merge " + at("a") + " " + at("full") + " --out " + at("x")), 2, "columns");
  ASSERT_EQ(other("index build " + at("ab") + " --out " + at("i")).code, 0);
  const Outcome found = other("index search " + at("i") + " '" + species_ +
                              "/0003.png' --top 2 --csv " + at("found.csv"));
  ASSERT_EQ(found.code, 0) << found.error;
  const std::string table = read_file(at("found.csv"));
  EXPECT_NE(table.find(",1,0," + species_ + "/0003.png,"), std::string::npos) << table;
  const StoreBlock block = FeatureStore::open(at("a")).read_block(1);
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    if (!has_numbers(block.rows[r].state)) continue;
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) square += std::pow(block.values[3 * r + c], 2);
    EXPECT_NEAR(square, 1, 1e-6);  // rows of length 1, in float
  }
}

// mechanics: classifiers are trained on float16, not on projected columns; what does not fit is
// refused in one line.
TEST_F(CompactCommandTest, WhatDoesNotFitIsRefused) {
  train();
  ASSERT_EQ(run("compact " + at("full") + " --values float16 --out " + at("half")).code, 0);
  ASSERT_EQ(run("compact " + at("full") + " " + projection() + "--out " + at("few")).code, 0);
  const std::string config = "train --config " + at("plda.yaml") + " --quiet --features ";
  const Outcome trained = leaf(config + at("half") + " --model " + at("m2"));
  EXPECT_EQ(trained.code, 5) << trained.error;
  expect_refused(leaf(config + at("few") + " --model " + at("m3")), 2, "projected columns");
  const std::string out = " --out " + at("x");
  expect_refused(run("compact " + at("full") + out), 2, "nothing would become smaller");
  expect_refused(run("compact " + at("full") + " --values float16 --out " + at("full")), 2,
                 "is the store itself");
  expect_refused(run("compact " + at("few") + " " + projection(2) + out), 2, "only all columns");
  expect_refused(run("compact " + at("full") + " " + projection(500) + out), 2,
                 "500 directions: the model has");
  expect_refused(run("compact " + at("full") + " --values float8" + out), 2, "float8");
  ASSERT_EQ(run(extract("other")).code, 5);
  expect_refused(run("compact " + at("other") + " " + projection() + out), 2, "inverted");
  expect_refused(
      run("extract " + at("leaves") + " --order 4 --resize 32 --quiet " + projection() + out), 2,
      "only all columns of leaves");
  const Outcome info = run("info " + at("few"));
  EXPECT_NE(info.out.find("projected onto directions of a model"), std::string::npos) << info.out;
  folder_.write("few/projection.npy", "not an array");
  expect_refused(run("info " + at("few")), 4, "projection.npy");
}

// mechanics: a number beyond float16 makes an extracted row fail, and stops a compaction.
TEST_F(CompactCommandTest, NumbersBeyondFloat16AreNotStored) {
  StoreHeader header;
  header.kind = "moments";
  header.columns = {"one", "two"};
  header.values = StoredValues::kFloat16;
  EXPECT_EQ(beyond_values(header, std::vector<float>{1, kLargestHalf, NAN, -2}), "");
  EXPECT_NE(beyond_values(header, std::vector<float>{1, 2, 3, -7e4F}).find("two is -70000"),
            std::string::npos);
  header.values = StoredValues::kFloat32;
  EXPECT_EQ(beyond_values(header, std::vector<float>{7e4F}), "");
  header.block = 2;
  header.inputs = 2;
  const FeatureStore store = FeatureStore::begin(at("large"), header);
  StoreBlock block{{1, 7e4F, 2, 3}, std::vector<StoreRow>(2)};
  block.rows[1].image = 1;
  store.write_block(0, block);
  const Outcome made = run("compact " + at("large") + " --values float16 --out " + at("x"));
  expect_refused(made, 3, "two is 70000");
}

}  // namespace
}  // namespace leafglyph
