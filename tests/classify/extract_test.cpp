// The pipeline from images to a store: what causes a failure, and what remains after one.
#include "classify/extraction/extract.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

class Ones : public RowKind<float> {
 public:
  class Maker : public RowMaker<float> {
   public:
    std::vector<float> rows(std::span<const Part* const> parts, std::span<std::vector<std::string>>,
                            StageLoad&) override {
      return std::vector<float>(parts.size(), 1.0F);
    }
  };

  std::size_t columns() const override { return 1; }
  std::size_t batch() const override { return 2; }
  std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions&) const override {
    return std::make_unique<Maker>();
  }
};

// Every image is good except "odd", for which `fail` is called.
Recipe failing_recipe(const std::function<void()>& fail) {
  Recipe recipe;
  recipe.header.kind = "moments";
  recipe.header.settings = "none";
  recipe.header.convention = "textbook";
  recipe.header.device = "cpu";
  recipe.header.columns = {"one"};
  recipe.rows = std::make_shared<Ones>();
  recipe.images = [fail](const ImageFiles& files) {
    return Source{files.count, files.name, [fail, files](std::size_t i, Input& input, StageLoad&) {
                    if (files.name(i) == "odd") fail();
                    input.parts.push_back(std::make_unique<Part>());
                  }};
  };
  return recipe;
}

class Stream : public ::testing::Test {
 protected:
  Stream() {
    for (const char* name : {"a", "b", "odd", "c"}) images_.add(name, "");
  }
  // A store with a single block for all images.
  FeatureStore store(const Recipe& recipe) const {
    StoreHeader header = recipe.header;
    header.block = images_.size();
    return FeatureStore::begin(folder_ / "store", with_list(header, images_));
  }
  ExtractionReport run(const std::function<void()>& fail) const {
    const Recipe recipe = failing_recipe(fail);
    PlanOptions options;
    options.device = {DeviceChoice::Kind::kCpu, 0};
    return extract_features(images_, recipe, store(recipe), {}, options, ProgressStyle::kNone);
  }
  bool block_written() const {
    return store(failing_recipe([] {})).has_block(0);
  }

  TemporaryFolder folder_;
  ImageList images_;
};

// mechanics: an image that cannot be prepared becomes a row with the reason, between the others.
TEST_F(Stream, ABadImageIsARow) {
  const ExtractionReport report = run([] { throw InputError("odd: no leaf"); });
  EXPECT_EQ(report.states.at(RowState::kFailed), 1U);
  const std::vector<StoreRow> rows = store(failing_recipe([] {})).read_rows(0);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].state, RowState::kFailed);
  EXPECT_NE(rows[2].warnings.find("no leaf"), std::string::npos);
  EXPECT_EQ(rows[3].state, RowState::kOk);
}

// mechanics: a lack of machine resources ends the run before the block is written, and a second run
// fills it with good rows; a store never keeps a good image as a failed one.
TEST_F(Stream, WhatTheMachineLacksIsNoRow) {
  EXPECT_THROW(run([] { throw MachineError("odd: cannot be opened: too many open files"); }),
               MachineError);
  EXPECT_FALSE(block_written());
  EXPECT_THROW(run([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_FALSE(block_written());
  EXPECT_EQ(run([] {}).states, (std::map<RowState, std::size_t>{{RowState::kOk, 4}}));
  EXPECT_TRUE(block_written());
}

}  // namespace
}  // namespace leafglyph
