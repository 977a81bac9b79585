// Histograms of the curvature of a leaf's outline at several scales: its shape, from teeth to
// lobes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/disc_counts.h"

namespace leafglyph {

/// Every leaf is scaled to this area, in pixels, so that a disc covers the same share of each.
inline constexpr double kCurvatureArea = 30000;
/// Bins of the histogram of each radius of kDiscRadii.
inline constexpr int kCurvatureBins = 18;
/// Columns of a feature row: those of the smallest radius first, each from share 0 to 1.
inline constexpr std::size_t kCurvatureColumns = kDiscs * kCurvatureBins;

/// A window of a photograph's mask, 1 inside the leaf and 0 outside. Rows are `stride` apart.
struct LeafWindow {
  const std::uint8_t* mask = nullptr;
  std::size_t stride = 0;
  int width = 0, height = 0;
  double area = 0;          ///< pixels in the mask
  double pixel_aspect = 1;  ///< width / height of a pixel, in the scene
};

/// Histograms of curvature over scale (Kumar et al., "Leafsnap", ECCV 2012), with the integral
/// invariant of curvature (Manay et al., IEEE PAMI 28, 2006): at each point of the outline the
/// share of a disc that lies inside the leaf. It is 1/2 on a straight outline, less at a tip or a
/// tooth and more in a notch, and does not change when the leaf is turned, mirrored or scaled.
///
/// The mask is resampled (triangle filter, a pixel is inside from a coverage of 1/2 on) to
/// kCurvatureArea pixels, or to fewer where the window would be longer than kMaxCurvatureSide. The
/// outline is all pixels of the leaf with a neighbour above, below, left or right that is outside
/// it. For each radius the shares, counted in whole pixels, fall into kCurvatureBins bins of equal
/// width; the result is the square root of the share of the outline in each bin, kCurvatureColumns
/// values. All are 0 for a leaf without pixels. Safe to call from many threads.
std::vector<float> outline_curvature(const LeafWindow& leaf);

/// The same for a mask that has its final size.
std::vector<float> curvature_histograms(const Image<std::uint8_t>& mask);

/// "curvature_2_0" for the first bin of radius 2, and so on, in the order of the columns.
std::vector<std::string> curvature_column_names();

}  // namespace leafglyph
