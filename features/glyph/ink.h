// From the picture of one character to its ink: how much of each pixel is stroke.
#pragma once

#include <array>
#include <cstdint>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// How many pixels have each of the values 0 to 255.
using GreyCounts = std::array<std::uint64_t, 256>;

/// Two groups of pixels: the values <= threshold and those above it.
struct OtsuGroups {
  int threshold = 0;
  /// The variance between the groups as a share of all variance: 1 if each has one value, 0.64 for
  /// a normal distribution.
  double separation = 0;
};

/// The threshold that maximises the variance between the groups (Otsu, A threshold selection method
/// from gray-level histograms, IEEE Trans. SMC 9, 1979). Where no pixel has the values between two
/// groups, all thresholds there are as good, and it is the middle one. 0 and 0 if the pixels have
/// one value.
OtsuGroups otsu_groups(const GreyCounts& counts);

/// The ink of a picture of one character, of the size of the picture: 0 is paper, 1 is stroke.
/// Meant for 16 to 2,000 pixels per side, dark strokes on light paper or light on dark, any margin.
///
/// - Strokes are the darker or the lighter of two groups of pixels (Otsu): those of which there are
///   fewer at the border, unless they are much thicker than the others. So the frame of a tightly
///   cropped 口 is not taken for paper.
/// - Paper has the median of the border's pixels that are not strokes; of all pixels that are not,
///   where strokes take a quarter of the border. Its standard deviation s is measured towards the
///   strokes, where there are none within two pixels (0 if there is hardly such paper).
/// - The level c of the strokes is the deviation that the darkest 2 % of them exceed; t is Otsu's
///   threshold of the deviations, where pixels within 4 s of the paper count at most four times as
///   much as all others, so that the margin does not matter.
/// - Ink rises from 0 at the smaller of 2.5 s and t / 2 to 1 at the smaller of c - 2 s and 1.8 t,
///   and not below t. So on clean paper it is nearly the share of a pixel that the stroke covers; a
///   steeper threshold would move the edges of small characters by a part of a pixel.
///
/// Throws InputError, without a name, for a picture without pixels or with nothing in it: of one
/// grey value, of a contrast below 12 grey values, or of noise.
Image<float> ink_of(const Image<std::uint8_t>& grey);

/// The same for a picture that may have colours. They are projected on the line along which they
/// vary most (the first principal component in red, green and blue), because strokes and paper may
/// have the same grey value: blue on black, red on green.
Image<float> ink_of(const Photograph& picture);

}  // namespace leafglyph
