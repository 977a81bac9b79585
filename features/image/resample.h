// Separable, anti-aliased resampling. The scale and shift of each axis are arbitrary real numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph {

/// One axis of a resampling: output position u (a pixel number, from 0) shows the input position
/// (u - output_origin) / scale + input_origin.
struct ResampleAxis {
  int input_size = 0;
  int output_size = 0;
  double scale = 1;  ///< output pixels per input pixel, > 0
  double input_origin = 0;
  double output_origin = 0;
};

/// The weights of one axis: a triangle (linear interpolation). If the image shrinks, the triangle
/// is widened to the spacing of the output pixels, so that every input pixel counts. The input is 0
/// beyond its ends.
class ResampleWeights {
 public:
  explicit ResampleWeights(const ResampleAxis& axis);

  int output_size() const { return static_cast<int>(first_.size()); }
  /// First input position that output u reads, and the weights from there on. The weights sum to 1
  /// if they lie entirely inside the input, and are empty if u lies entirely outside it.
  int first(int u) const { return first_[static_cast<std::size_t>(u)]; }
  /// One past the last.
  int end(int u) const { return first(u) + static_cast<int>(weights(u).size()); }
  std::span<const float> weights(int u) const {
    const auto index = static_cast<std::size_t>(u);
    return std::span(weights_).subspan(offset_[index], offset_[index + 1] - offset_[index]);
  }

 private:
  std::vector<int> first_;
  std::vector<std::size_t> offset_;
  std::vector<float> weights_;
};

/// Resamples an image of `columns.input_size` x `rows.input_size` floats, stored row by row, to
/// `columns.output_size` x `rows.output_size`. Throws UsageError if a span has the wrong length.
void resample(std::span<const float> input, const ResampleAxis& columns, const ResampleAxis& rows,
              std::span<float> output);

/// The largest power of two by which `side` pixels can be divided (rounding down) with at least
/// `enough` left; 1 if `side` is less than twice `enough`, or `enough` is 0. Averages over 2 x 2
/// pixels are cheap, and so is decoding JPEG files at half size.
constexpr int power_of_two_reduction(std::uint64_t side, std::uint64_t enough) {
  int reduction = 1;
  while (enough > 0 && side / (2 * static_cast<std::uint64_t>(reduction)) >= enough) {
    reduction *= 2;
  }
  return reduction;
}

}  // namespace leafglyph
