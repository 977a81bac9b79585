// Passes over the pixels of a photograph, compiled once per instruction set and chosen at run time.
// Every instruction set gives the same results to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leafglyph {

/// The chromaticity of the paper in the light of a photograph, and when one counts as different.
struct PaperChromaticity {
  float red = 0, green = 0;  ///< shares of (red + 1) + (green + 1) + (blue + 1)
  float farthest = 1;        ///< distance of the two shares at which a pixel is black
  float darkest = 1;         ///< mean of the three colours from which a chromaticity counts fully
};

/// The colour of the paper in a photograph, and when a colour counts as different.
struct PaperColour {
  float red = 0, green = 0, blue = 0;  ///< in full light, 0 to 255
  float shadow = 1;                    ///< a shadow leaves at least this share of these values
  float farthest = 1;                  ///< distance of two colours at which a pixel is black
};

/// Sums over the pixels of a row of a photograph.
struct GreySums {
  std::uint32_t inside = 0;     ///< number of pixels in the mask
  std::uint32_t of_inside = 0;  ///< sum of their grey values
  std::uint32_t of_all = 0;     ///< sum of all grey values
};

/// Sums over the pixels of a row of a mask.
struct MaskSums {
  std::uint64_t inside = 0;   ///< number of pixels
  std::uint64_t columns = 0;  ///< sum of their column numbers, from 0
};

/// Weights for resampling a row to a narrower one: pixel u is the sum over k of weight[k * pixels +
/// u] times the value at first[u] + k. The arrays have room for whole blocks of kColumnBlock
/// pixels.
inline constexpr std::size_t kColumnBlock = 16;
struct ColumnWeights {
  std::size_t pixels = 0;  ///< a multiple of kColumnBlock
  std::size_t most = 0;    ///< terms per pixel; values are read up to first[u] + most - 1
  std::vector<std::int32_t> first;
  std::vector<float> weight;
};

/// A plane of values that is sampled between its pixels. Its outermost pixels are 0, as everything
/// beyond them is.
struct SampledPlane {
  const float* values = nullptr;  ///< row by row
  int width = 0, height = 0;      ///< at least 2
};

/// Where a row of samples lies on the plane: sample i at (x + across[i], y + down[i]), in 1/1024 of
/// a pixel.
struct SamplePositions {
  std::int32_t x = 0, y = 0;
  const std::int32_t* across = nullptr;
  const std::int32_t* down = nullptr;
};

/// The kernels of one instruction set. Red, green and blue of pixel i are at [3 i], [3 i + 1] and
/// [3 i + 2].
struct PixelKernels {
  /// grey[i] = grey_of the colours of pixel i.
  void (*grey)(const std::uint8_t* colours, std::size_t count, std::uint8_t* grey);
  /// likeness[i] = 255 (1 - w d / paper.farthest), rounded to the nearest value in 0 to 255, where
  /// d is the distance of the chromaticity of pixel i from the paper's and w = min(1, mean colour /
  /// darkest).
  void (*likeness)(const std::uint8_t* colours, std::size_t count, const PaperChromaticity& paper,
                   std::uint8_t* likeness);
  /// nearness[i] = 255 (1 - d / paper.farthest), rounded like a likeness, where d is the Euclidean
  /// distance of pixel i from the nearest colour of the paper in other light: the paper's times a
  /// factor that is at least paper.shadow.
  void (*nearness)(const std::uint8_t* colours, std::size_t count, const PaperColour& paper,
                   std::uint8_t* nearness);
  /// For a mask of 0 and 1: coverage[i] += weight * mask[i], sums[i] += weight * mask[i] * grey[i].
  /// Without `grey`, only the coverage is summed.
  void (*add_masked)(const std::uint8_t* mask, const std::uint8_t* grey, std::size_t count,
                     float weight, float* coverage, float* sums);
  /// For a mask of 0 and 1.
  GreySums (*grey_sums)(const std::uint8_t* mask, const std::uint8_t* grey, std::size_t count);
  MaskSums (*mask_sums)(const std::uint8_t* mask, std::size_t count);
  /// Computes pixels [begin, end) of two rows, or of one if `others` is null; both bounds are
  /// multiples of kColumnBlock.
  void (*take_columns)(const ColumnWeights&, std::size_t begin, std::size_t end,
                       const float* values, const float* others, float* to, float* others_to);
  /// to[i] = factor bytes[i].
  void (*scaled)(const std::uint8_t* bytes, std::size_t count, float factor, float* to);
  /// to[i] = weights[0] rows[radius][i] + the sum over k = 1 ... radius of weights[k]
  /// (rows[radius - k][i] + rows[radius + k][i]). With rows that start one after the other at the
  /// pixels of one row, that is a symmetric filter along it.
  void (*filter_rows)(const float* const* rows, const float* weights, std::size_t radius,
                      std::size_t count, float* to);
  /// The number of pixels of a row whose second difference, down and across, is at most `most` in
  /// magnitude. Rows end in mirrors at their outermost pixels. `room` has count + 2 elements, and
  /// `count` is at least 2.
  std::size_t (*flat_pixels)(const std::uint8_t* above, const std::uint8_t* here,
                             const std::uint8_t* below, std::size_t count, int most,
                             std::int16_t* room);
  /// Bilinear samples, at positions rounded to 1/32 of a pixel, to `count` pixels.
  void (*sample)(const SampledPlane&, const SamplePositions&, std::size_t count, float* to);
};

/// The fastest kernels that this processor can run.
const PixelKernels& pixel_kernels();

}  // namespace leafglyph
