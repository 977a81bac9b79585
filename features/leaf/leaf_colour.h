// Colours of a leaf as they are in white light, whatever light it was photographed in.
#pragma once

#include <cstdint>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// What a* and b* are divided by, so that the planes are of the size of the other channels' values.
inline constexpr float kChromaticScale = 100;

/// The chromatic planes of CIE 1976 L*a*b* (CIE 15:2004), divided by kChromaticScale: `a` from
/// green (below 0) to red, `b` from blue (below 0) to yellow; both 0 for what is grey.
struct ChromaticPlanes {
  Image<float> a, b;
};

/// The planes of a whole photograph. Its values are taken for sRGB (IEC 61966-2-1), made linear in
/// the light, and divided, red, green and blue each by itself, by those of the paper at the same
/// place (light_around; von Kries 1902): the paper is white, and a lamp's tint, its fall-off and
/// the exposure cancel, but for what the camera clipped. `foreground` is 1 on all that is not
/// paper. With `paper_is_white` false nothing is divided: a dark background does not show the
/// light. Throws UsageError when the photograph has no colours or the sizes differ.
ChromaticPlanes chromatic_planes(const Photograph& photograph,
                                 const Image<std::uint8_t>& foreground, bool paper_is_white);

/// The linear light of an sRGB value: 0..255 to 0..1, by IEC 61966-2-1.
double linear_light(double value);
/// The inverse.
double encoded_light(double light);

}  // namespace leafglyph
