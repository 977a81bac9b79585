// What is under the transparent pixels of a picture.
#pragma once

namespace leafglyph {

enum class Ground {
  kWhite,
  kContrast,  ///< black where the opaque pixels are lighter than the middle of the range, else
              ///< white
};

}  // namespace leafglyph
