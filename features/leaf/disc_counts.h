// Counts the pixels of a mask in discs around points: the slowest part of outline_curvature.h,
// compiled once per instruction set and chosen at run time. Counts are integers, the same
// everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// Radii of the discs, in pixels, increasing.
inline constexpr std::array<int, 8> kDiscRadii = {2, 4, 6, 8, 12, 16, 22, 28};
inline constexpr std::size_t kDiscs = kDiscRadii.size();
/// No disc reaches farther from its centre. Rows of the largest are windows of a 64-bit word.
inline constexpr int kDiscReach = 31;
static_assert(kDiscRadii.back() <= kDiscReach);

/// A pixel of a mask.
struct MaskPoint {
  int column, row;
};

/// A mask with a bit per pixel, surrounded by kDiscReach pixels of background. Bit b of
/// word(strip, row) is the pixel in column 64 strip + b; the words of a strip follow each other.
class MaskBits {
 public:
  /// A mask of width x height pixels without any pixel set.
  MaskBits(int width, int height);

  /// Sets the pixels of a row, from column `first` on, whose coverage is at least 1/2.
  void set_row(int row, int first, std::span<const float> coverage);
  /// The pixels of the mask with a neighbour above, below, left or right that is outside it.
  std::vector<MaskPoint> outline() const;
  /// The 64 words with the rows from `row` - kDiscReach on, of the strip in which column `column` -
  /// kDiscReach lies; the next strip is `next_strip()` words behind.
  const std::uint64_t* window(int column, int row) const {
    return words_.data() + static_cast<std::size_t>(column / 64) * rows_ +
           static_cast<std::size_t>(row);
  }
  std::size_t next_strip() const { return rows_; }

 private:
  std::size_t rows_;  // of words: height, and kDiscReach rows above and below, for whole windows
  std::vector<std::uint64_t> words_;
};

/// For each point, the number of pixels of the mask in the disc of each of kDiscRadii around it: in
/// the disc of radius r are the pixels with dx^2 + dy^2 <= r^2. The count of disc d for point i is
/// written to counts[i * kDiscs + d]. Points lie in the mask's rectangle. Throws UsageError if
/// `counts` has another length.
void count_in_discs(const MaskBits& mask, std::span<const MaskPoint> points,
                    std::span<std::uint32_t> counts);

/// The number of pixels in a whole disc.
constexpr int disc_size(int radius) {
  int pixels = 0;
  for (int y = -radius; y <= radius; ++y) {
    for (int x = -radius; x <= radius; ++x) pixels += x * x + y * y <= radius * radius ? 1 : 0;
  }
  return pixels;
}

}  // namespace leafglyph
