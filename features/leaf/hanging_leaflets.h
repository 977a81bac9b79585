// Leaflets that hang on one stalk. Only for the files that prepare photographs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/part_kind.h"

namespace leafglyph {

/// The parts of `leaf`, followed by those in `others` that thin lines connect with them: stalks too
/// thin or too pale to be foreground. A line is darker than the paper beside it, or lighter if
/// `contrast` is negative, by a share of |contrast|, which is paper minus leaf in grey values.
std::vector<std::size_t> with_hanging_leaflets(const ForegroundParts& parts,
                                               std::vector<std::size_t> leaf,
                                               const std::vector<std::size_t>& others,
                                               const Image<std::uint8_t>& grey, double contrast);

/// The same for all leaves of a photograph: those that thin lines connect become parts of the first
/// of them. Parts that are not leaves stay as they are.
void join_hanging_leaflets(const ForegroundParts& parts, std::vector<PhotographPart>& found,
                           const Image<std::uint8_t>& grey, double contrast);

}  // namespace leafglyph
