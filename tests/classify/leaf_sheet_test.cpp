// Photographs with several leaves, and several photographs of one plant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <utility>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/report.h"
#include "classify/rows/leaf_outline.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::ellipse_photograph;

// Paper with leaves of the model's species, one per quarter: species q in quarter q, in reading
// order.
Image<std::uint8_t> sheet(const std::vector<Image<std::uint8_t>>& leaves) {
  const int width = leaves[0].width(), height = leaves[0].height();
  Image<std::uint8_t> all(2 * width, 2 * height, 230);
  for (std::size_t q = 0; q < leaves.size(); ++q) {
    const int left = static_cast<int>(q % 2) * width, top = static_cast<int>(q / 2) * height;
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        all.at(top + row, left + column) = leaves[q].at(row, column);
      }
    }
  }
  return all;
}

// oracle: an octagon of 40 pixels with a block of 10 pixels beside it, and one of 30 apart: with
// leaflets two leaves, otherwise also two, because a sixteenth is clutter; with a block of 20 in
// its place, two and three.
TEST(OutlineSinkTest, LeafletsAreNoLeavesOfTheirOwn) {
  for (const int side : {10, 20}) {
    Image<std::uint8_t> binary(200, 100);
    testing::fill_octagon(binary, 20, 20, 40, 255);
    testing::fill(binary, 62, 33, side, side, 255);
    testing::fill_octagon(binary, 150, 20, 30, 255);
    for (const bool with_leaflets : {false, true}) {
      OutlineSink outlines(with_leaflets);
      outlines.stage("2-binary", binary);
      EXPECT_EQ(outlines.parts().size(), !with_leaflets && side == 20 ? 3U : 2U) << side;
    }
  }
}

class LeafSheetTest : public ::testing::Test {
 protected:
  LeafSheetTest() : model_(train_leaves(config(), LeafRun{}).model) {}
  static LeafConfig config() {
    LeafConfig config = small_config();
    config.preparation.finder = Finder::kBest;
    config.preparation.background = Background::kAuto;
    return config;
  }
  std::filesystem::path written(const std::string& name, const Image<std::uint8_t>& image) const {
    write_grey_bmp(folder_.path() / name, image);
    return folder_.path() / name;
  }

  TemporaryFolder folder_;
  LeafModel model_;
};

// agreement: a photograph with one leaf is prepared as by prepare_leaf, to the last bit.
TEST_F(LeafSheetTest, OneLeafIsPreparedAsAlone) {
  const Photograph photograph{draw_synthetic_leaf(0, 1, 3)};
  const PrepareSpec spec = preparation_for(config(), 0);
  const PreparedLeaf alone = prepare_leaf(photograph, "leaf", spec);
  const std::vector<PreparedLeaf> all = prepare_leaves(photograph, "leaf", spec);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(all[0].grey.pixels(), alone.grey.pixels()));
  EXPECT_TRUE(std::ranges::equal(all[0].mask.pixels(), alone.mask.pixels()));
  EXPECT_EQ(all[0].measures.mean_grey, alone.measures.mean_grey);
}

// oracle: the boxes are those of the drawn ellipses, from the top, up to a pixel or two of
// smoothing; much smaller shapes are not leaves.
TEST_F(LeafSheetTest, BoxesAreWhereTheLeavesAre) {
  Image<std::uint8_t> paper = ellipse_photograph(640, 480, 450, 100, 80, 40);
  const Image<std::uint8_t> other = ellipse_photograph(640, 480, 200, 300, 60, 90);
  const Image<std::uint8_t> crumb = ellipse_photograph(640, 480, 550, 400, 8, 8);
  for (std::size_t i = 0; i < paper.size(); ++i) {
    paper.data()[i] = std::min({paper.data()[i], other.data()[i], crumb.data()[i]});
  }
  const std::vector<PreparedLeaf> leaves =
      prepare_leaves(Photograph{paper}, "sheet", preparation_for(config(), 0));
  ASSERT_EQ(leaves.size(), 2U);
  const int expected[2][4] = {{370, 60, 161, 81}, {140, 210, 121, 181}};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(leaves[i].box.left, expected[i][0], 2);
    EXPECT_NEAR(leaves[i].box.top, expected[i][1], 2);
    EXPECT_NEAR(leaves[i].box.width, expected[i][2], 4);
    EXPECT_NEAR(leaves[i].box.height, expected[i][3], 4);
  }
}

// mechanics: a label keeps its number and has no prediction; a photograph with nothing but a label
// has the reason.
TEST_F(LeafSheetTest, LabelsAreNotIdentified) {
  Image<std::uint8_t> paper = ellipse_photograph(800, 600, 200, 400, 150, 90);
  const Image<std::uint8_t> other = ellipse_photograph(800, 600, 600, 450, 120, 90);
  for (std::size_t i = 0; i < paper.size(); ++i) {
    paper.data()[i] = std::min(paper.data()[i], other.data()[i]);
  }
  testing::fill(paper, 300, 40, 400, 180, 110);
  Image<std::uint8_t> label(800, 600, 240);
  testing::fill(label, 300, 40, 400, 180, 110);
  const std::vector<std::string> files = {written("sheet.bmp", paper), written("label.bmp", label)};
  std::vector<LeafSheet> sheets;
  classify_every_leaf(model_, files, 1, LeafRun{}, std::nullopt,
                      [&](LeafSheet one) { sheets.push_back(std::move(one)); });
  ASSERT_EQ(sheets.size(), 2U);
  ASSERT_EQ(sheets[0].leaves.size(), 2U);
  EXPECT_EQ(shown_name(sheets[0].leaves[0]), files[0] + " #2");
  EXPECT_EQ(shown_name(sheets[0].leaves[1]), files[0] + " #3");
  EXPECT_TRUE(sheets[0].leaves[0].prediction && sheets[0].leaves[1].prediction);
  ASSERT_EQ(sheets[1].leaves.size(), 1U);
  EXPECT_EQ(sheets[1].leaves[0].error,
            files[1] + ": no leaf: what is on it is straight edges with right angles");
}

// regression: boxes were in pixels of the photograph as it was reduced while it was read.
TEST_F(LeafSheetTest, BoxesAreInPixelsOfTheFile) {
  const Image<std::uint8_t> paper = ellipse_photograph(1600, 1200, 900, 500, 300, 150);
  const cv::Mat pixels(paper.height(), paper.width(), CV_8U,
                       const_cast<std::uint8_t*>(paper.data()));
  const std::vector<std::string> files = {folder_.path() / "large.jpg"};
  ASSERT_TRUE(cv::imwrite(files[0], pixels));
  std::vector<LeafSheet> sheets;
  classify_every_leaf(model_, files, 1, LeafRun{}, std::nullopt,
                      [&](LeafSheet one) { sheets.push_back(std::move(one)); });
  ASSERT_EQ(sheets[0].leaves.size(), 1U);
  const PictureBox& box = sheets[0].leaves[0].box;
  // A pixel of the reduced photograph is eight of the file.
  EXPECT_NEAR(box.left, 600, 16);
  EXPECT_NEAR(box.top, 350, 16);
  EXPECT_NEAR(box.width, 601, 24);
  EXPECT_NEAR(box.height, 301, 24);
}

// agreement: streamed predictions equal those made at once, in the order of the files.
TEST_F(LeafSheetTest, PredictionsArriveAsTheyAreMade) {
  const std::filesystem::path leaf = written("leaf.bmp", draw_synthetic_leaf(1, 2, 3));
  std::vector<std::filesystem::path> files(150, leaf);
  files[77] = folder_.path() / "none.bmp";
  const std::vector<ClassifiedLeaf> at_once = classify_leaves(model_, files, 2, LeafRun{});
  std::vector<ClassifiedLeaf> one_by_one;
  std::size_t parts = 0;
  const std::vector<std::string> names(files.begin(), files.end());
  classify_leaves(model_, names, 2, LeafRun{}, std::nullopt, [&](std::vector<ClassifiedLeaf> part) {
    ++parts;
    std::ranges::move(part, std::back_inserter(one_by_one));
  });
  EXPECT_GT(parts, 1U);
  ASSERT_EQ(one_by_one.size(), files.size());
  ASSERT_EQ(at_once.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(one_by_one[i].file, files[i]);
    EXPECT_EQ(one_by_one[i].prediction.has_value(), i != 77) << one_by_one[i].error;
    EXPECT_EQ(one_by_one[i].features, at_once[i].features);
    EXPECT_EQ(one_by_one[i].error, at_once[i].error);
  }
}

// agreement: each leaf of a sheet has the same moments as alone, except for Otsu's threshold, which
// is that of the whole sheet and moves the outline by less than a pixel; a picture of the sheet
// shows their numbers.
TEST_F(LeafSheetTest, LeavesHaveTheFeaturesThatTheyHaveAlone) {
  std::vector<Image<std::uint8_t>> drawn;
  drawn.reserve(4);
  for (int species = 0; species < 4; ++species) drawn.push_back(draw_synthetic_leaf(species, 2, 3));
  const std::vector<std::string> files = {written("sheet.bmp", sheet(drawn)),
                                          folder_.path() / "none.bmp"};
  std::vector<LeafSheet> sheets;
  classify_every_leaf(model_, files, 1, LeafRun{}, std::nullopt,
                      [&](LeafSheet one) { sheets.push_back(std::move(one)); });
  ASSERT_EQ(sheets.size(), 2U);
  ASSERT_EQ(sheets[0].leaves.size(), 4U);
  std::vector<int> numbers;
  for (const ClassifiedLeaf& leaf : sheets[0].leaves) {
    ASSERT_TRUE(leaf.prediction);
    const int quarter = (leaf.box.left > 640) + 2 * (leaf.box.top > 480);
    // The training set contains these very leaves; only their area in the photograph differs.
    const auto row = static_cast<std::size_t>(8 * quarter + 2);
    const std::size_t area = model_.features.layout().columns() - kMeasureCount;
    for (std::size_t c = 0; c < area; ++c) {
      EXPECT_NEAR(leaf.features[c], model_.features.table().row(row)[c],
                  0.02F * (1.0F + std::abs(model_.features.table().row(row)[c])))
          << "leaf " << leaf.number << ", column " << c;
    }
    EXPECT_FALSE(leaf.picture.jpeg.empty());
    numbers.push_back(leaf.number);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(shown_name(sheets[0].leaves[1]), files[0] + " #2");
  EXPECT_EQ(sheets[0].numbered.width, kSheetSide);
  ASSERT_EQ(sheets[1].leaves.size(), 1U);
  EXPECT_FALSE(sheets[1].leaves[0].prediction);
  EXPECT_NE(sheets[1].leaves[0].error.find("none.bmp"), std::string::npos);
}

ClassifiedLeaf leaf_of(int label, double probability, std::int64_t row, bool known = true) {
  ClassifiedLeaf leaf;
  leaf.prediction.emplace();
  leaf.prediction->ranking = {{label, 1.0, 0.5F, 1}};
  leaf.prediction->neighbours = {{row, 0.5F}};
  leaf.prediction->probability = probability;
  leaf.prediction->decision = decide({{known ? 0.0 : 1.0, 0.5, probability}});
  return leaf;
}

// oracle: the formula of the header, for four classes.
TEST_F(LeafSheetTest, PlantsAreNamedByAllTheirLeaves) {
  ASSERT_EQ(model_.class_names.size(), 4U);  // eight rows each, class by class
  const std::vector<ClassifiedLeaf> leaves = {
      leaf_of(0, 0.6, 0), leaf_of(1, 0.5, 8), leaf_of(0, 0.9, 1), {}};
  const PlantPrediction plant = same_plant(model_, leaves);
  EXPECT_EQ(plant.leaves, 3U);
  EXPECT_EQ(plant.voters, 3U);
  ASSERT_EQ(plant.ranking.size(), 2U);
  EXPECT_EQ(plant.ranking[0].label, 0);
  EXPECT_EQ(plant.ranking[0].voters, 2U);
  const double e = 1.0 / std::sqrt(3.0);
  const double first = std::pow(0.6 * (0.5 / 3) * 0.9, e);
  const double second = std::pow((0.4 / 3) * 0.5 * (0.1 / 3), e);
  const double other = std::pow((0.4 / 3) * (0.5 / 3) * (0.1 / 3), e);
  ASSERT_TRUE(plant.probability);
  EXPECT_NEAR(*plant.probability, first / (first + second + 2 * other), 1e-12);
  EXPECT_TRUE(plant.decision.known());
}

// mechanics: a leaf that by itself is likely to be of another species is named, and the plant is
// doubtful then, however many leaves agree.
TEST_F(LeafSheetTest, LeavesThatContradictMakeAPlantDoubtful) {
  const std::vector<ClassifiedLeaf> leaves = {
      leaf_of(0, 0.99, 0), leaf_of(0, 0.99, 1), {}, leaf_of(1, 0.9, 8)};
  const PlantPrediction plant = same_plant(model_, leaves);
  EXPECT_EQ(plant.ranking.front().label, 0);
  EXPECT_EQ(plant.contradicting, std::vector<std::size_t>{3});
  EXPECT_EQ(plant.decision.word(), Word::kDoubtful);
  EXPECT_NE(plant_text(model_, plant, leaves).find("  but "), std::string::npos);
  const PlantPrediction agreed = same_plant(model_, std::span(leaves).first(2));
  EXPECT_TRUE(agreed.contradicting.empty());
  EXPECT_EQ(agreed.decision.word(), Word::kSure);
}

// mechanics: a plant is unknown if most leaves are; votes decide if a leaf has no probability;
// without predictions there is none for the plant.
TEST_F(LeafSheetTest, PlantsOfUnknownLeavesAreUnknown) {
  const std::vector<ClassifiedLeaf> leaves = {leaf_of(0, 0.6, 0, false), leaf_of(0, 0.6, 1, false),
                                              leaf_of(0, 0.9, 2)};
  EXPECT_FALSE(same_plant(model_, leaves).decision.known());
  EXPECT_TRUE(same_plant(model_, std::span(leaves).last(2)).decision.known());
  std::vector<ClassifiedLeaf> old = {leaf_of(0, 0.9, 0), leaf_of(1, 0.9, 8), leaf_of(1, 0.9, 9)};
  for (ClassifiedLeaf& leaf : old) leaf.prediction->probability.reset();
  const PlantPrediction plant = same_plant(model_, old);
  EXPECT_EQ(plant.ranking[0].label, 1);
  EXPECT_FALSE(plant.probability);
  EXPECT_THROW(same_plant(model_, std::vector<ClassifiedLeaf>(2)), InputError);
}

}  // namespace
}  // namespace leafglyph
