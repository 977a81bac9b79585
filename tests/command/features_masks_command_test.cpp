// End to end: `leafglyph features extract --masks`, whose regions others have found.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "classify/store/feature_store.h"
#include "tests/support/archive_of.h"
#include "tests/support/features_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class MasksCommandTest : public FeaturesCommandTest {
 protected:
  // A picture of two leaves on paper, and labels of these, 3 and 700, of a speck, 9, and of a piece
  // of the border, 20.
  MasksCommandTest() : paper_(300, 400, CV_8U, cv::Scalar(235)), labels_(300, 400, CV_16U) {
    labels_ = 0;
    const auto leaf = [&](cv::Point middle, cv::Size axes, int label) {
      cv::ellipse(paper_, middle, axes, 20, 0, 360, {70}, cv::FILLED);
      cv::ellipse(labels_, middle, axes, 20, 0, 360, {static_cast<double>(label)}, cv::FILLED);
    };
    leaf({120, 200}, {80, 40}, 3);
    leaf({290, 150}, {60, 35}, 700);
    for (int column = 0; column < 400; ++column) {  // texture
      for (int row = 0; row < 300; ++row) {
        paper_.at<std::uint8_t>(row, column) += static_cast<std::uint8_t>((row + 2 * column) % 9);
      }
    }
    labels_(cv::Rect(10, 20, 5, 2)) = 9;
    labels_(cv::Rect(370, 260, 30, 40)) = 20;
    fs::create_directories(at("photos/oak"));
    fs::create_directories(at("masks/oak"));
    cv::imwrite(at("photos/oak/a.png"), paper_);
    cv::imwrite(at("masks/oak/a.tif"), labels_);
  }

  Outcome extract_masks(const std::string& store, const std::string& more) const {
    return run("extract --masks " + at("masks") + " --quiet --out " + at(store) + " " + more);
  }
  std::string leaves(const std::string& more = "") const {
    return at("photos") + " --config " + at("small.yaml") + " " + more;
  }
  std::string moments(const std::string& more = "") const {
    return at("photos") + " --order 6 " + more;
  }
  StoreBlock block(const std::string& store) const {
    return FeatureStore::open(at(store)).read_block(0);
  }
  // The image in the box of a label, with 0 outside its pixels.
  cv::Mat cut_out(int label) const {
    cv::Mat mask = labels_ == label, image;
    paper_.copyTo(image, mask);
    return image(cv::boundingRect(mask)).clone();
  }

  cv::Mat paper_, labels_;
};

// mechanics: a region is a row whose part is its label, with its box and area; specks are
// not leaves, regions at the border are cut.
TEST_F(MasksCommandTest, RegionsAreRows) {
  const Outcome made = extract_masks("s", leaves());
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("1 images, 4 rows, 1 cut, 1 not a leaf, 0 failed"), std::string::npos)
      << made.out;
  const FeatureStore store = FeatureStore::open(at("s"));
  EXPECT_EQ(store.header().parts, PartRule::kMasks);
  const StoreBlock made_rows = store.read_block(0);
  ASSERT_EQ(made_rows.rows.size(), 4U);
  const int labels[] = {3, 9, 20, 700};
  const RowState states[] = {RowState::kOk, RowState::kNotALeaf, RowState::kCut, RowState::kOk};
  for (std::size_t r = 0; r < 4; ++r) {
    const StoreRow& row = made_rows.rows[r];
    const cv::Mat mask = labels_ == labels[r];
    const cv::Rect box = cv::boundingRect(mask);
    EXPECT_EQ(row.part, labels[r]);
    EXPECT_EQ(row.state, states[r]) << labels[r];
    EXPECT_EQ(row.box, (PictureBox{box.x, box.y, box.width, box.height}));
    EXPECT_EQ(row.area, static_cast<std::uint64_t>(cv::countNonZero(mask)));
    EXPECT_EQ(row.label, "oak");
    EXPECT_EQ(row.file.bytes,
              fs::file_size(at("photos/oak/a.png")) + fs::file_size(at("masks/oak/a.tif")));
    EXPECT_EQ(std::isnan(made_rows.values[r * store.header().columns.size()]), labels[r] == 9);
  }
  EXPECT_EQ(made_rows.rows[1].warnings, "has 2 pixels as it is prepared, too few for a leaf");
  EXPECT_EQ(extract_masks("s", leaves()).code, 0);
  labels_ /= 2;
  cv::imwrite(at("masks/oak/a.tif"), labels_);
  expect_refused(extract_masks("s", leaves()), 3, "has changed since block 0");
  expect_refused(extract_masks("x", leaves("--every-leaf")), 2, "give --masks or --every-leaf");
  fs::remove_all(at("masks"));
  expect_refused(extract_masks("x", leaves()), 3, "there is no such folder of masks");
}

// agreement: the moments of a region are those of the picture in its box, to the last bit; the
// features of a leaf are those of the same leaf found on the paper.
TEST_F(MasksCommandTest, RegionsHaveTheRowsOfTheirPictures) {
  fs::create_directory(at("cuts"));
  cv::imwrite(at("cuts/1.png"), cut_out(3));
  cv::imwrite(at("cuts/2.png"), cut_out(700));
  labels_.setTo(0, labels_ == 9);
  labels_.setTo(0, labels_ == 20);
  cv::imwrite(at("masks/oak/a.tif"), labels_);
  for (const char* how : {"", "--resize 24", "--convention centrosome", "--family legendre"}) {
    fs::remove_all(at("s"));
    fs::remove_all(at("c"));
    ASSERT_EQ(extract_masks("s", moments(how)).code, 0) << how;
    ASSERT_EQ(run("extract --quiet --order 6 " + at("cuts") + " --out " + at("c") + " " + how).code,
              0);
    EXPECT_EQ(block("s").values, block("c").values) << how;
  }
  const std::string whole = "--set preparation.oversampling=7";  // the photograph is not reduced
  ASSERT_EQ(extract_masks("l", leaves(whole)).code, 0);
  ASSERT_EQ(run("extract --quiet --every-leaf --out " + at("e") + " " + leaves(whole)).code, 0);
  const StoreBlock of_masks = block("l"), found = block("e");
  ASSERT_EQ(found.rows.size(), 2U);
  const std::size_t columns = found.values.size() / 2;
  ASSERT_EQ(of_masks.values.size(), found.values.size());
  for (std::size_t r = 0; r < 2; ++r) {
    // Leaf 700 begins further up.
    const std::size_t other = found.rows[r].box == of_masks.rows[0].box ? 0 : 1;
    EXPECT_EQ(found.rows[r].area, of_masks.rows[other].area);
    for (std::size_t c = 0; c < columns; ++c) {
      // Positions are differences of floating-point numbers, from another corner.
      EXPECT_NEAR(found.values[r * columns + c], of_masks.values[other * columns + c],
                  1e-4 * (1 + std::abs(found.values[r * columns + c])))
          << r << " " << c;
    }
  }
}

// mechanics: a mask that is missing or cannot be used is a row with the reason; one without regions
// an empty row. The others go on.
TEST_F(MasksCommandTest, BadMasksAreRows) {
  cv::Mat number(300, 400, CV_32F, cv::Scalar(0.5));
  cv::imwrite(at("masks/oak/float.tiff"), number);
  cv::imwrite(at("masks/oak/colour.png"), cv::Mat(300, 400, CV_8UC3, cv::Scalar(1, 2, 3)));
  cv::imwrite(at("masks/oak/other_size.png"), cv::Mat(301, 400, CV_8U, cv::Scalar(1)));
  cv::imwrite(at("masks/oak/background.png"), cv::Mat(300, 400, CV_8U, cv::Scalar(0)));
  cv::Mat noise(300, 400, CV_8U);
  cv::theRNG().state = 5;
  cv::randu(noise, 0, 256);
  cv::imwrite(at("masks/oak/noise.png"), noise);
  folder_.write("masks/oak/text.png", "labels");
  const std::pair<const char*, const char*> expected[] = {
      {"background", "has no parts"},          {"colour", "is in colour; labels are grey values"},
      {"float", "labels are whole numbers"},   {"missing", "has no mask: there is no "},
      {"noise", "scattered over the picture"}, {"other_size", "has 400 x 300 pixels, but its mask"},
      {"text", "is not a JPEG, PNG"}};
  for (const auto& [name, reason] : expected) {
    cv::imwrite(at("photos/oak/" + std::string(name) + ".png"), paper_);
  }
  for (const std::string& recipe : {leaves(), moments("--resize 16")}) {
    const std::string store = recipe == leaves() ? "l" : "m";
    EXPECT_EQ(extract_masks(store, recipe).code, 5);
    const std::vector<StoreRow> rows = block(store).rows;
    ASSERT_EQ(rows.size(), 11U);
    for (std::size_t i = 0; i < std::size(expected); ++i) {
      const StoreRow& row = rows[4 + i];
      const auto& [name, reason] = expected[i];
      EXPECT_EQ(fs::path(row.path).stem(), name);
      EXPECT_EQ(row.state,
                name == std::string("background") ? RowState::kEmpty : RowState::kFailed);
      EXPECT_NE(row.warnings.find(reason), std::string::npos) << name << ": " << row.warnings;
    }
    EXPECT_EQ(extract_masks(store, recipe).code, 0);  // what failed is unchanged, too
  }
}

// mechanics: a region without moments is a failed row beside the others, whose values it does not
// change; the reason is on stderr.
TEST_F(MasksCommandTest, ARegionFailsAlone) {
  labels_.setTo(0, labels_ == 9);
  cv::imwrite(at("masks/oak/a.tif"), labels_);
  ASSERT_EQ(extract_masks("good", moments("--centre centroid")).code, 0);
  labels_(cv::Rect(10, 20, 5, 2)) = 9;
  paper_(cv::Rect(10, 20, 5, 2)) = 0;  // no centroid
  cv::imwrite(at("masks/oak/a.tif"), labels_);
  cv::imwrite(at("photos/oak/a.png"), paper_);
  const Outcome made = extract_masks("bad", moments("--centre centroid"));
  EXPECT_EQ(made.code, 5);
  EXPECT_NE(made.out.find("1 images, 4 rows, 1 cut, 1 failed"), std::string::npos) << made.out;
  EXPECT_NE(made.error.find("a.png #9: "), std::string::npos) << made.error;
  const StoreBlock good = block("good"), bad = block("bad");
  const std::size_t columns = good.values.size() / 3;
  EXPECT_EQ(bad.rows[1].state, RowState::kFailed);
  EXPECT_TRUE(std::isnan(bad.values[columns]));
  for (const auto& [row, of_good] : {std::pair{0, 0}, {2, 1}, {3, 2}}) {
    EXPECT_TRUE(
        std::equal(good.values.begin() + of_good * static_cast<std::ptrdiff_t>(columns),
                   good.values.begin() + (of_good + 1) * static_cast<std::ptrdiff_t>(columns),
                   bad.values.begin() + row * static_cast<std::ptrdiff_t>(columns)))
        << row;
  }
}

// mechanics: the first ten reasons of failed rows are on stderr, then how many more there are.
TEST_F(MasksCommandTest, ReasonsAreCounted) {
  for (int i = 0; i < 13; ++i) cv::imwrite(at("photos/oak/m" + std::to_string(i) + ".png"), paper_);
  const Outcome made = extract_masks("s", moments("--resize 16"));
  EXPECT_EQ(made.code, 5);
  EXPECT_EQ(std::count(made.error.begin(), made.error.end(), '\n'), 11) << made.error;
  EXPECT_NE(made.error.find("m0.png: has no mask: "), std::string::npos) << made.error;
  EXPECT_NE(made.error.find("and 3 more rows failed"), std::string::npos) << made.error;
}

// mechanics: as many regions as 16 bits hold are as many rows.
TEST_F(MasksCommandTest, EveryLabelOfSixteenBitsIsARow) {
  cv::Mat labels(256, 256, CV_16U);
  std::iota(labels.begin<std::uint16_t>(), labels.end<std::uint16_t>(), std::uint16_t{0});
  fs::create_directory(at("many"));
  cv::imwrite(at("many/b.png"), cv::Mat(256, 256, CV_8U, cv::Scalar(50)));
  cv::imwrite(at("masks/b.png"), labels);
  ASSERT_EQ(extract_masks("s", at("many") + " --order 1").code, 0);
  const StoreBlock made = block("s");
  ASSERT_EQ(made.rows.size(), 65535U);
  EXPECT_EQ(made.rows.back().part, 65535);
  EXPECT_EQ(made.rows.back().box, (PictureBox{255, 255, 1, 1}));
}

// agreement: images in archives have the masks of their members; images of a list those of their
// paths.
TEST_F(MasksCommandTest, MasksBelongToMembersAndListedPaths) {
  ASSERT_EQ(extract_masks("folder", moments("--resize 16")).code, 0);
  for (const std::string name : {"a.tar", "a.zip", "a.tar.gz"}) {
    testing::write_archive(at(name), {{"./oak/a.png", read_file(at("photos/oak/a.png"))}});
    ASSERT_EQ(extract_masks(name + ".store", at(name) + " --order 6 --resize 16").code, 0);
    EXPECT_EQ(block(name + ".store").values, block("folder").values) << name;
  }
  ASSERT_EQ(extract_masks("piped", "- --order 6 --resize 16 < " + at("a.tar")).code, 0);
  EXPECT_EQ(block("piped").values, block("folder").values);
  folder_.write("photos/table.csv", "path,catalogNumber\noak/a.png,B 1\n");
  ASSERT_EQ(
      extract_masks("table", "--list " + at("photos/table.csv") + " --order 6 --resize 16").code,
      0);
  EXPECT_EQ(block("table").values, block("folder").values);
  EXPECT_EQ(block("table").rows.back().fields, (std::vector<std::string>{"B 1"}));
  fs::copy_file(at("masks/oak/a.tif"), at("masks/a.tif"));
  ASSERT_EQ(extract_masks("file", at("photos/oak/a.png") + " --order 6 --resize 16").code, 0);
  EXPECT_EQ(block("file").values, block("folder").values);
}

}  // namespace
}  // namespace leafglyph
