#include "datasets/glyph/unicode_blocks.h"

namespace leafglyph {
namespace {

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    letters.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
  }
  return letters;
}

// The first block that meets the condition.
template <class Condition>
std::optional<UnicodeBlock> find_block(const Condition& is_the_one) {
  std::string_view rest = unicode_block_names();
  while (!rest.empty()) {
    std::string_view line = take_field(rest, '\n');
    const auto first = static_cast<char32_t>(number_of(take_field(line, '\t'), 16));
    const auto last = static_cast<char32_t>(number_of(take_field(line, '\t'), 16));
    UnicodeBlock block{first, last, std::string(line)};
    if (is_the_one(block)) return block;
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnicodeBlock> unicode_block(std::string_view name) {
  return find_block([wanted = letters_of(name)](const UnicodeBlock& block) {
    return letters_of(block.name) == wanted;
  });
}

std::optional<UnicodeBlock> unicode_block_of(char32_t character) {
  return find_block([character](const UnicodeBlock& block) {
    return block.first <= character && character <= block.last;
  });
}

}  // namespace leafglyph
