// Photographs prepared from files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "features/leaf/preprocess.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using testing::ellipse_photograph;
using testing::TemporaryFolder;

// agreement: a photograph reduced to half (a JPEG file while it is decoded) gives the same leaf as
// the full one, up to averaging along the outline; a photograph that is small enough is unchanged.
TEST(PrepareFile, OversamplingReducesLargePhotographsAlone) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, int scale) {
    Image<std::uint8_t> image = ellipse_photograph(200 * scale, 150 * scale, 100.0 * scale,
                                                   75.0 * scale, 40.0 * scale, 25.0 * scale);
    auto file = folder / name;
    cv::imwrite(file.string(), cv::Mat(150 * scale, 200 * scale, CV_8U, image.data()),
                {cv::IMWRITE_JPEG_QUALITY, 98});
    return file;
  };
  PrepareSpec whole, reduced;
  whole.size = reduced.size = 64;
  whole.area = reduced.area = 800;
  whole.oversampling = 16;
  reduced.oversampling = 3.2;  // of 800 pixels 400 are left: 205 are needed
  const auto large = write("large.jpg", 4), small = write("small.jpg", 1);
  EXPECT_EQ(prepare_file(small, whole).measures, prepare_file(small, reduced).measures);
  const PreparedLeaf a = prepare_file(large, whole);
  for (const PreparedLeaf& b :
       {prepare_file(large, reduced), prepare_leaf(decode_image(large).grey, "decoded", reduced)}) {
    EXPECT_FALSE(std::ranges::equal(a.grey.pixels(), b.grey.pixels()));
    double different = 0;
    for (std::size_t i = 0; i < a.mask.size(); ++i) {
      different += a.mask.data()[i] != b.mask.data()[i];
    }
    EXPECT_LT(different, 0.1 * 2 * 3.1416 * 16);  // a tenth of the outline's pixels
    EXPECT_NEAR(a.measures.area_share, b.measures.area_share, 0.01 * a.measures.area_share);
    // The rim, one pixel in eight, mixes some of the background's 240 with the leaf's 80.
    EXPECT_NEAR(a.measures.mean_grey, b.measures.mean_grey, 2);
  }
  reduced.oversampling = 0.5;
  EXPECT_THROW(prepare_file(small, reduced), UsageError);
}

// agreement: for a colour photograph only its grey values determine the leaf.
TEST(PrepareFile, ColourPhotographsAreTheirGreyValues) {
  const TemporaryFolder folder;
  const Image<std::uint8_t> grey = ellipse_photograph(320, 240, 150, 120, 90, 60);
  cv::Mat image(240, 320, CV_8UC3);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      const std::uint8_t value = grey.at(row, column);
      image.at<cv::Vec3b>(row, column) = cv::Vec3b(value / 2, value, value / 3);
    }
  }
  const auto file = folder / "leaf.jpg";
  ASSERT_TRUE(cv::imwrite(file.string(), image));
  const PreparedLeaf leaf = prepare_file(file, {});
  const PreparedLeaf same = prepare_leaf(decode_image(file).grey, "leaf", {});
  EXPECT_EQ(leaf.measures, same.measures);
  EXPECT_TRUE(std::ranges::equal(leaf.grey.pixels(), same.grey.pixels()));
}

}  // namespace
}  // namespace leafglyph
