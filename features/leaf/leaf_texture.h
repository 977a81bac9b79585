// Measures of the grey values inside a prepared leaf, away from its outline.
#pragma once

#include <cstdint>
#include <span>

#include "features/image/image.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// Width in pixels of the rim that erosion removes, so that the step from leaf to background and
/// the shading along it do not count as venation.
inline constexpr int kErosion = 3;

/// The mask eroded by a square of 2 kErosion + 1 pixels. Everything outside the image counts as
/// background.
Image<std::uint8_t> eroded(const Image<std::uint8_t>& mask);

/// |grad g| by central differences, in grey values per pixel, where `inside` is 1; 0 elsewhere.
/// `out` is as large as `grey`, row by row.
void gradient_magnitude(const Image<float>& grey, const Image<std::uint8_t>& inside,
                        std::span<float> out);

/// Sum and number of the values, row by row, where `inside` is 1.
struct InsideSum {
  double sum = 0, count = 0;
  double mean() const { return count > 0 ? sum / count : 0; }  ///< 0 if there are none
};
InsideSum sum_inside(std::span<const float> values, const Image<std::uint8_t>& inside);

/// The measures of a prepared leaf. All but area_share are 0 if the mask is empty.
LeafMeasures measure_leaf(const Image<float>& grey, const Image<std::uint8_t>& mask,
                          double area_share);

/// Mean |gradient| of a prepared leaf inside the eroded mask, in grey values per pixel; 0 if the
/// erosion leaves nothing.
double mean_gradient(const PreparedLeaf& leaf);

}  // namespace leafglyph
