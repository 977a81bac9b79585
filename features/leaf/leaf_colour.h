// The colours of a leaf in white light, independent of the light in which it was photographed.
#pragma once

#include <cstdint>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// a* and b* are divided by this, so that the planes have values as large as the other channels.
inline constexpr float kChromaticScale = 100;

/// The chromatic planes of CIE 1976 L*a*b* (CIE 15:2004), divided by kChromaticScale: `a` from
/// green (negative) to red, `b` from blue (negative) to yellow. Both are 0 for grey.
struct ChromaticPlanes {
  Image<float> a, b;
};

/// The planes of a whole photograph. Its values are interpreted as sRGB (IEC 61966-2-1) and
/// converted to linear light. Red, green and blue are each divided by the value of the paper at the
/// same place (light_around; von Kries 1902). The paper thereby becomes white, and a lamp's tint,
/// its fall-off and the exposure cancel, except where the camera clipped values. `foreground` is 1
/// on everything that is not paper. With `paper_is_white` false there is no division, because a
/// dark background does not show the light. Throws UsageError if the photograph has no colours or
/// the sizes differ.
ChromaticPlanes chromatic_planes(const Photograph& photograph,
                                 const Image<std::uint8_t>& foreground, bool paper_is_white);

/// Converts an sRGB value in 0..255 to linear light in 0..1, by IEC 61966-2-1.
double linear_light(double value);
/// The inverse of linear_light.
double encoded_light(double light);

}  // namespace leafglyph
