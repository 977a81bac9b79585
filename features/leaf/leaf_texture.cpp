#include "features/leaf/leaf_texture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {
namespace {

// Each row is summed in this many separate sums, so that compilers vectorise the loop.
constexpr std::size_t kParts = 8;

template <class Add>
void add_in_parts(std::size_t count, Add add) {
  const std::size_t whole = count - count % kParts;
  for (std::size_t i = 0; i < whole; i += kParts) {
    for (std::size_t part = 0; part < kParts; ++part) add(i + part, part);
  }
  for (std::size_t i = whole; i < count; ++i) add(i, i - whole);
}

double inside_of(const std::uint8_t* mask, std::size_t count) {
  return static_cast<double>(std::accumulate(mask, mask + count, std::uint32_t{0}));
}

}  // namespace

Image<std::uint8_t> eroded(const Image<std::uint8_t>& mask) {
  Image<std::uint8_t> result(mask.width(), mask.height());
  const MaskBox box = box_of(mask);
  if (box.width() == 0) return result;
  const cv::Rect part(box.left, box.top, box.width(), box.height());
  const cv::Mat from(mask.height(), mask.width(), CV_8U, const_cast<std::uint8_t*>(mask.data()));
  cv::Mat to = cv::Mat(mask.height(), mask.width(), CV_8U, result.data())(part);
  constexpr int kSide = 2 * kErosion + 1;
  cv::erode(from(part), to, cv::getStructuringElement(cv::MORPH_RECT, {kSide, kSide}), {-1, -1},
            /*iterations=*/1, cv::BORDER_CONSTANT | cv::BORDER_ISOLATED, cv::Scalar(0));
  return result;
}

void gradient_magnitude(const Image<float>& grey, const Image<std::uint8_t>& inside,
                        std::span<float> out) {
  std::ranges::fill(out, 0.0f);
  const MaskBox box = box_of(inside);
  const int first = std::max(1, box.left), last = std::min(box.right, grey.width() - 2);
  for (int row = std::max(1, box.top); row <= std::min(box.bottom, grey.height() - 2); ++row) {
    const auto start = static_cast<std::size_t>(row) * grey.width();
    const float* at = grey.data() + start;
    const float *above = at - grey.width(), *below = at + grey.width();
    const std::uint8_t* in = inside.data() + start;
    float* to = out.data() + start;
    // Branch-free, so that compilers vectorise it.
    for (int column = first; column <= last; ++column) {
      const float dx = 0.5f * (at[column + 1] - at[column - 1]);
      const float dy = 0.5f * (below[column] - above[column]);
      to[column] = std::sqrt(dx * dx + dy * dy) * static_cast<float>(in[column]);
    }
  }
}

LeafMeasures measure_leaf(const Image<float>& grey, const Image<std::uint8_t>& mask,
                          double area_share) {
  LeafMeasures measures;
  measures.area_share = area_share;
  const MaskBox box = box_of(mask);
  std::array<double, kParts> sums{}, of_squares{};
  double count = 0;
  const auto width = static_cast<std::size_t>(box.width());
  for (int row = box.top; row <= box.bottom; ++row) {
    const std::uint8_t* in = &mask.at(row, box.left);
    const float* values = &grey.at(row, box.left);
    add_in_parts(width, [&](std::size_t i, std::size_t part) {
      const double g = static_cast<double>(in[i]) * static_cast<double>(values[i]);
      sums[part] += g;
      of_squares[part] += g * g;
    });
    count += inside_of(in, width);
  }
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double squares = std::accumulate(of_squares.begin(), of_squares.end(), 0.0);
  if (count > 0) {
    measures.mean_grey = sum / count;
    const double variance = squares / count - measures.mean_grey * measures.mean_grey;
    measures.spread_grey = std::sqrt(std::max(0.0, variance));
  }
  return measures;
}

InsideSum sum_inside(std::span<const float> values, const Image<std::uint8_t>& inside) {
  const MaskBox box = box_of(inside);
  InsideSum all;
  std::array<double, kParts> sums{};
  const auto width = static_cast<std::size_t>(box.width());
  for (int row = box.top; row <= box.bottom; ++row) {
    const std::uint8_t* in = &inside.at(row, box.left);
    const float* of_row = &values[static_cast<std::size_t>(row) * inside.width() + box.left];
    add_in_parts(width, [&](std::size_t i, std::size_t part) {
      sums[part] += static_cast<double>(in[i]) * static_cast<double>(of_row[i]);
    });
    all.count += inside_of(in, width);
  }
  all.sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  return all;
}

double mean_gradient(const PreparedLeaf& leaf) {
  const Image<std::uint8_t> inside = eroded(leaf.mask);
  std::vector<float> magnitude(leaf.grey.size());
  gradient_magnitude(leaf.grey, inside, magnitude);
  return sum_inside(magnitude, inside).mean();
}

}  // namespace leafglyph
