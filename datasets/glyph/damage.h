// Poor prints of characters: for training, and for tests of recognition.
#pragma once

#include <cstdint>

#include "features/base/names.h"
#include "features/image/image.h"

namespace leafglyph {

/// What a picture of a character suffers. A unit is an eightieth of the picture's longer side, and
/// the box of the character is about 60 units wide.
enum class Damage {
  kTilt,   ///< turned by up to 6 degrees either way
  kSmall,  ///< 24 pixels on the longer side, blurred by half of one, with noise of 0.08
  kBlur,   ///< a Gaussian of 2 units
  kThin,   ///< strokes thinner by about a unit
  kBold,   ///< strokes bolder by about a unit
  kFax,    ///< noise that a threshold keeps: ragged edges and specks
  kWarp,   ///< smooth random displacement of 2 units
};
template <>
inline constexpr Names<Damage, 7> kNamesOf<Damage> = {"damage",
                                                      {{{Damage::kTilt, "tilt"},
                                                        {Damage::kSmall, "small"},
                                                        {Damage::kBlur, "blur"},
                                                        {Damage::kThin, "thin"},
                                                        {Damage::kBold, "bold"},
                                                        {Damage::kFax, "fax"},
                                                        {Damage::kWarp, "warp"}}}};

/// The ink of a character (0 paper, 1 stroke; beyond the picture there is paper) after one damage,
/// of the same size, from 0 to 1. The same seed gives the same picture on every machine.
Image<float> damaged(const Image<float>& ink, Damage damage, std::uint64_t seed);

/// The ink after several damages of random strength, or none. In this order: tilt with shear and
/// stretch (in 6 of 10 pictures), thin or bold (5), warp of whole parts (5) and of
/// strokes (3), small (5) or else blur (2), fax (3).
Image<float> damaged(const Image<float>& ink, std::uint64_t seed);

}  // namespace leafglyph
