// End to end: the command `leafglyph features ...`.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "classify/leaf/leaf_files.h"
#include "classify/store/feature_store.h"
#include "classify/support/sealed_json.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/npy.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class FeaturesCommandTest : public CommandTest {
 protected:
  FeaturesCommandTest() : CommandTest("features") {
    folder_.write("small.yaml",
                  "data: {source: folders, path: leaves}\n"
                  "preparation: {size: 64, area: 500}\n"
                  "features: {order: 6, channels: [grey, rounded], measures: true}\n"
                  "pipeline: {scaling: standardise}\n"
                  "classifier: {k: 3}\n"
                  "protocol: {train: 4, test: 2, repeats: 2}\n");
    write_synthetic_leaves({3, 6, 1}, folder_.path() / "leaves");
    folder_.write("leaves/bad.png", "not an image");
  }

  std::string extract(const std::string& store, const std::string& more = "", int block = 4) const {
    return "extract " + at("leaves") + " --config " + at("small.yaml") + " --out " + at(store) +
           " --quiet --block " + std::to_string(block) + " " + more;
  }

  // All files of a store, by name.
  std::map<std::string, std::string> files(const std::string& store) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(at(store))) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }
};

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
      EXPECT_EQ(block.rows[r].warnings, "is not a JPEG, PNG, TIFF, BMP, WebP or HEIF image");
    }
  }
  EXPECT_EQ(rows, 19U);
  EXPECT_EQ(failed, 1U);
}

// Two leaves and a label on paper, and nothing but the label.
void write_sheets(const std::string& sheet, const std::string& label) {
  cv::Mat paper(600, 800, CV_8U, cv::Scalar(235));
  cv::rectangle(paper, {300, 40, 400, 150}, {100}, cv::FILLED);
  ASSERT_TRUE(cv::imwrite(label, paper));
  cv::ellipse(paper, {200, 400}, {150, 90}, 20, 0, 360, {70}, cv::FILLED);
  cv::ellipse(paper, {600, 450}, {120, 60}, -30, 0, 360, {80}, cv::FILLED);
  ASSERT_TRUE(cv::imwrite(sheet, paper));
}

// mechanics: every part of a photograph is a row with its place; those that are not leaves say why,
// and do not count as failures. The rows are found by an index, and leaves of a query by theirs.
TEST_F(FeaturesCommandTest, EveryLeafIsARow) {
  fs::create_directory(at("sheets"));
  write_sheets(at("sheets/a.png"), at("sheets/b.png"));
  const std::string options = " --every-leaf --config " + at("small.yaml") + " --out " + at("s");
  const Outcome made = run("extract " + at("sheets") + options);
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("2 images, 4 rows, 2 not a leaf, 0 failed"), std::string::npos)
      << made.out;
  const FeatureStore store = FeatureStore::open(at("s"));
  EXPECT_EQ(store.header().parts, PartRule::kEveryLeaf);
  const StoreBlock block = store.read_block(0);
  ASSERT_EQ(block.rows.size(), 4U);
  EXPECT_EQ(block.rows[0].state, RowState::kNotALeaf);
  EXPECT_EQ(block.rows[0].warnings, "straight edges with right angles");
  // A pixel of the photograph as it is prepared is four of the file.
  EXPECT_NEAR(block.rows[0].box.left, 300, 4);
  EXPECT_NEAR(block.rows[0].box.top, 40, 4);
  EXPECT_NEAR(block.rows[0].box.width, 400, 8);
  EXPECT_NEAR(block.rows[0].box.height, 150, 8);
  EXPECT_EQ(block.rows[1].state, RowState::kOk);
  EXPECT_EQ(block.rows[2].part, 3);
  EXPECT_NEAR(static_cast<double>(block.rows[1].area), std::numbers::pi * 150 * 90, 500);
  EXPECT_EQ(block.rows[3].image, 1U);
  EXPECT_EQ(block.rows[3].state, RowState::kNotALeaf);
  EXPECT_EQ(run("extract " + at("sheets") + options).code, 0);
  expect_refused(
      run("extract " + at("sheets") + " --config " + at("small.yaml") + " --out " + at("s")), 2,
      "the parts that are rows, every-leaf and whole");
  const Outcome info = run("info " + at("s"));
  EXPECT_NE(info.out.find("4 rows present, 2 not a leaf, 0 failed"), std::string::npos) << info.out;
  const auto index = [&](const std::string& arguments) {
    return std::system((std::string(LEAFGLYPH_COMMAND) + " index " + arguments + " > " + at("out") +
                        " 2> " + at("err"))
                           .c_str());
  };
  ASSERT_EQ(index("build " + at("s") + " --out " + at("i")), 0) << read_file(at("err"));
  ASSERT_EQ(index("search " + at("i") + " " + at("sheets/a.png") + " --top 1"), 0);
  const std::string found = read_file(at("out")), sheet = at("sheets/a.png");
  for (const char* part : {" #2", " #3"}) {
    EXPECT_NE(found.find(sheet + part + "\n      0.0000  " + sheet + part + "\n"), found.npos)
        << found;
  }
  expect_refused(run("extract " + at("sheets") + " --order 4 --every-leaf --out " + at("x")), 2,
                 "--every-leaf needs --config");
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

// mechanics: lists, labels of a CSV, and names that are formulas or contain commas.
TEST_F(FeaturesCommandTest, ListsAndLabels) {
  std::string list, labels = "path,label\n";
  std::vector<std::string> names = {"=1+1.png", "a,b.png", "c.png"};
  for (const std::string& name : names) {
    cv::imwrite(at(name), cv::Mat(32, 32, CV_8U, cv::Scalar(90)));
    list += at(name) + "\n";
    labels += "\"" + name + "\",\"=x,\"\"y\"\"\"\n";
  }
  folder_.write("list.txt", list);
  folder_.write("labels.csv", labels);
  const std::string rest = " --order 2 --quiet --out ";
  ASSERT_EQ(run("extract --list " + at("list.txt") + " --labels " + at("labels.csv") + rest +
                at("listed"))
                .code,
            0);
  ASSERT_EQ(run("extract --labels " + at("labels.csv") + rest + at("labelled")).code, 0);
  ASSERT_EQ(run("extract --list - --labels " + at("labels.csv") + rest + at("piped") + " < " +
                at("list.txt"))
                .code,
            0);
  EXPECT_EQ(files("listed"), files("piped"));
  EXPECT_EQ(files("listed").at("00000000.csv"), files("labelled").at("00000000.csv"));
  const auto rows = FeatureStore::open(at("listed")).read_rows(0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].path, at("a,b.png"));
  EXPECT_EQ(rows[1].label, "=x,\"y\"");
  const Outcome csv = run("export " + at("listed") + " --csv -");
  EXPECT_NE(csv.out.find(",\"'=x,\"\"y\"\"\",ok,"), std::string::npos) << csv.out;
  expect_refused(run("extract --list " + at("none.txt") + rest + at("x")), 3, "none.txt");
}

// mechanics: further columns of a table of paths reach the store, its exports and the answers of an
// index, in Darwin Core's names; a column that a store has itself is refused.
TEST_F(FeaturesCommandTest, FieldsOfAListTravel) {
  std::vector<std::string> images;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().filename() == "0001.png") images.push_back(entry.path().string());
  }
  std::ranges::sort(images);
  ASSERT_EQ(images.size(), 3U);
  folder_.write("a.csv", "path,catalogNumber,label,locality\n" + images[0] +
                             ",B-1,oak,\"Wald, Nord\"\n" + images[1] + ",=2+2,,\n");
  folder_.write("b.csv", "recordedBy,path\nLee," + fs::path(images[2]).filename().string() + "\n");
  fs::copy_file(images[2], at(fs::path(images[2]).filename().string()));
  const auto extract_list = [&](const std::string& list, const std::string& store) {
    return run("extract --list " + at(list) + " --order 4 --quiet --block 1 --out " + at(store));
  };
  ASSERT_EQ(extract_list("a.csv", "a").code, 0);
  ASSERT_EQ(extract_list("b.csv", "b").code, 0);
  const FeatureStore store = FeatureStore::open(at("a"));
  EXPECT_EQ(store.header().fields, (std::vector<std::string>{"catalogNumber", "locality"}));
  EXPECT_EQ(store.read_rows(0).at(0).fields, (std::vector<std::string>{"B-1", "Wald, Nord"}));
  EXPECT_EQ(store.read_rows(0).at(0).label, "oak");
  EXPECT_EQ(store.read_rows(1).at(0).fields, (std::vector<std::string>{"=2+2", ""}));
  const Outcome csv = run("export " + at("a") + " --csv -");
  EXPECT_NE(csv.out.find(",warnings,catalogNumber,locality,Z_0_0"), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find(",B-1,\"Wald, Nord\","), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find(",'=2+2,,"), std::string::npos) << csv.out;
  ASSERT_EQ(run("merge " + at("a") + " " + at("b") + " --out " + at("m")).code, 0);
  const FeatureStore merged = FeatureStore::open(at("m"));
  EXPECT_EQ(merged.header().fields,
            (std::vector<std::string>{"catalogNumber", "locality", "recordedBy"}));
  EXPECT_EQ(merged.read_rows(2).at(0).fields, (std::vector<std::string>{"", "", "Lee"}));
  const auto index = [&](const std::string& arguments) {
    return std::system(
        (std::string(LEAFGLYPH_COMMAND) + " index " + arguments + " > " + at("out")).c_str());
  };
  ASSERT_EQ(index("build " + at("b") + " " + at("a") + " --out " + at("i")), 0);
  ASSERT_EQ(index("search " + at("i") + " '" + images[0] + "' --top 1 --csv " + at("found.csv")),
            0);
  const std::string found = read_file(at("found.csv"));
  EXPECT_TRUE(
      found.starts_with("image,rank,distance,path,label,recordedBy,catalogNumber,locality\n"))
      << found;
  EXPECT_NE(found.find(",oak,,B-1,\"Wald, Nord\"\n"), std::string::npos) << found;
  folder_.write("bad.csv", "path,state\nx.png,1\n");
  expect_refused(extract_list("bad.csv", "x"), 3, "'state' cannot be the name of a further column");
  folder_.write("none.csv", "file\nx.png\n");
  expect_refused(extract_list("none.csv", "x"), 3, "must name the column path");
}

// invariant: merged stores equal the store of all their inputs.
TEST_F(FeaturesCommandTest, MergedStoresAreTheStoreOfAll) {
  const auto part = [&](const std::string& folder, const std::string& store) {
    return run("extract " + at("leaves/" + folder) + " --order 4 --block 4 --quiet --out " +
               at(store))
        .code;
  };
  std::vector<std::string> species;
  for (const auto& entry : fs::directory_iterator(at("leaves"))) {
    if (entry.is_directory()) species.push_back(entry.path().filename().string());
  }
  std::ranges::sort(species);
  std::string stores;
  for (std::size_t i = 0; i < species.size(); ++i) {
    const std::string store = "part" + std::to_string(i);
    ASSERT_EQ(part("'" + species[i] + "'", store), 0);
    stores += at(store) + " ";
  }
  const Outcome merged = run("merge " + stores + "--out " + at("merged"));
  EXPECT_EQ(merged.code, 0) << merged.error;
  fs::remove(at("leaves/bad.png"));
  ASSERT_EQ(part(".", "all"), 0);
  const FeatureStore one = FeatureStore::open(at("all")), other = FeatureStore::open(at("merged"));
  ASSERT_EQ(one.header().blocks(), other.header().blocks());
  for (std::size_t b = 0; b < one.header().blocks(); ++b) {
    EXPECT_EQ(one.read_values(b), other.read_values(b));
  }
  ASSERT_EQ(run(extract("leaf")).code, 0);
  expect_refused(run("merge " + at("all") + " " + at("leaf") + " --out " + at("x")), 2, "kind");
}

// agreement: stores of several machines train the model of their merged store, file by file; a
// store that is named twice is refused.
TEST_F(FeaturesCommandTest, SeveralStoresTrainTheModelOfTheMergedStore) {
  std::vector<std::string> images;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().parent_path() != at("leaves") && entry.is_regular_file()) {
      images.push_back(entry.path().string());
    }
  }
  std::ranges::sort(images);
  std::string stores;
  for (const std::string part : {"even", "odd"}) {
    std::string list = "path,label\n";
    for (std::size_t i = part == "even" ? 0 : 1; i < images.size(); i += 2) {
      list += images[i] + "," + fs::path(images[i]).parent_path().filename().string() + "\n";
    }
    folder_.write(part + ".csv", list);
    const Outcome made = run("extract --labels " + at(part + ".csv") + " --config " +
                             at("small.yaml") + " --quiet --block 4 --out " + at(part));
    ASSERT_EQ(made.code, 0) << made.error;
    stores += " " + at(part);
  }
  ASSERT_EQ(run("merge" + stores + " --out " + at("merged")).code, 0);
  const auto train = [&](const std::string& from, const std::string& model) {
    return std::system((std::string(LEAFGLYPH_COMMAND) + " leaf train --config " +
                        at("small.yaml") + " --features " + from + " --model " + at(model) +
                        " --quiet > " + at("out") + " 2> " + at("err"))
                           .c_str());
  };
  ASSERT_EQ(train(stores, "several.model"), 0) << read_file(at("err"));
  ASSERT_EQ(train(at("merged"), "merged.model"), 0) << read_file(at("err"));
  for (const auto& [name, bytes] : files("several.model")) {
    if (name == "manifest.json") continue;  // it names the stores
    EXPECT_EQ(files("merged.model").at(name), bytes) << name;
  }
  EXPECT_NE(train(at("even") + " " + at("even"), "twice.model"), 0);
  EXPECT_NE(read_file(at("err")).find("is named twice"), std::string::npos);
}

}  // namespace
}  // namespace leafglyph
