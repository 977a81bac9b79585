// End to end: what `leafglyph features` takes and joins: sheets, lists, tables, merged stores.
#include <algorithm>
#include <cstdlib>
#include <numbers>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "classify/store/feature_store.h"
#include "tests/support/features_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

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
  ASSERT_EQ(run("export " + at("listed") + " --csv " + at("e.csv") + " --csv-for excel").code, 0);
  std::string expected = "\xef\xbb\xbf";
  for (const char c : csv.out) expected += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(read_file(at("e.csv")), expected);
  expect_refused(run("export " + at("listed") + " --csv - --csv-for excel"), 2, "needs a file");
  expect_refused(run("extract --list " + at("none.txt") + rest + at("x")), 3, "none.txt");
}

// regression: a list of paths had no labels, so that its store could not be trained on. agreement:
// it is labelled as the folder that holds all of its images is.
TEST_F(FeaturesCommandTest, ListsAreLabelledAsTheirFolder) {
  const std::string rest = " --order 4 --quiet --block 64 --out ";
  std::vector<std::string> images;
  for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
    if (entry.path().extension() == ".png") images.push_back(entry.path().string());
  }
  std::ranges::sort(images);
  std::string list, one_species;
  for (const std::string& image : images) {
    list += image + "\n";
    const bool first = fs::path(image).parent_path() == fs::path(images.front()).parent_path();
    if (first) one_species += image + "\n";
  }
  folder_.write("list.txt", list);
  folder_.write("one.txt", one_species);
  const Outcome listed = run("extract --list " + at("list.txt") + rest + at("from_list"));
  ASSERT_EQ(listed.code, 5) << listed.error;  // one of the images is damaged
  EXPECT_NE(
      listed.out.find("labels: the name of each image's folder below " + at("leaves") + "/; "),
      std::string::npos)
      << listed.out;
  ASSERT_EQ(run("extract " + at("leaves") + rest + at("from_folder")).code, 5);
  const auto of_list = FeatureStore::open(at("from_list")).read_rows(0);
  const auto of_folder = FeatureStore::open(at("from_folder")).read_rows(0);
  ASSERT_EQ(of_list.size(), of_folder.size());
  for (std::size_t i = 0; i < of_list.size(); ++i) {
    EXPECT_EQ(of_list[i].path, of_folder[i].path);
    EXPECT_EQ(of_list[i].label, of_folder[i].label);
    EXPECT_EQ(of_list[i].label.empty(), fs::path(of_list[i].path).parent_path() == at("leaves"));
  }
  const Outcome one = run("extract --list " + at("one.txt") + rest + at("one"));
  EXPECT_EQ(one.out.find("labels"), std::string::npos) << one.out;
  EXPECT_EQ(FeatureStore::open(at("one")).read_rows(0).front().label, "");
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
