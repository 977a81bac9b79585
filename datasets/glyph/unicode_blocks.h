// Blocks of Unicode by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

struct UnicodeBlock {
  char32_t first;
  char32_t last;
  std::string name;
};

/// The block of that name, whose case, blanks, hyphens and underscores do not count.
std::optional<UnicodeBlock> unicode_block(std::string_view name);

/// The block that a character is in.
std::optional<UnicodeBlock> unicode_block_of(char32_t character);

}  // namespace leafglyph
