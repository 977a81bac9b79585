// Pictures of leaves for neural networks.
#include "features/leaf/leaf_picture.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>
#include <utility>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

constexpr int kSquare = 40;

// A leaf of 60 x 30 pixels, and background of another colour.
std::pair<Photograph, Image<std::uint8_t>> photographed(const cv::Scalar& leaf) {
  cv::Mat picture(120, 160, CV_8UC3, cv::Scalar(250, 250, 250));
  const cv::Rect place(70, 20, 60, 30);
  picture(place).setTo(leaf);
  Image<std::uint8_t> mask(160, 120);
  view(mask)(place).setTo(1);
  return {colour_photograph(160, 120, {picture.data, picture.data + 3 * picture.total()}), mask};
}

cv::Vec3b pixel(const std::vector<std::uint8_t>& picture, int x, int y) {
  const std::size_t at = 3 * (static_cast<std::size_t>(y) * kSquare + x);
  return {picture[at], picture[at + 1], picture[at + 2]};
}

// oracle: the longer side is 0.9 of the square's, so that the leaf has 36 x 18 pixels in its
// middle; pixels of twice the width make it 36 x 9. Around it there is one colour, not the
// background's.
TEST(LeafPicture, TheLeafFillsTheSquare) {
  const auto [photograph, mask] = photographed({60, 120, 40});
  const cv::Vec3b leaf(60, 120, 40), around(kAroundLeaf[0], kAroundLeaf[1], kAroundLeaf[2]);
  for (const auto& [aspect, height] : {std::pair(1.0, 18), std::pair(2.0, 9)}) {
    const std::vector<std::uint8_t> picture = leaf_picture(photograph, mask, aspect, kSquare);
    ASSERT_EQ(picture.size(), 3U * kSquare * kSquare);
    const int top = (kSquare - height) / 2;
    for (int y = 0; y < kSquare; ++y) {
      for (int x = 0; x < kSquare; ++x) {
        const bool inside = x >= 2 && x < 38 && y >= top && y < top + height;
        ASSERT_EQ(pixel(picture, x, y), inside ? leaf : around) << x << ' ' << y;
      }
    }
  }
}

// mechanics: a grey photograph has three equal values.
TEST(LeafPicture, GreyIsThreeTimesTheSame) {
  const auto [photograph, mask] = photographed({60, 120, 40});
  const Photograph grey{photograph.grey};
  const auto value = photograph.grey.at(30, 100);
  EXPECT_EQ(pixel(leaf_picture(grey, mask, 1, kSquare), 20, 20), cv::Vec3b(value, value, value));
}

}  // namespace
}  // namespace leafglyph
