// The edges of a character by their direction, one channel image per direction.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// Makes the channels of one frame after another; keeps its working memory. Use one per thread.
class DirectionChannels {
 public:
  /// `directions` >= 2, or 0 for the frame itself as the only channel; see compute.
  DirectionChannels(int directions, double power) : directions_(directions), power_(power) {}

  int channels() const { return std::max(directions_, 1); }

  /// Channel d of a frame of S x S pixels goes to out[d * S * S ...], d < channels(). The frame is
  /// smoothed by a Gaussian of standard deviation `blur`, in pixels, cut off at the next whole
  /// number from 3 `blur`, and continued by reflection about its outermost pixels. Without
  /// directions that is the channel. With gx, gy its differences (x to the right, y up; half the
  /// difference of both neighbours, at the border the difference to the one), the gradient of a
  /// pixel has the value
  ///     (gx^2 + gy^2)^(power / 2)
  /// and the direction p = atan2(gy, gx) / (2 pi / directions), and is shared between channels
  /// floor(p) and floor(p) + 1 (that after the last is 0) by 1 - t and t, t = p - floor(p): the
  /// direction feature of character recognition (Liu, Nakashima, Sako and Fujisawa, Handwritten
  /// digit recognition: benchmarking of state-of-the-art techniques, Pattern Recognition 36, 2003),
  /// with the full circle instead of half of it, so that the two edges of a stroke differ.
  /// Throws UsageError if the frame is not a square of at least 2 x 2 pixels or `out` has another
  /// size.
  void compute(const Image<float>& frame, double blur, std::span<float> out);

 private:
  void differentiate(int size);
  void measure();
  void share_values(std::span<float> out) const;

  int directions_;
  double power_;
  // Of each pixel: the smoothed frame, its gradient, the square and the power of that, p.
  std::vector<float> smooth_, right_, up_, square_, value_, place_;
};

}  // namespace leafglyph
