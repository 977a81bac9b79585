// The folder of a trained model: what reads back, and what is refused.
#include "classify/leaf/model_folder.h"
#include "classify/leaf/leaf_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf_report/report.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/statistics.h"
#include "features/image_io/decode_image.h"
#include "features/record/checked_file.h"
#include "features/record/json_text.h"
#include "tests/support/refusal.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

namespace fs = std::filesystem;

class ModelFolderTest : public ::testing::Test {
 protected:
  ModelFolderTest() : trained_(train_leaves(small_config(), LeafRun{})), model_(path()) {
    save_model(trained_.model, WriteLock(model_));
  }
  fs::path path() const { return folder_.path() / "leaf.model"; }

  void expect_refused(const std::string& why) {
    EXPECT_THROW(read_whole(), FormatError) << why;
    fs::remove_all(model_);
    save_model(trained_.model, WriteLock(model_));
    EXPECT_NO_THROW(read_whole());
  }
  // Also what is not read before something asks for it.
  void read_whole() const {
    const LeafModel model = load_model(model_);
    model.features.table();
    model.sample_names.all();
    model.pictures.all();
    model.check();
  }

  nlohmann::json manifest() const {
    return nlohmann::json::parse(read_file(model_ / "manifest.json"));
  }
  // Writes a file with its correct digests.
  void replace(const std::string& name, const std::string& bytes) const {
    write_file(model_ / name, bytes);
    nlohmann::json json = manifest();
    if (json["sha256"].contains(name)) {
      json["sha256"][name] = sha256(bytes);
    } else {
      const std::string_view pieces[] = {bytes};
      const std::string digests = CheckedFile::digests_of(pieces);
      write_file(model_ / (name + ".sha256"), digests);
      json["sha256"][name + ".sha256"] = sha256(digests);
    }
    seal(json);
  }
  // Writes a manifest with its correct digest.
  void seal(nlohmann::json manifest) const {
    manifest.erase("manifest_sha256");
    manifest["manifest_sha256"] = sha256(manifest.dump());
    write_file(model_ / "manifest.json", manifest.dump(1));
  }

  TemporaryFolder folder_;
  TrainedLeaves trained_;
  fs::path model_;
};

// invariant: a loaded model predicts like the trained one, bit by bit.
TEST_F(ModelFolderTest, PredictsAsBefore) {
  const LeafModel loaded = load_model(model_);
  EXPECT_EQ(loaded.class_names, trained_.model.class_names);
  EXPECT_EQ(loaded.sample_names, trained_.model.sample_names);
  EXPECT_EQ(loaded.features.table().values, trained_.model.features.table().values);
  EXPECT_EQ(loaded.features.log_area(), trained_.model.features.log_area());
  EXPECT_EQ(loaded.classifier.threshold(), trained_.model.classifier.threshold());
  EXPECT_EQ(to_yaml(loaded.requested), to_yaml(trained_.model.requested));
  EXPECT_EQ(loaded.pictures, trained_.model.pictures);
  EXPECT_EQ(loaded.history.date, trained_.model.history.date);
  EXPECT_EQ(loaded.history.data, trained_.model.history.data);
  EXPECT_EQ(loaded.history.classes, trained_.model.history.classes);
  ASSERT_TRUE(loaded.history.accuracy);
  EXPECT_EQ(*loaded.history.accuracy, *trained_.model.history.accuracy);
  const auto before = trained_.model.classifier.predict(trained_.model.features.table(), 3);
  const auto after = loaded.classifier.predict(loaded.features.table(), 3);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].ranking, after[i].ranking);
    EXPECT_EQ(before[i].neighbours, after[i].neighbours);
    EXPECT_EQ(before[i].decision.known(), after[i].decision.known());
    EXPECT_EQ(before[i].probability, after[i].probability);
  }
}

// agreement: the check of a training reads back; what does not fit the model is damaged.
TEST_F(ModelFolderTest, KeepsTheCheckOfItsPhotographs) {
  LeafCheck check = trained_.model.check();
  check.look = {{Look::kMisfiled, 1, "oak/\xff.jpg: looks like ash", 0},
                {Look::kNoLeaf, std::nullopt, "blank.jpg: no leaf"}};
  check.confusions = {{0, 1, 3}};
  LearningCurve curve;
  for (const std::size_t leaves : {2, 4}) {
    curve.points.push_back({leaves, {0.5 + 0.1 * static_cast<double>(leaves), 0.125}, {}});
  }
  const LearningForecast forecast(curve.points, trained_.model.sample_names.size());
  check.more = MorePhotographs{curve, forecast, 4};
  trained_.model.check = [&] { return check; };
  save_model(trained_.model, WriteLock(model_));
  const LeafModel loaded = load_model(model_);
  EXPECT_EQ(check_document(loaded), check_document(trained_.model));
  EXPECT_EQ(check_json(loaded.check()), check_json(check));
  EXPECT_EQ(loaded.check().look[0].text, check.look[0].text);
  const auto json = nlohmann::json::parse(read_file(model_ / "check.json"));
  const auto expect_damaged = [&](const char* place, const nlohmann::json& value) {
    nlohmann::json changed = json;
    changed[nlohmann::json::json_pointer(place)] = value;
    replace("check.json", changed.dump());
    EXPECT_TRUE(refuses<FormatError>([&] { load_model(model_).check(); }, "check.json")) << place;
  };
  expect_damaged("/look_at/0/leaf", 1000);
  expect_damaged("/look_at/0/what", "odd");
  expect_damaged("/look_at/0/looks_like", -1);
  expect_damaged("/confusions/0/taken_for", 99);
  expect_damaged("/more/points/1/leaves", 2);
  expect_damaged("/more/points/1/right", 2);
  expect_damaged("/more/points", nlohmann::json::array());
}

// mechanics: a model of 0.2.0, and one to be given away, have no check.
TEST_F(ModelFolderTest, MayHaveNoCheck) {
  trained_.model.check = nullptr;
  save_model(trained_.model, WriteLock(model_));
  EXPECT_FALSE(fs::exists(model_ / "check.json"));
  EXPECT_EQ(load_model(model_).check, nullptr);
  const LeafModel shared = shared_model(train_leaves(small_config(), LeafRun{}).model, "leaves");
  EXPECT_EQ(shared.check, nullptr);
}

// mechanics: a renamed model is as before, but for its history.
TEST_F(ModelFolderTest, NotesItsNewName) {
  const auto before = manifest();
  add_renamed(WriteLock(model_), {"2026-01-31T12:00:00Z", "oaks",
                                  "tr\xff"
                                  "ees"});
  add_renamed(WriteLock(model_), {"2026-02-01T12:00:00Z", "trees", "oaks"});
  const std::vector<RenamedModel> renamed = load_model(model_).history.renamed;
  ASSERT_EQ(renamed.size(), 2U);
  EXPECT_EQ(renamed[0].to,
            "tr\xff"
            "ees");
  EXPECT_EQ(renamed[1].from, "trees");
  auto after = manifest();
  EXPECT_EQ(after["sha256"], before["sha256"]);
  EXPECT_NO_THROW(save_model(load_model(model_), WriteLock(model_)));
  EXPECT_EQ(load_model(model_).history.renamed.size(), 2U);
}

// regression: the prior of a training that chose fewer columns, as when colours do not help, is
// saved for the columns of the model.
TEST_F(ModelFolderTest, SavesThePriorOfItsColumns) {
  LeafConfig wide = small_config();
  wide.features.channels.push_back(Channel::kGradient);
  LeafModel& model = trained_.model;
  FeatureTable rows = std::move(model.features).take();
  rows.prior = train_leaves(wide, LeafRun{}).model.features.table().prior;
  model.features = std::move(rows);
  const fs::path folder = folder_.path() / "narrow.model";
  save_model(model, WriteLock(folder));
  const LeafModel loaded = load_model(folder);
  EXPECT_EQ(loaded.features.table().prior->mean,
            select_columns(*model.features.table().prior, model.features.layout()).mean);
}

// oracle: each training leaf has a picture, a JPEG of the stated size.
TEST_F(ModelFolderTest, HoldsAPictureOfEachLeaf) {
  const LeafModel loaded = load_model(model_);
  ASSERT_EQ(loaded.pictures.size(), loaded.sample_names.size());
  for (std::size_t i = 0; i < loaded.pictures.size(); ++i) {
    const SmallPicture picture = loaded.pictures[i];
    write_file(folder_.path() / "leaf.jpg", picture.jpeg);
    const DecodedImage image = decode_image(folder_.path() / "leaf.jpg");
    EXPECT_EQ(image.grey.width(), picture.width);
    EXPECT_EQ(image.grey.height(), picture.height);
    EXPECT_EQ(std::max(picture.width, picture.height), kModelPictureSide);
  }
}

// invariant: augmented copies are restored, bit by bit.
TEST_F(ModelFolderTest, KeepsAugmentedCopies) {
  LeafConfig config = small_config();
  config.classifier.pipeline.plda.augmentation = 0.5;
  const LeafModel augmented = train_leaves(config, LeafRun{}).model;
  ASSERT_EQ(augmented.features.table().augmented.of.size(), augmented.sample_names.size() / 2);
  save_model(augmented, WriteLock(model_));
  const LeafModel loaded = load_model(model_);
  EXPECT_EQ(loaded.features.table().augmented.of, augmented.features.table().augmented.of);
  EXPECT_EQ(loaded.features.table().augmented.values, augmented.features.table().augmented.values);
}

// mechanics: a file that is changed by one byte, truncated or missing is refused.
TEST_F(ModelFolderTest, RefusesEveryDamage) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(model_)) {
    names.push_back(entry.path().filename());
  }
  ASSERT_EQ(names.size(), 23U);
  for (const fs::path& name : names) {
    const std::string bytes = read_file(model_ / name);
    std::string changed = bytes;
    changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
    write_file(model_ / name, changed);
    expect_refused(name.string() + " changed");
    write_file(model_ / name, bytes.substr(0, bytes.size() / 2));
    expect_refused(name.string() + " cut short");
    write_file(model_ / name, "");
    expect_refused(name.string() + " emptied");
    fs::remove(model_ / name);
    expect_refused(name.string() + " missing");
  }
}

// mechanics: the digest covers every bit of the manifest.
TEST_F(ModelFolderTest, RefusesAManifestWithAnyBitChanged) {
  const std::string good = read_file(model_ / "manifest.json");
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    std::ofstream(model_ / "manifest.json", std::ios::binary) << bad;
    EXPECT_THROW(load_model(model_), FormatError) << "bit " << bit;
  }
}

// mechanics: other folders and other versions are refused, even with correct checksums.
TEST_F(ModelFolderTest, RefusesForeignFoldersAndOtherVersions) {
  const auto refuse = [&](const std::string& key, const nlohmann::json& value) {
    nlohmann::json json = manifest();
    json[key] = value;
    seal(json);
    expect_refused(key + " " + value.dump());
  };
  for (const nlohmann::json& version :
       {nlohmann::json(kModel.version - 1), nlohmann::json(kModel.version + 1),
        nlohmann::json((std::int64_t{1} << 32) + kModel.version),
        nlohmann::json(static_cast<double>(kModel.version)), nlohmann::json(true),
        nlohmann::json("1")}) {
    refuse("version", version);
  }
  refuse("format", "other");
  refuse("format", "leafglyph-leaf-model");
  refuse("convention", "another");
  refuse("threshold", -1);
  refuse("threshold", true);
  refuse("threshold", "0.5");
  write_file(model_ / "manifest.json", "[]");
  expect_refused("no manifest object");
  EXPECT_THROW(load_model(folder_.path() / "nothing"), InputError);
  fs::create_directory(folder_.path() / "empty");
  EXPECT_THROW(load_model(folder_.path() / "empty"), FormatError);
}

// mechanics: files that match their checksums but not each other.
TEST_F(ModelFolderTest, RefusesFilesThatDoNotFitTogether) {
  LeafConfig config = small_config();
  config.data.generated.leaves_per_species = 9;
  const fs::path other = folder_.path() / "other.model";
  save_model(train_leaves(config, LeafRun{}).model, WriteLock(other));
  const auto refuse = [&](const std::string& name, const std::string& bytes) {
    replace(name, bytes);
    expect_refused(name);
  };
  for (const std::string name : {"classes.npy", "features.npy", "rows.npy", "leaves.npy"}) {
    refuse(name, read_file(other / name));
  }
  const nlohmann::json labels = nlohmann::json::parse(read_file(model_ / "labels.json"));
  const std::size_t count = trained_.model.sample_names.size(), shape[] = {1, count};
  for (const int label : {-1, 4}) {
    std::vector<std::int32_t> classes(count);
    classes.back() = label;
    refuse("classes.npy", npy_bytes<std::int32_t>(classes, shape));
  }
  const CheckedRows<std::uint64_t> list(std::make_shared<const CheckedFile>(
      model_ / "leaves.npy", model_ / "leaves.npy.sha256",
      manifest()["sha256"]["leaves.npy.sha256"].get<std::string>(), ""));
  const std::vector<std::uint64_t> leaves = list.rows();
  const std::size_t last = leaves.size() - 4, list_shape[] = {count, 4};
  // Ends of names and pictures; widths and heights.
  for (const auto& [place, value] : std::initializer_list<std::pair<std::size_t, std::uint64_t>>{
           {last, 1}, {last + 1, 1}, {0, 1'000'000}, {5, 0}, {2, 0}, {3, kModelPictureSide + 1}}) {
    std::vector<std::uint64_t> changed = leaves;
    changed[place] = value;
    refuse("leaves.npy", npy_bytes<std::uint64_t>(changed, list_shape));
  }
  nlohmann::json augmented = labels;
  augmented["augmented"] = {0, 1};
  refuse("labels.json", augmented.dump());
  NpyArray<float> rows = read_npy<float>(model_ / "rows.npy");
  rows.values[0] = std::numeric_limits<float>::quiet_NaN();
  refuse("rows.npy", npy_bytes<float>(rows.values, rows.shape));
  NpyArray<double> projection = read_npy<double>(model_ / "projection.npy");
  const std::vector<std::size_t> less = {projection.shape[0], projection.shape[1] - 1};
  refuse("projection.npy", npy_bytes<double>(std::vector<double>(less[0] * less[1]), less));
  projection.values.back() = std::numeric_limits<double>::quiet_NaN();
  refuse("projection.npy", npy_bytes<double>(projection.values, projection.shape));
  const NpyArray<float> prior = read_npy<float>(model_ / "prior.npy");
  const std::vector<std::size_t> three = {3, prior.shape[1]};
  refuse("prior.npy", npy_bytes<float>(std::vector<float>(3 * prior.shape[1]), three));
  const std::vector<std::size_t> empty = {rows.shape[0], 0};
  refuse("rows.npy", npy_bytes<float>(std::vector<float>{}, empty));
}

// mechanics: arrays with correct digests and absurd contents: no rows, no columns, no numbers.
TEST_F(ModelFolderTest, RefusesAbsurdArrays) {
  std::size_t tried = 0;
  for (const auto& entry : fs::directory_iterator(model_)) {
    const std::string name = entry.path().filename().string();
    // Those of integers hold any.
    if (!name.ends_with(".npy") || name == "classes.npy" || name == "leaves.npy") continue;
    const std::string whole = read_file(model_ / name);
    const NpyArray<double> array = read_npy<double>(model_ / name);
    const bool is_float = array.type == "<f4";
    const auto refuse = [&](const std::vector<double>& values, std::vector<std::size_t> shape) {
      const std::vector<float> floats(values.begin(), values.end());
      const std::string bytes =
          is_float ? npy_bytes<float>(floats, shape) : npy_bytes<double>(values, shape);
      replace(name, bytes);
      EXPECT_THROW(read_whole(), FormatError) << name << " " << shape[0];
      ++tried;
    };
    refuse({}, {0, array.shape[1]});
    refuse({}, {array.shape[0], 0});
    refuse({}, {0, 0});
    refuse(array.values, {array.values.size()});
    refuse(array.values, {1, array.shape[0], array.shape[1]});
    for (const double value : {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(), 1e30, -1e30}) {
      for (const std::size_t place : {std::size_t{0}, array.values.size() - 1}) {
        std::vector<double> values = array.values;
        values[place] = value;
        refuse(values, array.shape);
      }
    }
    replace(name, whole);
    EXPECT_NO_THROW(read_whole()) << name;
  }
  EXPECT_GE(tried, 6U * 13);
  for (const char* key : {"slope", "offset"}) {
    nlohmann::json json = manifest();
    json["calibration"][key] = 1e308;
    seal(json);
    expect_refused("calibration");
  }
}

// invariant: while models replace each other, a reader gets one of them.
TEST_F(ModelFolderTest, IsReadWholeWhileItIsReplaced) {
  LeafConfig config = small_config();
  config.data.generated.leaves_per_species = 9;
  const LeafModel other = train_leaves(config, LeafRun{}).model;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) save_model(i % 2 == 0 ? other : trained_.model, WriteLock(model_));
    done = true;
  });
  int read = 0;
  do {
    try {
      const LeafModel model = load_model(model_);
      const LeafModel& same =
          model.sample_names.size() == other.sample_names.size() ? other : trained_.model;
      EXPECT_EQ(model.features.table().values, same.features.table().values);
      ++read;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  } while (!done);
  writer.join();
  EXPECT_GT(read, 0);
}

// mechanics: a folder that is not a model is not replaced.
TEST_F(ModelFolderTest, DoesNotReplaceOtherFolders) {
  const fs::path photos = folder_.path() / "photos";
  fs::create_directory(photos);
  write_file(photos / "leaf.jpg", "x");
  EXPECT_THROW(save_model(trained_.model, WriteLock(photos)), Error);
  EXPECT_TRUE(fs::exists(photos / "leaf.jpg"));
  // Many programs have a manifest.json.
  for (const std::string manifest :
       {"{\"name\": \"mine\"}", "no JSON", "{\"format\": \"leafglyph-leaf-model\"}"}) {
    write_file(photos / "manifest.json", manifest);
    EXPECT_THROW(save_model(trained_.model, WriteLock(photos)), Error) << manifest;
    EXPECT_TRUE(fs::exists(photos / "leaf.jpg"));
  }
}

// mechanics: the user's own notes beside the files of a model are named, and stay.
TEST_F(ModelFolderTest, DoesNotReplaceAModelWithOtherFilesInIt) {
  save_model(trained_.model, WriteLock(model_));
  write_file(model_ / "notes.txt", "mine");
  EXPECT_TRUE(refuses([&] { save_model(trained_.model, WriteLock(model_)); }, "notes.txt"));
  EXPECT_EQ(read_file(model_ / "notes.txt"), "mine");
  EXPECT_NO_THROW(load_model(model_));
}

// agreement: predictions come in the order of the images, including bad ones, each as if asked
// alone.
TEST_F(ModelFolderTest, ClassifyKeepsOrderAndSurvivesBadImages) {
  SyntheticSpec spec;
  spec.species = 4;
  spec.leaves_per_species = 2;
  spec.seed = 3;
  write_synthetic_leaves(spec, folder_.path() / "leaves");
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "leaves")) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin() + 3, folder_.path() / "missing.png");
  write_file(folder_.path() / "text.jpg", "no image");
  files.push_back(folder_.path() / "text.jpg");
  const auto leaves = classify_leaves(trained_.model, files, 2, LeafRun{});
  ASSERT_EQ(leaves.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(leaves[i].file, files[i]);
    const bool bad = i == 3 || i + 1 == files.size();
    EXPECT_EQ(leaves[i].prediction.has_value(), !bad);
    EXPECT_EQ(leaves[i].error.find(files[i].string()) != std::string::npos, bad);
    if (bad) continue;
    EXPECT_EQ(leaves[i].prediction->ranking.size(), 2U);
    EXPECT_EQ(leaves[i].prediction->neighbours.size(), 3U);
    const auto alone = classify_leaves(trained_.model, std::span(&files[i], 1), 2, LeafRun{});
    EXPECT_EQ(leaves[i].prediction->ranking, alone[0].prediction->ranking);
    // A plan for one image may round differently.
    LeafRun one;
    one.engine.images = 1;
    const auto rounded = classify_leaves(trained_.model, std::span(&files[i], 1), 2, one);
    EXPECT_EQ(rounded[0].prediction->ranking[0].label, leaves[i].prediction->ranking[0].label);
    EXPECT_LT(relative_l2(rounded[0].features, leaves[i].features), 1e-6);
  }
  const auto json =
      nlohmann::json::parse(json_text(classification_document(trained_.model, leaves)));
  ASSERT_EQ(json.size(), files.size());
  EXPECT_TRUE(json[3].contains("error"));
  EXPECT_EQ(json[0].at("classes").size(), 2U);
}

}  // namespace
}  // namespace leafglyph
