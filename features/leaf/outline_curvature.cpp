#include "features/leaf/outline_curvature.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "features/base/limits.h"
#include "features/leaf/resample_masked.h"

namespace leafglyph {
namespace {

// The bin of each number of pixels in a disc.
using BinsOfCounts = std::array<std::vector<std::uint8_t>, kDiscs>;

BinsOfCounts bins_of_counts() {
  BinsOfCounts bins;
  for (std::size_t disc = 0; disc < kDiscs; ++disc) {
    const int size = disc_size(kDiscRadii[disc]);
    // Whole discs belong to the last bin.
    for (int count = 0; count <= size; ++count) {
      bins[disc].push_back(
          static_cast<std::uint8_t>(std::min(kCurvatureBins - 1, kCurvatureBins * count / size)));
    }
  }
  return bins;
}

// The leaf at its final size.
MaskBits scaled_mask(const LeafWindow& leaf) {
  const double wide = leaf.width * leaf.pixel_aspect, high = leaf.height;
  const double scale = std::min(std::sqrt(kCurvatureArea / (leaf.area * leaf.pixel_aspect)),
                                kMaxCurvatureSide / std::max(wide, high));
  const auto axis = [](int pixels, double factor) {
    const int size = std::max(1, static_cast<int>(std::ceil(pixels * factor)));
    return ResampleAxis{pixels, size, factor, 0.5 * (pixels - 1), 0.5 * (size - 1)};
  };
  const ResampleAxis columns = axis(leaf.width, scale * leaf.pixel_aspect);
  const ResampleAxis rows = axis(leaf.height, scale);
  MaskBits bits(columns.output_size, rows.output_size);
  each_resampled_row(
      {leaf.mask, /*values=*/nullptr, leaf.stride}, columns, rows,
      [&](const ResampledRow& row) { bits.set_row(row.row, row.first, row.coverage); });
  return bits;
}

std::vector<float> histograms_of(const MaskBits& mask) {
  const std::vector<MaskPoint> outline = mask.outline();
  std::vector<float> values(kCurvatureColumns);
  if (outline.empty()) return values;
  std::vector<std::uint32_t> counts(outline.size() * kDiscs);
  count_in_discs(mask, outline, counts);
  std::array<std::uint32_t, kCurvatureColumns> points = {};
  static const BinsOfCounts bins = bins_of_counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t disc = i % kDiscs;
    ++points[disc * kCurvatureBins + bins[disc][counts[i]]];
  }
  const double all = static_cast<double>(outline.size());
  std::ranges::transform(points, values.begin(), [&](std::uint32_t count) {
    return static_cast<float>(std::sqrt(count / all));
  });
  return values;
}

}  // namespace

std::vector<float> curvature_histograms(const Image<std::uint8_t>& mask) {
  MaskBits bits(mask.width(), mask.height());
  for (int row = 0; row < mask.height(); ++row) {
    const auto pixels =
        mask.pixels().subspan(static_cast<std::size_t>(row) * mask.width(), mask.width());
    bits.set_row(row, 0, std::vector<float>(pixels.begin(), pixels.end()));
  }
  return histograms_of(bits);
}

std::vector<float> outline_curvature(const LeafWindow& leaf) {
  if (!(leaf.area > 0)) return std::vector<float>(kCurvatureColumns);
  return histograms_of(scaled_mask(leaf));
}

std::vector<std::string> curvature_column_names() {
  std::vector<std::string> names;
  for (const int radius : kDiscRadii) {
    for (int bin = 0; bin < kCurvatureBins; ++bin) {
      names.push_back("curvature_" + std::to_string(radius) + "_" + std::to_string(bin));
    }
  }
  return names;
}

}  // namespace leafglyph
