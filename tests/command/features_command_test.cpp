// End to end: the command `leafglyph features ...`.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "classify/store/feature_store.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/npy.h"
#include "features/record/sealed_json.h"
#include "tests/support/features_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// mechanics: a bad image is a row with a state and its reason, labels are the folders, and columns
// are named by channel, order and repetition.
TEST_F(FeaturesCommandTest, ExtractKeepsBadImagesAsRows) {
  const Outcome made = run(extract("s"));
  EXPECT_EQ(made.code, 5) << made.error;
  EXPECT_NE(made.out.find("19 images, 1 failed"), std::string::npos) << made.out;
  const FeatureStore store = FeatureStore::open(at("s"));
  EXPECT_EQ(store.header().blocks(), 5U);
  EXPECT_EQ(store.header().classes.size(), 3U);
  const auto& columns = store.header().columns;
  EXPECT_EQ(columns[0], "grey_Z_0_0");
  EXPECT_EQ(columns.back(), "mean-gradient");
  EXPECT_NE(std::ranges::find(columns, "rounded_Z_4_2"), columns.end());
  std::size_t failed = 0, rows = 0;
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    const StoreBlock block = store.read_block(b);
    for (std::size_t r = 0; r < block.rows.size(); ++r, ++rows) {
      const bool bad = block.rows[r].path == at("leaves/bad.png");
      EXPECT_EQ(block.rows[r].state, bad ? RowState::kFailed : RowState::kOk);
      EXPECT_EQ(std::isnan(block.values[r * columns.size()]), bad);
      if (!bad) {
        EXPECT_EQ(block.rows[r].label,
                  fs::path(block.rows[r].path).parent_path().filename().string());
        continue;
      }
      ++failed;
      EXPECT_EQ(block.rows[r].warnings,
                "is not a JPEG, PNG, TIFF, BMP, WebP or HEIF image, nor a FITS, NIfTI, MRC or .npy "
                "array");
    }
  }
  EXPECT_EQ(rows, 19U);
  EXPECT_EQ(failed, 1U);
}

// invariant: one run, shards, other numbers of threads and a run that completes another's store
// write the same files, to the last bit.
TEST_F(FeaturesCommandTest, StoreDoesNotDependOnWhoMadeIt) {
  ASSERT_EQ(run(extract("one", "--threads 1")).code, 5);
  for (const char* shard : {"2/3", "0/3", "1/3"}) {
    const Outcome part = run(extract("shards", "--threads 3 --shard " + std::string(shard)));
    EXPECT_TRUE(part.code == 0 || part.code == 5) << part.error;
  }
  EXPECT_EQ(files("shards"), files("one"));
  fs::remove(at("shards/00000002.npy"));
  fs::remove(at("shards/00000004.csv"));
  const Outcome resumed = run(extract("shards"));
  EXPECT_NE(resumed.out.find("5 of 5 blocks present"), std::string::npos) << resumed.out;
  EXPECT_EQ(files("shards"), files("one"));
}

// mechanics: a run that finds blocks of its shard compares their images with the store: an image
// that has changed in any way is refused and named; blocks of other shards are not read.
TEST_F(FeaturesCommandTest, ChangedImagesAreRefused) {
  std::vector<std::string> images;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.is_regular_file()) images.push_back(entry.path().string());
  }
  // bad.png, which comes first, is changed separately.
  std::ranges::sort(images, std::greater());
  ASSERT_EQ(run(extract("s")).code, 5);
  const auto before = files("s");
  const std::string first = "'" + images[0] + "'";
  const std::string kept = read_file(images[0]), bad = read_file(at("leaves/bad.png"));
  std::string flipped = kept;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  const auto expect_changed = [&](const std::string& path, const std::string& how) {
    const Outcome outcome = run(extract("s"));
    expect_refused(outcome, 3, fs::path(path).filename().string() + ": has changed since block ");
    EXPECT_NE(outcome.error.find(how), std::string::npos) << outcome.error;
    EXPECT_EQ(files("s"), before);
  };
  write_file(images[0], flipped);
  expect_changed(images[0], "has other bytes");
  write_file(images[0], kept + "x");
  expect_changed(images[0], "bytes, not ");
  fs::remove(images[0]);
  ASSERT_EQ(std::system(("mkdir " + first).c_str()), 0);  // the list of the folder would differ
  EXPECT_EQ(run(extract("s")).code, 2);
  fs::remove(images[0]);
  write_file(images[0], kept);
  write_file(at("leaves/bad.png"), kept);
  expect_changed("bad.png", "bytes, not ");
  write_file(at("leaves/bad.png"), bad);
  EXPECT_EQ(run(extract("s")).code, 0);
  EXPECT_EQ(files("s"), before);
  // A row of an image that could not be read then is not valid for one that can be read now.
  folder_.write("list.txt", images[1] + "\n" + at("later.png") + "\n");
  const std::string listed =
      "extract --list " + at("list.txt") + " --order 2 --quiet --out " + at("l");
  EXPECT_EQ(run(listed).code, 5);
  EXPECT_EQ(run(listed).code, 0);
  write_file(at("later.png"), kept);
  expect_refused(run(listed), 3, "can be read now but could not be read then");
}

// mechanics: an image that exceeds the allowed memory ends the command and is not a row of the
// store.
TEST_F(FeaturesCommandTest, MemoryThatIsAllowedIsNotExceeded) {
  // 256 MiB while it is decoded, in addition to what sanitizers take.
  const cv::Mat grey(4096, 8192, CV_8U, cv::Scalar(200));
  ASSERT_TRUE(cv::imwrite(at("leaves/large.png"), grey));
  const Outcome ended = run(extract("s", "--memory 260M"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.error.find("large.png needs 256 MiB of memory and "), std::string::npos)
      << ended.error;
  EXPECT_FALSE(fs::exists(at("s/00000004.csv")));
  const Outcome resumed = run(extract("s", "--memory 2G"));
  EXPECT_EQ(resumed.code, 5) << resumed.error;
  EXPECT_NE(resumed.out.find("5 of 5 blocks present"), std::string::npos) << resumed.out;
}

// invariant: a killed process loses no finished block, and the next one finishes the store.
TEST_F(FeaturesCommandTest, KilledRunsAreResumed) {
  ASSERT_EQ(run(extract("whole")).code, 5);
  const Outcome killed = run_interrupted(extract("killed", "--threads 1", 1), "KILL",
                                         "[ -e " + at("killed/00000001.csv") + " ]");
  EXPECT_TRUE(killed.code == 137 || killed.code == 5) << killed.code;
  const auto before = files("killed");
  const Outcome other = run(extract("killed", "", 1));
  EXPECT_TRUE(other.code == 0 || other.code == 5) << other.error;
  auto after = files("killed");
  EXPECT_EQ(after.size(), 1U + 3U * 19U);
  for (const auto& [name, content] : before) {
    if (name.starts_with(".")) continue;  // what was being written
    EXPECT_EQ(after[name], content) << name;
  }
}

// mechanics: two concurrent processes on one store.
TEST_F(FeaturesCommandTest, TwoProcessesFillOneStore) {
  ASSERT_EQ(run(extract("one")).code, 5);
  const std::string second = std::string(LEAFGLYPH_COMMAND) + " features " +
                             extract("two", "--shard 1/2") + " >/dev/null 2>&1 & ";
  ASSERT_EQ(std::system((second + LEAFGLYPH_COMMAND + " features " + extract("two", "--shard 0/2") +
                         " >/dev/null 2>&1; wait $!")
                            .c_str()) &
                ~0xffff,
            0);
  EXPECT_EQ(files("two"), files("one"));
}

// mechanics: a store accepts no rows of other settings or inputs, and no other folder is accepted
// as a store.
TEST_F(FeaturesCommandTest, OtherFeaturesAreNotAdded) {
  ASSERT_EQ(run(extract("s")).code, 5);
  expect_refused(run("extract " + at("leaves") + " --order 6 --out " + at("s")), 2, "kind");
  expect_refused(run(extract("s", "", 5)), 2, "inputs per block");
  fs::remove(at("leaves/bad.png"));
  expect_refused(run(extract("s")), 2, "number of inputs");
  fs::create_directory(at("other"));
  folder_.write("other/file", "");
  expect_refused(run(extract("other")), 1, "neither empty nor a feature store");
}

// mechanics: damage is reported with the file's name and exit code 4.
TEST_F(FeaturesCommandTest, DamagedStoresAreReported) {
  ASSERT_EQ(run(extract("s")).code, 5);
  const auto whole = files("s");
  const auto broken = [&](const std::string& name, const std::string& content, int code,
                          const std::string& named) {
    folder_.write("s/" + name, content);
    expect_refused(run("export " + at("s") + " --npz " + at("x.npz")), code, named);
    folder_.write("s/" + name, whole.at(name));
  };
  const std::string& values = whole.at("00000001.npy");
  broken("00000001.npy", values.substr(0, values.size() - 1), 4, "00000001.npy");
  broken("00000001.npy", "", 4, "00000001.npy");
  std::string other_type = values;
  other_type.replace(other_type.find("<f4"), 3, "<i4");
  broken("00000001.npy", other_type, 4, "00000001.npy");
  const std::string& rows = whole.at("00000002.csv");
  broken("00000002.csv", rows.substr(0, rows.size() / 2), 4, "00000002.csv");
  broken("00000002.csv", rows + rows.substr(rows.find('\n') + 1), 4, "00000002.csv");
  broken("store.json", "{}", 4, "store.json");
  std::string huge = whole.at("store.json");
  huge.replace(huge.find("\"block\": 4"), 10, "\"block\": 400000000");
  broken("store.json", huge, 4, "store.json");
  for (const char* inputs : {"1000000000000000000", "18446744073709551615"}) {  // no list to walk
    auto endless = nlohmann::ordered_json::parse(whole.at("store.json"));
    endless["inputs"] = nlohmann::ordered_json::parse(inputs);
    broken("store.json", sealed_text(endless), 4, "blocks");
  }
  fs::remove(at("s/00000003.npy"));
  expect_refused(run("export " + at("s") + " --csv -"), 3, "1 of 5 blocks are missing");
  expect_refused(run("info " + at("leaves")), 4, "not a feature store");
  expect_refused(run("info " + at("nothing")), 3, "no such folder");
}

// regression: a run killed while it created the store left a partial store.json; the next run
// recreates it.
TEST_F(FeaturesCommandTest, KilledBeginningsAreResumed) {
  ASSERT_EQ(run(extract("s")).code, 5);
  const auto whole = files("s");
  fs::create_directory(at("t"));
  folder_.write("t/.store.json.partial-0123456789abcdef", "{");
  EXPECT_EQ(run(extract("t")).code, 5);
  EXPECT_EQ(files("t"), whole);
}

// regression: a killed writer's partial block was never removed if another run had written the
// block.
TEST_F(FeaturesCommandTest, ACompleteStoreHoldsNothingElse) {
  ASSERT_EQ(run(extract("s", " --shard 0/2")).code, 5);
  const std::string left = ".00000000.npy.partial-0123456789abcdef";
  folder_.write("s/" + left, "half");
  folder_.write("s/mine.txt", "precious");
  ASSERT_EQ(run(extract("s", " --shard 0/2")).code, 0);
  EXPECT_TRUE(fs::exists(at("s/" + left)));  // the other half may still be running
  const Outcome other = run(extract("s", " --shard 1/2"));
  EXPECT_TRUE(other.code == 0 || other.code == 5) << other.error;
  EXPECT_FALSE(fs::exists(at("s/" + left)));
  EXPECT_TRUE(fs::exists(at("s/mine.txt")));
}

// regression: the texts of a block may exceed the limit for text files written by people.
TEST_F(FeaturesCommandTest, LongNamesAreReadBack) {
  StoreHeader header;
  header.block = header.inputs = 5;
  header.columns = {"a"};
  StoreBlock block{std::vector<float>(5, 1.0F), std::vector<StoreRow>(5)};
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    block.rows[i].image = i;
    block.rows[i].warnings.assign(kMaxTextBytes / 4, 'x');
  }
  const FeatureStore store = FeatureStore::begin(at("long"), header);
  store.write_block(0, block);
  EXPECT_TRUE(store.read_rows(0) == block.rows);
  header.inputs = header.block * kMaxStoreBlocks + 1;
  EXPECT_THROW(FeatureStore::begin(at("endless"), header), UsageError);
}

// agreement: a classifier trained on the store's rows equals one trained on the photographs.
TEST_F(FeaturesCommandTest, ClassifiersAreTrainedOnAStore) {
  fs::remove(at("leaves/bad.png"));
  ASSERT_EQ(run(extract("s")).code, 0);
  const auto leaf = [&](const std::string& arguments) {
    return std::system(
        (std::string(LEAFGLYPH_COMMAND) + " leaf " + arguments + " --quiet > " + at("out"))
            .c_str());
  };
  const std::string config = " --config " + at("small.yaml");
  ASSERT_EQ(leaf("evaluate" + config + " --json " + at("a.json")), 0);
  ASSERT_EQ(leaf("evaluate" + config + " --features " + at("s") + " --json " + at("b.json")), 0);
  const auto a = nlohmann::json::parse(read_file(at("a.json")));
  const auto b = nlohmann::json::parse(read_file(at("b.json")));
  EXPECT_EQ(a.at("confusion"), b.at("confusion"));
  ASSERT_EQ(leaf("train" + config + " --model " + at("photographs.model")), 0);
  ASSERT_EQ(leaf("train" + config + " --features " + at("s") + " --model " + at("store.model")), 0);
  const auto from_photographs = read_npy<float>(at("photographs.model/features.npy"));
  const auto from_store = read_npy<float>(at("store.model/features.npy"));
  ASSERT_EQ(from_photographs.shape, from_store.shape);
  for (std::size_t i = 0; i < from_store.values.size(); ++i) {
    // Other batches may be summed in a different order, in float.
    EXPECT_NEAR(from_photographs.values[i], from_store.values[i],
                1e-5F * std::max(1.0F, std::abs(from_store.values[i])));
  }
  folder_.write("wide.yaml", "base: small.yaml\nfeatures: {order: 8}\n");
  const auto refused = [&](const std::string& arguments) {
    EXPECT_NE(leaf("train " + arguments + " --features " + at("s") + " --model " + at("none") +
                   " 2> " + at("err")),
              0);
    EXPECT_FALSE(fs::exists(at("none")));
    return read_file(at("err"));
  };
  EXPECT_NE(refused("--config " + at("wide.yaml")).find("holds order"), std::string::npos);
  EXPECT_NE(refused(config + " --set features.colour=lab").find("holds no colours"),
            std::string::npos);
}

// agreement: rows of whole images are the magnitudes that moments compute writes.
TEST_F(FeaturesCommandTest, WholeImagesHaveTheMomentsOfMomentsCompute) {
  std::string first;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    const std::string name = entry.path().string();
    if (entry.is_regular_file() && name.ends_with("0001.png")) first = std::max(first, name);
  }
  ASSERT_EQ(run("extract '" + first + "' --order 8 --out " + at("s") + " --quiet").code, 0);
  ASSERT_EQ(std::system((std::string(LEAFGLYPH_COMMAND) + " moments compute '" + first +
                         "' --order 8 --grey --out " + at("m.npy") + " --quiet >/dev/null")
                            .c_str()),
            0);
  const auto moments = read_npy<std::complex<double>>(at("m.npy"));
  const FeatureStore store = FeatureStore::open(at("s"));
  const std::vector<float> row = store.read_values(0);
  ASSERT_EQ(row.size(), moments.values.size());
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double expected = std::abs(moments.values[c]);
    EXPECT_NEAR(row[c], expected, 1e-6 * std::abs(moments.values[0])) << store.header().columns[c];
  }
  EXPECT_EQ(store.header().columns[4], "Z_3_1");
}

// agreement: rows in another program's convention are the magnitudes that moments compute writes;
// an image without a circle is a failed row.
TEST_F(FeaturesCommandTest, ConventionsAreThoseOfMomentsCompute) {
  cv::imwrite(at("black.png"), cv::Mat(20, 30, CV_8U, cv::Scalar(0)));
  cv::Mat spot(20, 30, CV_8U, cv::Scalar(0));
  spot(cv::Rect(4, 6, 9, 5)).setTo(200);
  cv::imwrite(at("spot.png"), spot);
  const std::string how = " --convention mahotas --radius 8 --order 6 --quiet --out ";
  EXPECT_EQ(run("extract " + at("black.png") + " " + at("spot.png") + how + at("s")).code, 5);
  ASSERT_EQ(std::system((std::string(LEAFGLYPH_COMMAND) + " moments compute " + at("spot.png") +
                         how + at("m.npy") + " >/dev/null")
                            .c_str()),
            0);
  const StoreBlock block = FeatureStore::open(at("s")).read_block(0);
  EXPECT_EQ(block.rows[0].state, RowState::kFailed);
  EXPECT_EQ(block.rows[1].state, RowState::kOk);
  const auto moments = read_npy<std::complex<double>>(at("m.npy"));
  ASSERT_EQ(block.values.size(), 2 * moments.values.size());
  for (std::size_t c = 0; c < moments.values.size(); ++c) {
    EXPECT_TRUE(std::isnan(block.values[c]));
    EXPECT_FLOAT_EQ(block.values[moments.values.size() + c],
                    static_cast<float>(std::abs(moments.values[c])));
  }
}

}  // namespace
}  // namespace leafglyph
