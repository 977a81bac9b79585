// Finds the parts of a sheet: a photograph with several leaves, labels, rulers or stems.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/part_kind.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// Which leaflets belong to their leaves.
enum class Leaflets {
  kNone,
  kNear,     ///< leaflets_of
  kHanging,  ///< those, and join_hanging_leaflets
};

/// A photograph with several parts.
struct Sheet {
  Image<std::uint8_t> mask;  ///< 1 where the photograph differs from its background
  ForegroundParts parts;     ///< of the mask
  /// At least two, one of them a leaf. Leaves have masks, which include leaflets.
  std::vector<PhotographPart> found;
};

/// Compares each pixel with the background around it, in brightness and colour at once, so that
/// pale leaves are found beside dark ones. Returns nullopt if there are not several parts, or the
/// background is not as `background` states: a photograph of one leaf is segmented by one
/// threshold.
std::optional<Sheet> find_sheet(const Photograph& photograph, Background background,
                                Leaflets leaflets);

}  // namespace leafglyph
