#include "features/leaf/separable_filter.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <random>
#include <utility>

namespace leafglyph {
namespace {

cv::Mat random_plane(cv::Size size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(0, 255);
  cv::Mat plane(size, CV_32F);
  for (float& v : cv::Mat_<float>(plane)) v = value(random);
  return plane;
}

// oracle: OpenCV's filter with 0 beyond the plane. Both add 2 x 9 products of floats, with relative
// errors of 2^-24 each, in other orders.
TEST(FilterPlane, EqualsOpenCvWithZerosBeyond) {
  constexpr int kRadius = 4;
  const cv::Size size(150, 41);
  const cv::Mat plane = random_plane(size, 1);
  const std::vector<float> weights = gaussian_weights(kRadius, 1.4);
  cv::Mat filtered(size, CV_32F), expected;
  const auto fill = [&](int row, std::span<float> values) {
    std::ranges::fill(values, 0.0F);
    if (row < 0 || row >= size.height) return;
    std::copy_n(plane.ptr<float>(row), size.width, &values[kRadius]);
  };
  filter_plane(size, ColumnBlocks(size.width, size.height, /*all=*/true), weights, fill,
               [&](int row, std::span<const float> values) {
                 std::ranges::copy(values, filtered.ptr<float>(row));
               });
  cv::GaussianBlur(plane, expected, {2 * kRadius + 1, 2 * kRadius + 1}, 1.4, 0,
                   cv::BORDER_CONSTANT);
  EXPECT_LT(cv::norm(filtered, expected, cv::NORM_INF), 255 * 18 * 6e-8);
}

// agreement: wanted blocks are the same as if all were wanted.
TEST(FilterPlane, WantedBlocksAreThoseOfTheWholePlane) {
  const cv::Size size(1500, 30);
  const cv::Mat plane = random_plane({size.width + 4, size.height + 4}, 2);
  const std::vector<float> weights = {6, 4, 1};
  const auto filtered = [&](const ColumnBlocks& wanted) {
    cv::Mat result(size, CV_32F, cv::Scalar(-1));
    filter_plane(
        size, wanted, weights,
        [&](int row, std::span<float> values) {
          std::copy_n(plane.ptr<float>(row + 2), size.width + 4, values.data());
        },
        [&](int row, std::span<const float> values) {
          wanted.each_run(wanted.near(row, 0), [&](std::size_t first, std::size_t count) {
            std::ranges::copy(values.subspan(first, count), result.ptr<float>(row) + first);
          });
        });
    return result;
  };
  const cv::Mat all = filtered(ColumnBlocks(size.width, size.height, /*all=*/true));
  EXPECT_EQ(cv::countNonZero(all == -1), 0);
  ColumnBlocks wanted(size.width, size.height, /*all=*/false);
  const std::vector<cv::Rect> places = {{0, 0, 3, 2}, {1499, 29, 1, 1}, {700, 10, 90, 5}};
  for (const cv::Rect& place : places) wanted.add(place);
  const cv::Mat some = filtered(wanted);
  for (const cv::Rect& place : places) {
    EXPECT_EQ(cv::countNonZero(some(place) != all(place)), 0) << place;
  }
  EXPECT_EQ(cv::countNonZero(some(cv::Rect(0, 20, 1499, 9)) != -1), 0) << "rows without a place";
}

// oracle: runs of columns by hand, at both ends of the row.
TEST(ColumnBlocks, RunsAreWholeBlocks) {
  ColumnBlocks blocks(100, 2, /*all=*/false);
  blocks.add({0, 0, 17, 1});
  blocks.add({95, 0, 5, 1});
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  const auto take = [&](std::size_t first, std::size_t count) { runs.emplace_back(first, count); };
  blocks.each_run(blocks.near(0, 0), take);
  EXPECT_EQ(runs, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 32}, {80, 20}}));
  runs.clear();
  blocks.each_run(blocks.near(1, 0), take);
  EXPECT_TRUE(runs.empty());
  blocks.each_run(blocks.near(-1, 1), take);
  EXPECT_EQ(runs.size(), 2U) << "the row above the plane is near its first";
}

}  // namespace
}  // namespace leafglyph
