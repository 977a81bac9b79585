// Texts from the Unicode character database, made at build time (make_unicode_tables.py).
#pragma once

#include <string_view>

namespace leafglyph {

/// A line for each Chinese character of which Unihan knows a reading, a meaning or a variant, by
/// rising code, its fields divided by tabs: code in hexadecimal; readings such as "le5 liao3",
/// tone 5 being the neutral one; strokes; radical of KangXi; occurrences counted; place in the
/// Chinese list of 8,105 characters for general use, 0 for none; simplified, traditional and other
/// variants; meaning in English. Missing numbers are 0.
std::string_view unicode_characters();

/// A line for each block: first and last code in hexadecimal, name.
std::string_view unicode_block_names();

}  // namespace leafglyph
