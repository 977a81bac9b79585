// Other descriptions of a character in its frame, beside direction moments.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "classify/character/character_rows.h"
#include "classify/character/character_spec.h"
#include "features/image/image.h"

namespace leafglyph {

/// A way from pictures of ink to rows.
struct CharacterPeer {
  std::string name;
  std::size_t columns = 0;
  CharacterFeatures features;  ///< their frame and views; of moments, all that they are
  std::function<std::vector<float>(std::size_t count,
                                   const std::function<Image<float>(std::size_t)>& ink,
                                   const FramesOf& frames)>
      rows;              ///< as rows_of
  int directions = 200;  ///< of the discriminant
};

/// "moments": those of configs/glyph.yaml; "hog": the mean in each of 8 x 8 cells of the eight
/// direction channels of the frame (512 numbers), with their square root as the power of the
/// gradient's size; "pixels": the frame at 16 x 16 pixels; "published":
/// configs/glyph_published.yaml. All but the last have the frame and the
/// views of configs/glyph.yaml.
std::vector<CharacterPeer> character_peers();

}  // namespace leafglyph
