// Files of stores, indexes, models and caches that are cut while they are read: damage, never the
// end of the process.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "classify/extraction/extract.h"
#include "classify/extraction/store_files.h"
#include "classify/glyph/lookalikes.h"
#include "classify/index/feature_index.h"
#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/model_folder.h"
#include "classify/leaf_report/store_report.h"
#include "features/base/mapped_file.h"
#include "tests/support/drawn_characters.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::refuses;

class CutFiles : public ::testing::Test {
 protected:
  CutFiles() { guard_mapped_files(); }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  // A store of the leaves of small_config(), in blocks of 16.
  FeatureStore make_store() const {
    write_synthetic_leaves({4, 8, 3}, at("leaves"));
    const Recipe recipe = leaf_recipe(small_config(), 0);
    ImageInputs inputs;
    inputs.paths = {at("leaves").string()};
    const ImageList images = list_images(inputs).list;
    StoreHeader header = recipe.header;
    header.device = "cpu";
    header.block = 16;
    FeatureStore store = FeatureStore::begin(at("store"), with_list(header, images));
    PlanOptions options;
    options.device = {DeviceChoice::Kind::kCpu, 0};
    extract_features(images, recipe, store, {}, options, ProgressStyle::kNone);
    return store;
  }
  LeafConfig config_of_store() const {
    LeafConfig config = small_config();
    config.data.features = {at("store")};
    return config;
  }
  fs::path values() const { return at("store/00000001.npy"); }
  void cut_values(std::uintmax_t left = 0) const { fs::resize_file(values(), left); }
  // Cuts the values when a job has done that many steps of some work.
  LeafRun cutting_run(const std::string& work, std::size_t steps) const {
    LeafRun run;
    run.progressed = [this, work, steps](const std::string& label, std::size_t done, std::size_t) {
      if (label == work && done >= steps) cut_values();
    };
    return run;
  }

  TemporaryFolder folder_;
};

// mechanics: a store that is cut between its opening and its reading.
TEST_F(CutFiles, OfAStoreAreDamaged) {
  const FeatureStore store = make_store();
  cut_values();
  EXPECT_THROW(export_csv(store, at("values.csv")), FormatError);
  EXPECT_THROW(export_npz(store, at("values.npz")), FormatError);
  EXPECT_FALSE(fs::exists(at("values.csv")) || fs::exists(at("values.npz")));
  EXPECT_THROW(store_document(store), FormatError);
  EXPECT_THROW(store.map_values(1), FormatError);
  EXPECT_THROW(train_leaves(config_of_store(), LeafRun{}), FormatError);
  EXPECT_THROW(sums_of_stores(config_of_store(), {}, LeafRun{}), FormatError);
}

// mechanics: a store that is cut while rows lie in it, before or after they were touched, and while
// a model is trained on them: there is no model.
TEST_F(CutFiles, OfRowsInUseAreDamaged) {
  const FeatureStore store = make_store();
  const std::string whole = read_file(values());
  const LeafConfig config = config_of_store();
  {
    const auto mapped = store.map_values(1);
    ASSERT_TRUE(mapped.file);
    EXPECT_NO_THROW(mapped.file->check());
    cut_values(whole.size() - 1);
    EXPECT_THROW(mapped.file->check(), FormatError);
  }
  write_file(values(), whole);
  {
    const LeafData data = load_evaluation_data(config, {}, config.features.order, LeafRun{});
    ASSERT_FALSE(data.table.lying.rows.empty());
    const SavedSplits splits = leaf_splits(config, data, {});
    EXPECT_NO_THROW(evaluate_leaves(config, data, splits, LeafRun{}));
    cut_values();
    EXPECT_THROW(evaluate_leaves(config, data, splits, LeafRun{}), FormatError);
    EXPECT_THROW(sweep_leaves(config, data, splits, std::vector<int>{2}, LeafRun{}), FormatError);
    EXPECT_THROW(held(data.table), FormatError);
    EXPECT_THROW(select_rows(data.table, std::vector<std::size_t>{0}), FormatError);
  }
  for (const std::size_t percent : {1, 50, 90}) {
    write_file(values(), whole);
    EXPECT_TRUE(refuses<FormatError>(
        [&] { train_leaves(config, cutting_run("training", percent)); }, "was cut or changed"))
        << percent;
  }
  write_file(values(), whole);
  const LeafModel model = train_leaves(config, LeafRun{}).model;
  cut_values();
  EXPECT_THROW(save_model(model, WriteLock(at("model"))), FormatError);
  EXPECT_FALSE(fs::exists(at("model")));
}

// mechanics: lists of an index that are cut before a search, or between two.
TEST_F(CutFiles, OfAnIndexAreDamaged) {
  const FeatureStore store = make_store();
  const std::vector<float> values = store.read_values(0);
  const std::vector<float> query(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(store.header().columns.size()));
  for (const IndexType type : {IndexType::kFlat, IndexType::kIvf}) {
    for (const bool searched_before : {false, true}) {
      FeatureIndex::build({&store, 1}, {type, /*lists=*/2, /*recall=*/1.0}, at("index"));
      const FeatureIndex index = FeatureIndex::open(at("index"));
      if (searched_before) {
        EXPECT_EQ(index.search(query, 3)[0].size(), 3U);
      }
      fs::resize_file(at("index/lists.bin"), 100);
      EXPECT_TRUE(refuses<FormatError>([&] { index.search(query, 3); }, "build the index again"));
      EXPECT_THROW(FeatureIndex::open(at("index")), FormatError);
    }
  }
}

// mechanics: every file of a model that is read when something asks for it.
TEST_F(CutFiles, OfAModelAreDamaged) {
  const LeafModel trained = train_leaves(small_config(), LeafRun{}).model;
  const std::map<std::string, std::function<void(const LeafModel&)>> uses = {
      {"names.txt", [](const LeafModel& model) { model.sample_names.all(); }},
      {"leaves.npy", [](const LeafModel& model) { model.sample_names.all(); }},
      {"pictures.mjpeg", [](const LeafModel& model) { model.pictures.all(); }},
      {"check.json", [](const LeafModel& model) { model.check(); }},
      {"features.npy", [](const LeafModel& model) { model.features.table(); }}};
  for (const auto& [name, use] : uses) {
    for (const bool used_before : {false, true}) {
      save_model(trained, WriteLock(at("model")));
      const LeafModel model = load_model(at("model"));
      if (used_before && name != "features.npy") {
        EXPECT_NO_THROW(use(model));
      }
      fs::resize_file(at("model") / name, fs::file_size(at("model") / name) / 2);
      EXPECT_TRUE(refuses<FormatError>([&, &read = use] { read(model); }, name)) << name;
      if (name == "check.json") continue;  // not read before
      EXPECT_THROW(load_model(at("model")), FormatError) << name;
    }
  }
  // Where no file of a list is needed any more, it may be cut.
  save_model(trained, WriteLock(at("model")));
  const LeafModel model = load_model(at("model"));
  for (const char* name : {"names.txt.sha256", "leaves.npy.sha256", "pictures.mjpeg.sha256"}) {
    fs::resize_file(at("model") / name, 0);
  }
  EXPECT_EQ(model.sample_names, trained.sample_names);
}

// mechanics: tables of characters that are cut while an index of characters is open change nothing;
// the next one makes them again.
TEST_F(CutFiles, OfACacheAreMadeAgain) {
  std::string last;
  LookalikeOptions options = options_for({folder_.write("a.bdf", drawn_font())});
  options.cache_folder = at("cache");
  options.log = [&](const std::string& line) { last = line; };
  const auto answers = [](const LookalikeIndex& index) {
    std::vector<double> distances;
    for (const auto& found : index.similar(index.selected().characters, 2)) {
      for (const Lookalike& one : found) distances.push_back(one.distance);
    }
    return distances;
  };
  const std::vector<double> expected = answers(LookalikeIndex(options));
  const fs::path tables = fs::directory_iterator(at("cache"))->path();
  const LookalikeIndex open(options);
  EXPECT_NE(last.find("from"), std::string::npos) << last;
  fs::resize_file(tables / "rows.npy", 70);
  EXPECT_EQ(answers(open), expected);
  EXPECT_EQ(answers(LookalikeIndex(options)), expected);
  EXPECT_NE(last.find("made and stored"), std::string::npos) << last;
}

}  // namespace
}  // namespace leafglyph
