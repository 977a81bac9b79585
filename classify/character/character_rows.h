// From pictures of characters to rows of direction moments.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "features/glyph/direction_moments.h"

namespace leafglyph {

/// Rows of many pictures of ink, each in its frame, on all threads: columns(features) numbers each.
std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink);

}  // namespace leafglyph
