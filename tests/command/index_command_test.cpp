// End to end: the command `leafglyph index ...`.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "classify/index/feature_index.h"
#include "classify/leaf/leaf_files.h"
#include "features/base/input_file.h"
#include "features/image/volume.h"
#include "features/image_io/volume_file.h"
#include "features/record/sealed_json.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class IndexCommandTest : public CommandTest {
 protected:
  IndexCommandTest() : CommandTest("index") {
    write_synthetic_leaves({6, 8, 1}, folder_.path() / "leaves");
    folder_.write("leaves/bad.png", "not an image");
    EXPECT_EQ(extract("leaves", "s"), 5);
  }

  int extract(const std::string& images, const std::string& store,
              const std::string& options = "") const {
    const int status =
        std::system((std::string(LEAFGLYPH_COMMAND) + " features extract " + at(images) +
                     " --resize 64 --out " + at(store) + " --quiet " +
                     (options.starts_with("--order") ? "" : "--order 6 ") +
                     (options.starts_with("--block") ? "" : "--block 7 ") + options + " >/dev/null")
                        .c_str());
    return WEXITSTATUS(status);
  }

  // Every row that did not fail.
  static std::vector<std::pair<std::string, std::vector<float>>> rows_of(
      const FeatureStore& store) {
    std::vector<std::pair<std::string, std::vector<float>>> rows;
    const std::size_t width = store.header().columns.size();
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      const StoreBlock block = store.read_block(b);
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        if (block.rows[r].state == RowState::kFailed) continue;
        const auto first = block.values.begin() + static_cast<std::ptrdiff_t>(r * width);
        rows.emplace_back(block.rows[r].path,
                          std::vector<float>(first, first + static_cast<std::ptrdiff_t>(width)));
      }
    }
    return rows;
  }
};

// oracle: the nearest neighbours of a row from distances of standardised columns, summed in double.
TEST_F(IndexCommandTest, FlatIndexFindsTheNearestRows) {
  const Outcome built = run("build " + at("s") + " --out " + at("i"));
  ASSERT_EQ(built.code, 0) << built.error;
  EXPECT_NE(built.out.find("48 rows of 16 columns, flat"), std::string::npos) << built.out;
  const FeatureIndex index = FeatureIndex::open(at("i"));
  const auto rows = rows_of(FeatureStore::open(at("s")));
  ASSERT_EQ(rows.size(), 48U);
  const std::size_t width = rows[0].second.size();
  std::vector<double> mean(width), spread(width);
  for (const auto& [path, row] : rows) {
    for (std::size_t c = 0; c < width; ++c) mean[c] += row[c] / 48.0;
  }
  for (const auto& [path, row] : rows) {
    for (std::size_t c = 0; c < width; ++c) spread[c] += std::pow(row[c] - mean[c], 2) / 48.0;
  }
  for (std::size_t q = 0; q < rows.size(); q += 11) {
    std::vector<double> distances;
    for (const auto& [path, row] : rows) {
      double sum = 0;
      for (std::size_t c = 0; c < width; ++c) {
        if (spread[c] > 0) sum += std::pow(row[c] - rows[q].second[c], 2) / spread[c];
      }
      distances.push_back(std::sqrt(sum));
    }
    std::ranges::sort(distances);
    const auto hits = index.search(rows[q].second, 5);
    ASSERT_EQ(hits.front().size(), 5U);
    EXPECT_EQ(hits.front()[0].path, rows[q].first);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(hits.front()[k].distance, distances[k], 1e-4);  // float sums of 16 squares
    }
  }
}

// mechanics: an index that was carried elsewhere with its store finds it: as it lies from the
// index, or beside it. The store that it was built from, never another one; without it there is one
// line.
TEST_F(IndexCommandTest, FindsItsStoreWhereBothWereCarried) {
  fs::create_directories(at("here/stores"));
  fs::rename(at("s"), at("here/stores/s"));
  ASSERT_EQ(run("build " + at("here/stores/s/") + " --out " + at("here/indexes/i")).code, 0);
  const std::string query = at("leaves/*/0001.png") + " --top 3 --csv -";
  const std::string found = run("search " + at("here/indexes/i") + " " + query).out;
  EXPECT_EQ(std::ranges::count(found, '\n'), 1 + 6 * 3) << found;
  fs::rename(at("here"), at("there"));
  EXPECT_EQ(run("search " + at("there/indexes/i") + " " + query).out, found);
  fs::rename(at("there/stores/s"), at("there/indexes/s"));
  EXPECT_EQ(run("search " + at("there/indexes/i") + " " + query).out, found);
  EXPECT_EQ(run("info " + at("there/indexes/i") + "/").code, 0);
  fs::rename(at("there/indexes/s"), at("away"));
  const Outcome missing = run("info " + at("there/indexes/i"));
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(std::ranges::count(missing.error, '\n'), 1) << missing.error;
  EXPECT_NE(missing.error.find("there/indexes/s; put it there"), std::string::npos)
      << missing.error;
  EXPECT_EQ(extract("leaves", "there/indexes/s", "--order 5"), 5);  // of the same name
  const Outcome other = run("info " + at("there/indexes/i"));
  EXPECT_EQ(other.code, 4);
  EXPECT_NE(other.error.find("is not the store it was built from"), std::string::npos)
      << other.error;
}

// agreement: searching all lists of an IVF index gives the same as the flat index; the recall is
// printed.
TEST_F(IndexCommandTest, ListsFindWhatTheFlatIndexFinds) {
  ASSERT_EQ(run("build " + at("s") + " --out " + at("flat")).code, 0);
  const Outcome built =
      run("build " + at("s") + " --type ivf --lists 5 --recall 1 --out " + at("ivf"));
  ASSERT_EQ(built.code, 0) << built.error;
  EXPECT_NE(built.out.find("recall of the 10 nearest"), std::string::npos) << built.out;
  EXPECT_NE(built.out.find("1.0000"), std::string::npos) << built.out;
  const FeatureIndex flat = FeatureIndex::open(at("flat")), ivf = FeatureIndex::open(at("ivf"));
  EXPECT_EQ(ivf.lists(), 5U);
  std::vector<float> queries;
  for (const auto& [path, row] : rows_of(FeatureStore::open(at("s")))) {
    queries.insert(queries.end(), row.begin(), row.end());
  }
  const auto exact = flat.search(queries, 3), found = ivf.search(queries, 3);
  std::size_t right = 0;
  for (std::size_t q = 0; q < exact.size(); ++q) {
    for (std::size_t k = 0; k < 3; ++k) {
      right += exact[q][k].distance == found[q][k].distance;
    }
  }
  EXPECT_EQ(right, 3 * exact.size());
}

// invariant: an index of several parts finds the rows of all of them; an image finds itself.
TEST_F(IndexCommandTest, SearchesImagesInSeveralStores) {
  std::vector<std::string> species;
  for (const auto& entry : fs::directory_iterator(at("leaves"))) {
    if (entry.is_directory()) species.push_back(entry.path().filename().string());
  }
  std::ranges::sort(species);
  ASSERT_EQ(extract("leaves/'" + species[0] + "'", "a"), 0);
  ASSERT_EQ(extract("leaves/'" + species[1] + "'", "b"), 0);
  ASSERT_EQ(run("build " + at("a") + " " + at("b") + " --out " + at("i")).code, 0);
  const std::string leaf = at("leaves/" + species[1] + "/0003.png");
  const Outcome found = run("search " + at("i") + " '" + leaf + "' --top 2");
  ASSERT_EQ(found.code, 0) << found.error;
  std::istringstream lines(found.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, leaf);
  std::getline(lines, line);
  EXPECT_NE(line.find("0.0000  " + leaf), std::string::npos) << line;
  EXPECT_EQ(std::ranges::count(found.out, '\n'), 3);
  expect_refused(run("search " + at("i") + " " + at("leaves/bad.png")), 3, "bad.png");
  EXPECT_EQ(run("search " + at("i") + " " + at("leaves/bad.png") + " '" + leaf + "'").code, 5);
  // A folder stands for its images.
  fs::create_directories(at("query/deep"));
  fs::create_directory(at("empty"));
  fs::copy(leaf, at("query/deep/1.png"));
  const Outcome of_folder = run("search " + at("i") + " " + at("query") + " --top 1");
  EXPECT_EQ(of_folder.code, 0) << of_folder.error;
  EXPECT_TRUE(of_folder.out.starts_with(at("query/deep/1.png") + "\n")) << of_folder.out;
  expect_refused(run("search " + at("i") + " " + at("empty")), 3, "holds no image");
  const Outcome both = run("search " + at("i") + " " + at("query") + " " + at("empty"));
  EXPECT_EQ(both.code, 5);
  EXPECT_NE(both.error.find("empty"), std::string::npos) << both.error;
}

// oracle: labels vote as counted by hand, and a query farther from every row than rows are from
// each other is unknown.
TEST_F(IndexCommandTest, LabelsOfTheNearestRowsVote) {
  ASSERT_EQ(run("build " + at("s") + " --out " + at("i")).code, 0);
  const FeatureIndex index = FeatureIndex::open(at("i"));
  const auto rows = rows_of(FeatureStore::open(at("s")));
  std::vector<float> distances;
  distances.reserve(rows.size());
  for (const auto& [path, row] : rows) {
    distances.push_back(index.search(row, 2).front()[1].distance);
  }
  std::ranges::sort(distances);
  EXPECT_EQ(index.usual_distance(), distances[45]);  // the 46th of 48: 95 per cent

  const auto& [leaf, row] = rows[5];
  std::map<std::string, int> votes;
  const auto hits = index.search(row, 7);
  for (const IndexHit& hit : hits.front()) ++votes[hit.label];
  const Outcome prediction =
      run("classify " + at("i") + " '" + leaf + "' --neighbours 7 --csv " + at("a.csv"));
  ASSERT_EQ(prediction.code, 0) << prediction.error;
  for (const auto& [label, count] : votes) {
    EXPECT_NE(prediction.out.find("votes " + std::to_string(count) + "  " + label),
              std::string::npos)
        << prediction.out;
  }
  EXPECT_EQ(prediction.out.find("unknown"), std::string::npos) << prediction.out;
  const std::string csv = read_file(at("a.csv"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 2) << csv;
  EXPECT_NE(csv.find(fs::path(leaf).parent_path().filename().string()), std::string::npos) << csv;

  Image<std::uint8_t> stripes(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) stripes.at(y, x) = (x / 2) % 2 == 0 ? 255 : 0;
  }
  write_grey_bmp(at("stripes.bmp"), stripes);
  const Outcome far = run("classify " + at("i") + " " + at("stripes.bmp"));
  ASSERT_EQ(far.code, 0) << far.error;
  EXPECT_NE(far.out.find("unknown; nearest: "), std::string::npos) << far.out;

  ASSERT_EQ(extract("leaves/'" + fs::path(leaf).parent_path().filename().string() + "'/0001.png",
                    "single"),
            0);
  ASSERT_EQ(run("build " + at("single") + " --out " + at("j")).code, 0);
  expect_refused(run("classify " + at("j") + " '" + leaf + "'"), 3,
                 "none of the 1 nearest rows of the index has a label");
}

// mechanics: lists whose sum equals the length of the file of rows only because it overflows.
TEST_F(IndexCommandTest, ListsLongerThanTheirFileAreRefused) {
  ASSERT_EQ(run("build " + at("s") + " --type ivf --lists 2 --out " + at("i")).code, 0);
  auto json = nlohmann::ordered_json::parse(read_file(at("i/index.json")));
  for (auto& list : json.at("lists")) list["rows"] = 9223372036854775832U;  // 2^63 + 24, twice
  folder_.write("i/index.json", sealed_text(json));
  expect_refused(run("search " + at("i") + " " + at("leaves/bad.png")), 4,
                 "lists.bin does not have the stated size");
}

// regression: stores were identified only by the list of their images.
TEST_F(IndexCommandTest, AnotherStoreIsRefused) {
  ASSERT_EQ(run("build " + at("s") + " --out " + at("i")).code, 0);
  const std::string image = at("leaves/bad.png");
  const auto swap_store = [&](const std::string& options) {
    fs::remove_all(at("s"));
    EXPECT_EQ(extract("leaves", "s", options), 5);
  };
  for (const char* options :
       {"--order 8", "--mask centre", "--block 5", "--convention mahotas --radius 20"}) {
    swap_store(options);
    expect_refused(run("search " + at("i") + " " + image), 4, "is not the store it was built from");
  }
  swap_store("");
  EXPECT_EQ(run("info " + at("i")).code, 0);
  // The same header, with one block of another image.
  std::string drawn;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().filename() == "0001.png") drawn = std::max(drawn, entry.path().string());
  }
  const std::string other = fs::path(drawn).parent_path() / "0002.png";
  fs::copy_file(other, drawn, fs::copy_options::overwrite_existing);
  swap_store("");
  expect_refused(run("info " + at("i")), 4, "is not the one it was built from");
  expect_refused(run("search " + at("i") + " '" + other + "' --top 48"), 4,
                 "is not the one it was built from");
}

// mechanics: rows without a label do not vote; an image is refused only if no row has one.
TEST_F(IndexCommandTest, RowsWithoutALabelAreSkipped) {
  std::string leaf;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().filename() == "0001.png") leaf = std::max(leaf, entry.path().string());
  }
  const std::string species = fs::path(leaf).parent_path().filename().string();
  ASSERT_EQ(extract("leaves/'" + species + "'/*.png", "unlabelled"), 0);
  ASSERT_EQ(run("build " + at("s") + " " + at("unlabelled") + " --out " + at("i")).code, 0);
  const Outcome prediction = run("classify " + at("i") + " '" + leaf + "' --neighbours 3");
  ASSERT_EQ(prediction.code, 0) << prediction.error;
  EXPECT_NE(prediction.out.find(species + "; votes "), std::string::npos) << prediction.out;
  EXPECT_NE(prediction.out.find(" of 3\n"), std::string::npos) << prediction.out;
}

// mechanics: files that are damaged or do not fit are reported, with exit code 4 or 2.
TEST_F(IndexCommandTest, DamagedIndexesAreReported) {
  ASSERT_EQ(run("build " + at("s") + " --out " + at("i")).code, 0);
  for (const char* name : {"index.json", "scaling.npy", "centres.npy", "lists.bin"}) {
    const std::string whole = read_file(at(std::string("i/") + name));
    folder_.write(std::string("i/") + name, whole.substr(0, whole.size() / 2));
    expect_refused(run("search " + at("i") + " " + at("leaves/bad.png")), 4, "i");
    folder_.write(std::string("i/") + name, whole);
  }
  for (const char* name : {"scaling.npy", "centres.npy"}) {
    const std::string whole = read_file(at(std::string("i/") + name));
    std::string flipped = whole;
    flipped.back() = static_cast<char>(flipped.back() ^ 1);
    folder_.write(std::string("i/") + name, flipped);
    expect_refused(run("search " + at("i") + " " + at("leaves/bad.png")), 4,
                   std::string(name) + ": does not match its checksum in index.json");
    fs::remove(at(std::string("i/") + name));
    expect_refused(run("search " + at("i") + " " + at("leaves/bad.png")), 4,
                   std::string(name) + ": missing");
    folder_.write(std::string("i/") + name, whole);
  }
  EXPECT_EQ(FeatureIndex::open(at("i")).size(), 48U);
  expect_refused(run("search " + at("none") + " x.png"), 3, "none");
  fs::remove(at("s/00000001.npy"));
  expect_refused(run("build " + at("s") + " --out " + at("j")), 3, "1 of 7 blocks are missing");
  expect_refused(run("build " + at("s") + " --lists 3 --out " + at("j")), 2, "--type ivf");
}

class VolumeIndexTest : public CommandTest {
 protected:
  VolumeIndexTest() : CommandTest("index") {}

  Outcome features(const std::string& arguments) const {
    return run_shell(std::string(LEAFGLYPH_COMMAND) + " features " + arguments + " >" +
                     log("stdout") + " 2>" + log("stderr"));
  }
};

// invariant: a volume, turned by 90 degrees, finds itself among others in
// a store of norms. Other files in the folder are passed over with a warning.
TEST_F(VolumeIndexTest, VolumesAreFoundHoweverTheyAreTurned) {
  constexpr int kSide = 16;
  const auto turned = [](const Volume& volume) {
    Volume other(kSide, kSide, kSide);
    for (int k = 0; k < kSide; ++k) {
      for (int j = 0; j < kSide; ++j) {
        for (int i = 0; i < kSide; ++i) other.at(i, j, kSide - 1 - k) = volume.at(k, j, i);
      }
    }
    return other;
  };
  fs::create_directory(at("volumes"));
  fs::create_directory(at("turned"));
  for (unsigned seed = 1; seed <= 7; ++seed) {
    const Volume bone = generate_bone(kSide, kSide, kSide, seed);
    write_volume(at("volumes/" + std::to_string(seed) + ".npy"), bone);
    write_volume(at("turned/" + std::to_string(seed) + ".npy"), turned(bone));
  }
  folder_.write("volumes/notes.txt", "none");
  folder_.write("volumes/damaged.npy", "not an array");
  const Outcome made =
      features("extract " + at("volumes") + " --family zernike-3d --order 10 --out " + at("s"));
  EXPECT_EQ(made.code, 5) << made.error;
  EXPECT_NE(made.error.find("damaged.npy"), std::string::npos) << made.error;
  EXPECT_NE(made.error.find("skipped 1"), std::string::npos) << made.error;
  const FeatureStore store = FeatureStore::open(at("s"));
  EXPECT_EQ(store.header().columns.size(), 36U);
  EXPECT_EQ(store.header().columns[3], "Omega_2_2");
  EXPECT_EQ(store.header().convention, "novotni-klein");
  const Outcome built = run("build " + at("s") + " --out " + at("i"));
  ASSERT_EQ(built.code, 0) << built.error;
  for (unsigned seed = 1; seed <= 7; ++seed) {
    const Outcome hits = run("search " + at("i") + " " +
                             at("turned/" + std::to_string(seed) + ".npy") + " --top 1 --csv -");
    ASSERT_EQ(hits.code, 0) << hits.error;
    EXPECT_NE(hits.out.find("volumes/" + std::to_string(seed) + ".npy"), std::string::npos)
        << hits.out;
  }
  const Outcome all = run("search " + at("i") + " " + at("turned") + " --top 1 --csv -");
  ASSERT_EQ(all.code, 0) << all.error;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 8) << all.out;
  fs::create_directory(at("empty"));
  expect_refused(run("search " + at("i") + " " + at("empty")), 3, "holds no array");
  // Each in a larger volume, somewhere else.
  fs::create_directory(at("moved"));
  for (int seed = 1; seed <= 7; ++seed) {
    const Volume small = read_volume(at("turned/" + std::to_string(seed) + ".npy")).volume;
    Volume large(kSide + 9, kSide + 7, kSide + 8);
    for (int k = 0; k < kSide; ++k) {
      for (int j = 0; j < kSide; ++j) {
        for (int i = 0; i < kSide; ++i) large.at(k + seed, j + 7 - seed, i + 2) = small.at(k, j, i);
      }
    }
    write_volume(at("moved/" + std::to_string(seed) + ".npy"), large);
  }
  const Outcome mass = features("extract " + at("volumes") +
                                " --family zernike-3d --order 10 "
                                "--around-mass 1.8 --out " +
                                at("s2"));
  EXPECT_EQ(mass.code, 5) << mass.error;
  ASSERT_EQ(run("build " + at("s2") + " --out " + at("i2")).code, 0);
  const Outcome moved =
      run("search " + at("i2") + " " + at("moved") + " --top 1 --csv " + at("hits.csv"));
  ASSERT_EQ(moved.code, 0) << moved.error;
  const std::string hits = read_file(at("hits.csv"));
  for (int seed = 1; seed <= 7; ++seed) {
    const std::string name = "/" + std::to_string(seed) + ".npy";
    const std::size_t at_query = hits.find("moved" + name);
    ASSERT_NE(at_query, std::string::npos) << hits;
    const std::string line = hits.substr(at_query, hits.find('\n', at_query) - at_query);
    EXPECT_NE(line.find("volumes" + name), std::string::npos) << line;
  }
  expect_refused(
      features("extract " + at("volumes") + " --order 10 --around-mass 1.8 --out " + at("t")), 2,
      "zernike-3d");
  expect_refused(features("extract " + at("volumes") +
                          " --family zernike-3d --order 10 --resize 8 "
                          "--out " +
                          at("t")),
                 2, "whole volumes");
}

}  // namespace
}  // namespace leafglyph
