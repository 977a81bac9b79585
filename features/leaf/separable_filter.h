// Symmetric filters along the rows and columns of a plane, row by row. Only for the files that
// prepare photographs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <span>
#include <vector>

#include "features/leaf/pixel_kernels.h"

namespace leafglyph {

/// The centre of a Gaussian of 2 `radius` + 1 weights whose sum is 1, and those to one side of it.
inline std::vector<float> gaussian_weights(int radius, double sigma) {
  const cv::Mat kernel = cv::getGaussianKernel(2 * radius + 1, sigma, CV_32F);
  return {kernel.ptr<float>() + radius, kernel.ptr<float>() + 2 * radius + 1};
}

/// Blocks of columns, a bit for each, of the rows of a plane.
class ColumnBlocks {
 public:
  /// All blocks, or none.
  ColumnBlocks(int width, int height, bool all)
      : width_(width),
        block_(std::max(16, (width + 63) / 64)),
        rows_(static_cast<std::size_t>(height), all ? ~std::uint64_t{0} : 0) {}

  /// Adds the pixels of a rectangle within the plane.
  void add(const cv::Rect& pixels) {
    const int first = pixels.x / block_, last = (pixels.br().x - 1) / block_;
    const std::uint64_t bits = ~std::uint64_t{0} >> (63 - (last - first)) << first;
    for (int row = pixels.y; row < pixels.br().y; ++row)
      rows_[static_cast<std::size_t>(row)] |= bits;
  }

  /// The blocks of all rows within `reach` of a row, which may lie outside the plane.
  std::uint64_t near(int row, int reach) const {
    std::uint64_t bits = 0;
    const int last = std::min(row + reach, static_cast<int>(rows_.size()) - 1);
    for (int r = std::max(0, row - reach); r <= last; ++r)
      bits |= rows_[static_cast<std::size_t>(r)];
    return bits;
  }

  /// Calls take(first, count) for each run of columns in the blocks.
  template <class Take>
  void each_run(std::uint64_t blocks, Take take) const {
    int start = 0;
    while (blocks != 0) {
      const int skipped = std::countr_zero(blocks), length = std::countr_one(blocks >> skipped);
      start += skipped;
      const int first = start * block_, end = std::min(width_, (start + length) * block_);
      if (first >= end) return;
      take(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
      if (skipped + length >= 64) return;
      blocks >>= skipped + length;
      start += length;
    }
  }

 private:
  int width_, block_;
  std::vector<std::uint64_t> rows_;
};

/// Filters a plane by the same weights along rows and columns: the centre of a symmetric kernel,
/// and those to one side of it. With r of those, fill(row, values) writes the width + 2 r values of
/// a row from r columns before the plane on, of rows from -r to height + r - 1. take(row, values)
/// gets the filtered rows in turn, of which only the wanted blocks are computed.
template <class Fill, class Take>
void filter_plane(cv::Size size, const ColumnBlocks& wanted, std::span<const float> weights,
                  Fill fill, Take take) {
  const auto filter_rows = pixel_kernels().filter_rows;
  const auto width = static_cast<std::size_t>(size.width);
  const auto radius = static_cast<int>(weights.size()) - 1;
  const std::size_t taps = 2 * weights.size() - 1;
  std::vector<float> extended(width + 2 * weights.size()), filtered(width), ring(taps * width);
  std::vector<const float*> from(taps);
  for (int next = -radius; next < size.height + radius; ++next) {
    const auto slot = static_cast<std::size_t>(next + radius) % taps;
    fill(next, std::span(extended).first(width + taps - 1));
    wanted.each_run(wanted.near(next, radius), [&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < taps; ++i) from[i] = &extended[first + i];
      filter_rows(from.data(), weights.data(), weights.size() - 1, count,
                  &ring[slot * width + first]);
    });
    const int row = next - radius;
    if (row < 0) continue;
    wanted.each_run(wanted.near(row, 0), [&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < taps; ++i) from[i] = &ring[(slot + 1 + i) % taps * width + first];
      filter_rows(from.data(), weights.data(), weights.size() - 1, count, &filtered[first]);
    });
    take(row, std::span<const float>(filtered));
  }
}

}  // namespace leafglyph
