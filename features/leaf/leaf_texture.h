// Grey-value measures of the inside of a prepared leaf, away from its outline.
#pragma once

#include <cstdint>

#include "features/image/image.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// Width in pixels of the rim that the erosion removes, so that the step from leaf to background
/// and the shading along it do not count as venation.
inline constexpr int kErosion = 3;

/// The mask eroded by a square of 2 kErosion + 1 pixels; what lies beyond the image is background.
Image<std::uint8_t> eroded(const Image<std::uint8_t>& mask);

/// |grad g| by central differences, in grey values a pixel, where `inside` is 1; 0 elsewhere.
Image<float> gradient_magnitude(const Image<float>& grey, const Image<std::uint8_t>& inside);

/// Sum and number of the values where `inside` is 1.
struct InsideSum {
  double sum = 0, count = 0;
  double mean() const { return count > 0 ? sum / count : 0; }  ///< 0 of none
};
InsideSum sum_inside(const Image<float>& values, const Image<std::uint8_t>& inside);

/// The measures of a prepared leaf. All are 0 if they have no pixel.
LeafMeasures measure_leaf(const Image<float>& grey, const Image<std::uint8_t>& mask,
                          double area_share);

/// Mean |gradient| of a prepared leaf inside the eroded mask, in grey values a pixel; 0 where the
/// erosion leaves nothing.
double mean_gradient(const PreparedLeaf& leaf);

}  // namespace leafglyph
