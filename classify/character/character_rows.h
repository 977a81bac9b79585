// From pictures of characters to rows of direction moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "features/glyph/direction_moments.h"

namespace leafglyph {

/// The frames in which a picture is compared, the usual one first. Styles put the same parts in
/// other proportions, so if features.bend > 0 there are also frames whose lines are not moved and
/// whose lines have equal density, and two whose middle is moved by it to either side.
std::vector<CharacterFrame> views_of(const CharacterFeatures& features);

/// A frame in which a damaged copy is learnt: if features.bend > 0 squaring, density and both bends
/// (up to it) are drawn at random, the same on every machine; otherwise the usual frame.
CharacterFrame drawn_frame(const CharacterFeatures& features, std::uint64_t seed);

/// The frames of picture i: as many for each picture.
using FramesOf = std::function<std::vector<CharacterFrame>(std::size_t i)>;

/// Rows of many pictures of ink on all threads: for each picture columns(features) numbers for each
/// of its frames; without `frames` for the usual one.
std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink,
                           const FramesOf& frames = {});
/// The same in all views_of(features).
std::vector<float> rows_of_views(const CharacterFeatures& features, std::size_t count,
                                 const std::function<Image<float>(std::size_t)>& ink);

}  // namespace leafglyph
