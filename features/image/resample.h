// Separable, anti-aliased resampling: the scale and the shift of an axis are free real numbers.
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
  double scale = 1;  ///< output pixels an input pixel, > 0
  double input_origin = 0;
  double output_origin = 0;
};

/// The weights of one axis: a triangle (linear interpolation), widened to the spacing of the output
/// pixels when the image shrinks, so that every input pixel counts. The input is 0 beyond its ends.
class ResampleWeights {
 public:
  explicit ResampleWeights(const ResampleAxis& axis);

  int output_size() const { return static_cast<int>(first_.size()); }
  /// First input position that output u reads, and the weights from there on; they sum to 1 where
  /// the input is wide enough. Empty when u shows nothing of the input.
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

/// Resamples an image of `columns.input_size` x `rows.input_size` floats, row by row, to
/// `columns.output_size` x `rows.output_size`. Throws UsageError when a span has another length.
void resample(std::span<const float> input, const ResampleAxis& columns, const ResampleAxis& rows,
              std::span<float> output);

/// The largest power of two by which `side` pixels can be divided (rounded down) with at least
/// `enough` left; 1 where there are not twice as many, or `enough` is 0. Averages over 2 x 2
/// pixels are cheap, and so are JPEG files decoded at a half of their sides.
constexpr int power_of_two_reduction(std::uint64_t side, std::uint64_t enough) {
  int reduction = 1;
  while (enough > 0 && side / (2 * static_cast<std::uint64_t>(reduction)) >= enough) {
    reduction *= 2;
  }
  return reduction;
}

}  // namespace leafglyph
