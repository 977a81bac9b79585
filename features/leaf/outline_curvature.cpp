#include "features/leaf/outline_curvature.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "features/base/limits.h"
#include "features/leaf/resample_masked.h"

namespace leafglyph {
namespace {

constexpr std::array<int, kDiscs> sizes_of_discs() {
  std::array<int, kDiscs> sizes = {};
  for (std::size_t disc = 0; disc < kDiscs; ++disc) sizes[disc] = disc_size(kDiscRadii[disc]);
  return sizes;
}
constexpr std::array<int, kDiscs> kDiscSizes = sizes_of_discs();

// The leaf at its final size.
Image<std::uint8_t> scaled_mask(const LeafWindow& leaf) {
  const double wide = leaf.width * leaf.pixel_aspect, high = leaf.height;
  const double scale = std::min(std::sqrt(kCurvatureArea / (leaf.area * leaf.pixel_aspect)),
                                kMaxCurvatureSide / std::max(wide, high));
  const auto axis = [](int pixels, double factor) {
    const int size = std::max(1, static_cast<int>(std::ceil(pixels * factor)));
    return ResampleAxis{pixels, size, factor, 0.5 * (pixels - 1), 0.5 * (size - 1)};
  };
  const ResampleAxis columns = axis(leaf.width, scale * leaf.pixel_aspect);
  const ResampleAxis rows = axis(leaf.height, scale);
  std::vector<float> coverage(static_cast<std::size_t>(columns.output_size) * rows.output_size);
  std::vector<float> same(coverage.size());  // the mask stands in for grey values
  resample_masked({leaf.mask, leaf.mask, leaf.stride}, columns, rows, coverage, same);
  Image<std::uint8_t> mask(columns.output_size, rows.output_size);
  std::ranges::transform(coverage, mask.pixels().begin(),
                         [](float share) { return std::uint8_t{share >= 0.5F}; });
  return mask;
}

std::vector<MaskPoint> outline_of(const Image<std::uint8_t>& mask) {
  std::vector<MaskPoint> outline;
  const int width = mask.width(), height = mask.height();
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* here = &mask.at(row, 0);
    const std::uint8_t* above = row > 0 ? here - width : nullptr;
    const std::uint8_t* below = row + 1 < height ? here + width : nullptr;
    for (int x = 0; x < width; ++x) {
      if (here[x] == 0) continue;
      const bool inner = x > 0 && x + 1 < width && above != nullptr && below != nullptr &&
                         (here[x - 1] & here[x + 1] & above[x] & below[x]) != 0;
      if (!inner) outline.push_back({x, row});
    }
  }
  return outline;
}

MaskBits bits_of(const Image<std::uint8_t>& mask) {
  MaskBits bits(mask.width(), mask.height());
  for (int row = 0; row < mask.height(); ++row) {
    for (int column = 0; column < mask.width(); ++column) {
      if (mask.at(row, column) != 0) bits.set(column, row);
    }
  }
  return bits;
}

}  // namespace

std::vector<float> curvature_histograms(const Image<std::uint8_t>& mask) {
  const std::vector<MaskPoint> outline = outline_of(mask);
  std::vector<float> values(kCurvatureColumns);
  if (outline.empty()) return values;
  std::vector<std::uint32_t> counts(outline.size() * kDiscs);
  count_in_discs(bits_of(mask), outline, counts);
  std::array<std::uint32_t, kCurvatureColumns> points = {};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t disc = i % kDiscs;
    // Whole discs belong to the last bin.
    const auto bin = std::min(kCurvatureBins - 1,
                              kCurvatureBins * static_cast<int>(counts[i]) / kDiscSizes[disc]);
    ++points[disc * kCurvatureBins + static_cast<std::size_t>(bin)];
  }
  const double all = static_cast<double>(outline.size());
  std::ranges::transform(points, values.begin(), [&](std::uint32_t count) {
    return static_cast<float>(std::sqrt(count / all));
  });
  return values;
}

std::vector<float> outline_curvature(const LeafWindow& leaf) {
  if (!(leaf.area > 0)) return std::vector<float>(kCurvatureColumns);
  return curvature_histograms(scaled_mask(leaf));
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
