// Stores with any number of rows per image, and those of the format before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "classify/extraction/extract.h"
#include "classify/extraction/store_files.h"
#include "classify/index/feature_index.h"
#include "classify/leaf/store_rows.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

/// A part that knows its row and its place.
class NumberedPart : public Part {
 public:
  NumberedPart(float value, PartPlace place) : value(value), place_(std::move(place)) {}
  PartPlace place() const override { return place_; }
  bool has_row() const override { return place_.state != PartState::kNotALeaf; }

  float value;

 private:
  PartPlace place_;
};

/// Rows of `columns` equal numbers; at most three parts at once.
class PartRows : public RowKind<float> {
 public:
  explicit PartRows(std::size_t columns) : columns_(columns) {}

  class Maker : public RowMaker<float> {
   public:
    explicit Maker(std::size_t columns) : columns_(columns) {}
    std::vector<float> rows(std::span<const Part* const> parts,
                            std::span<std::vector<std::string>> warnings, StageLoad&) override {
      EXPECT_LE(parts.size(), 3U);
      std::vector<float> rows;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const float value = static_cast<const NumberedPart*>(parts[i])->value;
        rows.insert(rows.end(), columns_, value);
        if (value == 21) warnings[i].emplace_back("the second of two");
      }
      return rows;
    }

   private:
    std::size_t columns_;
  };

  std::size_t columns() const override { return columns_; }
  std::size_t batch() const override { return 3; }
  std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions&) const override {
    return std::make_unique<Maker>(columns_);
  }

 private:
  std::size_t columns_;
};

// Image "3" has three parts, with rows of 30, 31 and 32; the last part of "4" is not a leaf, the
// first is cut; "0" has none; "bad" fails.
Recipe parts_recipe() {
  Recipe recipe;
  recipe.header.kind = "moments";
  recipe.header.settings = "none";
  recipe.header.convention = "textbook";
  recipe.header.device = "cpu";
  recipe.header.columns = {"one", "two"};
  recipe.header.parts = PartRule::kEveryLeaf;
  recipe.rows = std::make_shared<PartRows>(2);
  recipe.images = [](const ImageFiles& files) {
    return Source{files.count, files.name, [files](std::size_t i, Input& input, StageLoad&) {
                    if (files.name(i) == "bad") throw InputError("bad: is not an image");
                    const int parts = std::stoi(files.name(i));
                    for (int p = 0; p < parts; ++p) {
                      PartPlace place{p + 1, {10 * p, 5, 8, 9}, 50.4, PartState::kWhole, ""};
                      if (parts == 4 && p == 0) place.state = PartState::kCut;
                      if (parts == 4 && p == 3) {
                        place.state = PartState::kNotALeaf;
                        place.reason = "a ruler";
                      }
                      input.parts.push_back(std::make_unique<NumberedPart>(
                          static_cast<float>(10 * parts + p), std::move(place)));
                    }
                  }};
  };
  return recipe;
}

class StoreParts : public ::testing::Test {
 protected:
  static ImageList list(const std::vector<std::string>& names) {
    ImageList images;
    for (const std::string& name : names) images.add(name, "label of " + name);
    return images;
  }
  FeatureStore extract(const std::string& name, const std::vector<std::string>& names,
                       std::size_t block, const Shard& shard = {}) const {
    const ImageList images = list(names);
    const Recipe recipe = parts_recipe();
    StoreHeader header = recipe.header;
    header.block = block;
    FeatureStore store = FeatureStore::begin(folder_ / name, with_list(header, images));
    PlanOptions options;
    options.device = {DeviceChoice::Kind::kCpu, 0};
    extract_features(images, recipe, store, shard, options, ProgressStyle::kNone);
    return store;
  }
  std::map<std::string, std::string> files(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }

  TemporaryFolder folder_;
  const std::vector<std::string> names_ = {"3", "0", "bad", "2", "4", "1", "3"};
};

// mechanics: every part is a row with its place and state; images without parts, images that fail
// and parts that are not leaves have a row without numbers.
TEST_F(StoreParts, PartsAreRows) {
  const FeatureStore store = extract("s", names_, 4);
  const StoreBlock first = store.read_block(0), second = store.read_block(1);
  ASSERT_EQ(first.rows.size(), 7U);
  ASSERT_EQ(second.rows.size(), 8U);
  EXPECT_EQ(store.rows_in(0), 7U);
  EXPECT_EQ(store.rows_in(1), 8U);
  std::vector<std::pair<std::size_t, int>> keys;
  for (const StoreRow& row : first.rows) keys.emplace_back(row.image, row.part);
  EXPECT_EQ(keys, (std::vector<std::pair<std::size_t, int>>{
                      {0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 1}, {3, 2}}));
  EXPECT_EQ(first.rows[1].box, (PictureBox{10, 5, 8, 9}));
  EXPECT_EQ(first.rows[1].area, 50U);
  EXPECT_EQ(first.rows[3].state, RowState::kEmpty);
  EXPECT_EQ(first.rows[4].state, RowState::kFailed);
  EXPECT_EQ(first.rows[4].warnings, "is not an image");
  EXPECT_EQ(first.rows[6].warnings, "the second of two");
  EXPECT_EQ(second.rows[0].state, RowState::kCut);
  EXPECT_EQ(second.rows[3].state, RowState::kNotALeaf);
  EXPECT_EQ(second.rows[3].warnings, "a ruler");
  EXPECT_EQ(second.rows[3].label, "label of 4");
  for (const StoreBlock* block : {&first, &second}) {
    for (std::size_t r = 0; r < block->rows.size(); ++r) {
      const StoreRow& row = block->rows[r];
      EXPECT_EQ(std::isnan(block->values[2 * r]), !has_numbers(row.state)) << row.path;
      if (!has_numbers(row.state)) continue;
      const float value = 10.0F * std::stof(row.path) + static_cast<float>(row.part - 1);
      EXPECT_EQ(block->values[2 * r], value);
      EXPECT_EQ(block->values[2 * r + 1], value);
    }
  }
  const StoreContents contents = contents_of(store);
  EXPECT_EQ(contents.rows, 15U);
  EXPECT_EQ(contents.states.at(RowState::kOk), 11U);
}

// invariant: shards and a resumed run write the files of one run.
TEST_F(StoreParts, ShardsWriteTheSameFiles) {
  extract("one", names_, 2);
  for (const std::size_t shard : {1, 0, 2}) extract("shards", names_, 2, {shard, 3});
  EXPECT_EQ(files("shards"), files("one"));
  std::filesystem::remove(folder_ / "shards/00000001.npy");
  extract("shards", names_, 2);
  EXPECT_EQ(files("shards"), files("one"));
}

// agreement: merged stores are the store of all images, files and all but the list's digest.
TEST_F(StoreParts, MergedStoresAreTheStoreOfAll) {
  const std::vector<FeatureStore> stores = {extract("a", {names_.begin(), names_.begin() + 3}, 2),
                                            extract("b", {names_.begin() + 3, names_.end()}, 3)};
  merge_stores(stores, folder_ / "merged");
  extract("all", names_, 2);
  auto merged = files("merged"), all = files("all");
  EXPECT_EQ(merged.size(), all.size());
  for (const auto& [name, bytes] : all) {
    if (name.ends_with(".npy") || name.ends_with(".csv")) {
      EXPECT_EQ(merged[name], bytes) << name;
    }
  }
}

// mechanics: a table and arrays have a line per row.
TEST_F(StoreParts, AreExported) {
  const FeatureStore store = extract("s", names_, 4);
  EXPECT_EQ(export_csv(store, folder_ / "s.csv"), 15U);
  const std::string table = read_file(folder_ / "s.csv");
  EXPECT_TRUE(
      table.starts_with("path,part,label,state,left,top,width,height,area,warnings,one,two\n"
                        "3,1,label of 3,ok,0,5,8,9,50,,30,30\n"))
      << table;
  EXPECT_NE(table.find("\n4,4,label of 4,not a leaf,30,5,8,9,50,a ruler,,\n"), table.npos);
  EXPECT_NE(table.find("\n0,0,label of 0,empty,,,,,,has no parts,,\n"), table.npos);
  EXPECT_EQ(export_npz(store, folder_ / "s.npz"), 15U);
  EXPECT_EQ(export_npz(store, folder_ / "again.npz"), 15U);
  EXPECT_EQ(read_file(folder_ / "s.npz"), read_file(folder_ / "again.npz"));
}

// agreement: Python's zipfile unpacks the arrays, and finds no time in the archive, so that equal
// stores give equal bytes.
TEST_F(StoreParts, AreArraysThatPythonUnpacks) {
  export_npz(extract("s", names_, 4), folder_ / "s.npz");
  folder_.write("unpack.py",
                "import sys, zipfile\n"
                "zip = zipfile.ZipFile(sys.argv[1])\n"
                "assert zip.testzip() is None\n"
                "assert {i.date_time for i in zip.infolist()} == {(1980, 1, 1, 0, 0, 0)}\n"
                "zip.extractall(sys.argv[2])\n");
  ASSERT_EQ(std::system(("python3 " + (folder_ / "unpack.py").string() + " " +
                         (folder_ / "s.npz").string() + " " + (folder_ / "arrays").string())
                            .c_str()),
            0);
  const NpyArray<float> features = read_npy<float>(folder_ / "arrays/features.npy");
  EXPECT_EQ(features.shape, (std::vector<std::size_t>{15, 2}));
  EXPECT_EQ(features.values[0], 30);
  const NpyArray<double> boxes = read_npy<double>(folder_ / "arrays/boxes.npy");
  EXPECT_EQ(boxes.shape, (std::vector<std::size_t>{15, 4}));
  EXPECT_EQ(read_npy<double>(folder_ / "arrays/areas.npy").values[0], 50);
  const std::string paths = read_file(folder_ / "arrays/paths.npy");
  EXPECT_NE(paths.find("'shape': (15,)"), paths.npos);
}

// oracle: the nearest row of an index is the part with those numbers; parts without numbers are not
// in it.
TEST_F(StoreParts, AreFoundByAnIndex) {
  const std::vector<FeatureStore> stores = {extract("a", {"3", "0"}, 1),
                                            extract("b", {"bad", "4", "2"}, 2)};
  FeatureIndex::build(stores, {}, folder_ / "index");
  const FeatureIndex index = FeatureIndex::open(folder_ / "index");
  EXPECT_EQ(index.size(), 8U);
  const auto hits = index.search(std::vector<float>{42, 42, 31, 31, 20, 20}, 1);
  EXPECT_EQ(hits[0][0].path, "4 #3");
  EXPECT_EQ(hits[1][0].path, "3 #2");
  EXPECT_EQ(hits[2][0].path, "2 #1");
  EXPECT_EQ(hits[2][0].label, "label of 2");
}

// mechanics: rows that are out of order, of other images or too few are refused.
TEST_F(StoreParts, DamagedRowsAreRefused) {
  const FeatureStore store = extract("s", names_, 4);
  const StoreBlock good = store.read_block(0);
  const auto refused = [&](const auto& change) {
    StoreBlock block = good;
    change(block.rows);
    block.values.resize(2 * block.rows.size());
    store.write_block(0, block);
    EXPECT_THROW(store.read_rows(0), FormatError);
  };
  refused([](auto& rows) { std::swap(rows[0], rows[1]); });
  refused([](auto& rows) { rows[1].part = 1; });
  refused([](auto& rows) { rows.erase(rows.begin() + 3); });
  refused([](auto& rows) { rows.resize(5); });
  refused([](auto& rows) { rows.back().image = 4; });
  StoreBlock short_block = good;
  short_block.values.resize(2 * 6);
  store.write_block(0, good);
  const std::array<std::size_t, 2> shape = {6, 2};
  write_file(folder_ / "s/00000000.npy",
             npy_bytes(std::span<const float>(short_block.values), shape));
  EXPECT_THROW(store.read_block(0), FormatError);
}

// mechanics: of the parts of a photograph, those that are one leaf are samples for training, with
// the finder that found them.
TEST_F(StoreParts, OneLeafIsASample) {
  LeafConfig config = small_config();
  config.features.channels = {Channel::kMask};
  config.features.order = 2;
  StoreHeader header = leaf_recipe(config, 0).header;
  header.device = "cpu";
  header.block = 3;
  header.inputs = 5;
  header.classes = {"oak"};
  header.scientific_names = header.chinese_names = {""};
  header.parts = PartRule::kEveryLeaf;
  const FeatureStore store = FeatureStore::begin(folder_ / "s", header);
  const std::size_t width = header.columns.size();
  const auto row = [](std::size_t image, int part, RowState state) {
    StoreRow made;
    made.image = image;
    made.part = part;
    made.path = fmt::format("{}.png", image);
    made.label = "oak";
    made.state = state;
    made.warnings = has_numbers(state) ? "" : "why";
    return made;
  };
  const std::vector<std::vector<StoreRow>> rows = {
      {row(0, 1, RowState::kOk), row(0, 2, RowState::kNotALeaf), row(0, 3, RowState::kCut),
       row(1, 0, RowState::kEmpty), row(2, 0, RowState::kFailed)},
      {row(3, 1, RowState::kOverlapping), row(4, 1, RowState::kNotALeaf),
       row(4, 2, RowState::kOk)}};
  for (std::size_t b = 0; b < rows.size(); ++b) {
    StoreBlock block{{}, rows[b]};
    for (std::size_t r = 0; r < rows[b].size(); ++r) {
      block.values.insert(block.values.end(), width, static_cast<float>(10 * b + r));
    }
    store.write_block(b, block);
  }
  const std::filesystem::path& folder = store.folder();
  const LeafStores stores(std::span(&folder, 1));
  const LeafDataset dataset = stores.dataset();
  ASSERT_EQ(dataset.samples.size(), 4U);
  EXPECT_EQ(sample_name(dataset, 1), "0.png #3");
  EXPECT_EQ(sample_name(dataset, 3), "4.png #2");
  const LeafFeatures found = stores.rows(std::vector<std::size_t>{1, 2, 3}, config, 2);
  EXPECT_EQ(found.samples, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(found.errors, std::vector<std::string>{"2.png: why"});
  EXPECT_EQ(found.table.row(0)[0], 2.0F);
  EXPECT_EQ(found.table.row(1)[0], 12.0F);
  // Leaves that another finder found, such as that of 0.2.0, are not taken for these.
  LeafConfig other = config;
  other.preparation.finder = Finder::kScene;
  EXPECT_TRUE(refuses<UsageError>([&] { static_cast<void>(stores.layout(other)); },
                                  "the leaves were found by finder: threshold, the configuration "
                                  "says scene; extract the features again, or use --set "
                                  "preparation.finder=threshold"));
}

}  // namespace
}  // namespace leafglyph
