// Every file that LeafGlyph reads back detects a change of any byte.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"
#include "classify/extraction/extract.h"
#include "classify/index/feature_index.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/model_folder.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/moments/moment_file.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class FlippedBytes : public ::testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  // Unlike write_file, this does not wait for the disk, which would take most of the time.
  static void overwrite(const fs::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    if (!out.flush()) throw std::runtime_error(file.string() + " was not written");
  }

  // Flips one bit in each of about `most` bytes spread over the file, a different bit each time,
  // and expects `read` to refuse it with FormatError. Returns how many it tried.
  std::size_t flip(const fs::path& file, std::size_t most, const std::function<void()>& read) {
    EXPECT_NO_THROW(read()) << file;
    const std::string whole = read_file(file);
    const std::size_t step = std::max<std::size_t>(1, whole.size() / most);
    std::size_t tried = 0, missed = 0;
    for (std::size_t i = 0; i < whole.size(); i += step, ++tried) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
      overwrite(file, flipped);
      try {
        read();
        ++missed;
        ADD_FAILURE() << file << ": byte " << i << " of " << whole.size() << " was not noticed";
      } catch (const FormatError&) {
      } catch (const std::exception& error) {
        ADD_FAILURE() << file << ": byte " << i << ": " << error.what();
      }
      if (missed > 3) break;
    }
    overwrite(file, whole);
    EXPECT_NO_THROW(read()) << file;
    return tried;
  }

  // A store of twelve generated leaves in three blocks.
  FeatureStore make_store() {
    write_synthetic_leaves({3, 4, 1}, at("leaves"));
    MomentRecipe recipe;
    recipe.spec.order = 4;
    recipe.resize = 32;
    const Recipe made = moment_recipe(recipe);
    ImageInputs inputs;
    inputs.paths = {at("leaves").string()};
    const ImageList images = list_images(inputs).list;
    StoreHeader header = made.header;
    header.device = "cpu";
    header.block = 5;
    FeatureStore store = FeatureStore::begin(at("store"), with_list(header, images));
    PlanOptions options;
    options.device = {DeviceChoice::Kind::kCpu, 0};
    extract_features(images, made, store, {}, options, ProgressStyle::kNone);
    return store;
  }

  TemporaryFolder folder_;
};

// mechanics: a store's header, values, paths, labels and checksums.
TEST_F(FlippedBytes, OfAStoreAreNoticed) {
  make_store();
  const auto read = [&] {
    const FeatureStore store = FeatureStore::open(at("store"));
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      store.map_values(b);
      store.read_rows(b);
    }
  };
  std::size_t tried = 0;
  for (const char* name : {"store.json", "00000000.npy", "00000000.csv", "00000000.sum",
                           "00000002.npy", "00000002.csv", "00000002.sum"}) {
    tried += flip(at("store") / name, 1000, read);
  }
  EXPECT_GT(tried, 2500U);
}

// mechanics: an index's own files, and the files of the stores that it reads.
TEST_F(FlippedBytes, OfAnIndexAreNoticed) {
  const FeatureStore store = make_store();
  FeatureIndex::build({&store, 1}, {IndexType::kIvf, /*lists=*/2, /*recall=*/1.0}, at("index"));
  const auto read = [&] { FeatureIndex::open(at("index")).check(); };
  std::size_t tried = 0;
  for (const char* name :
       {"index/index.json", "index/scaling.npy", "index/centres.npy", "index/lists.bin",
        "store/store.json", "store/00000001.csv", "store/00000001.sum"}) {
    tried += flip(at(name), 1000, read);
  }
  EXPECT_GT(tried, 2500U);
}

// mechanics: a list is checked when it is searched, a block when one of its rows is found.
TEST_F(FlippedBytes, AreNoticedBySearching) {
  const FeatureStore store = make_store();
  FeatureIndex::build({&store, 1}, {IndexType::kFlat}, at("index"));
  const std::vector<float> query(store.header().columns.size(), 0.5F);
  const auto read = [&] { FeatureIndex::open(at("index")).search(query, 12); };
  EXPECT_GT(flip(at("index/lists.bin"), 200, read), 150U);
  EXPECT_GT(flip(at("store/00000001.csv"), 200, read), 150U);
}

// mechanics: the files of a model, of which large ones are checked when they are read.
TEST_F(FlippedBytes, OfAModelAreNoticed) {
  save_model(train_leaves(small_config(), LeafRun{}).model, WriteLock(at("model")));
  std::size_t tried = 0;
  for (const auto& entry : fs::directory_iterator(at("model"))) {
    tried += flip(entry.path(), 25, [&] {
      const LeafModel model = load_model(at("model"));
      model.features.table();
      model.sample_names.all();
      model.pictures.all();
      model.check();
    });
  }
  EXPECT_GT(tried, 250U);
}

// mechanics: moments and their header, and a table of moments.
TEST_F(FlippedBytes, OfMomentsAreNoticed) {
  MomentFile file;
  file.spec = {Family::kZernike, 6, Method::kExact, 1};
  file.size = 20;
  file.width = file.height = 20;
  file.rows = {"a.png:grey"};
  for (std::size_t i = 0; i < file.moment_count(); ++i) {
    file.values.emplace_back(1.0 / (static_cast<double>(i) + 3.0), 0.25);
  }
  std::size_t tried = 0;
  write_moment_file(at("m.npy"), file);
  tried += flip(at("m.npy"), 1000, [&] { read_moment_file(at("m.npy")); });
  tried += flip(at("m.npy.txt"), 1000, [&] { read_moment_file(at("m.npy")); });
  EXPECT_GT(tried, 800U);
}

// mechanics: saved splits. Splits made by hand have no digest.
TEST_F(FlippedBytes, OfSplitsAreNoticed) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  SavedSplits saved;
  saved.splits = {{{0, 1}, {2, 3}, {}}, {{2, 3}, {0}, {1}}};
  save_splits(saved, names, at("s.json"));
  EXPECT_GT(flip(at("s.json"), 1000, [&] { load_splits(at("s.json"), names); }), 300U);
  auto json = nlohmann::json::parse(read_file(at("s.json")));
  json.erase("manifest_sha256");
  write_file(at("s.json"), json.dump());
  EXPECT_EQ(load_splits(at("s.json"), names).splits.size(), 2U);
}

}  // namespace
}  // namespace leafglyph
