// Characters that are the same picture.
#pragma once

#include <string>

namespace leafglyph {

/// The characters with the shape of this one, itself among them; the most common in Chinese text
/// first. A picture of a single one does not say which it is: 口 and ロ differ in nothing, C and c,
/// つ and っ in their size alone. Itself alone if there is no other.
std::u32string same_shape(char32_t character);

}  // namespace leafglyph
