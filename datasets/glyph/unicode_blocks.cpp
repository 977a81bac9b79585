#include "datasets/glyph/unicode_blocks.h"

#include <unordered_map>

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

std::unordered_map<char32_t, char32_t> parse_equivalents() {
  std::unordered_map<char32_t, char32_t> parsed;
  std::string_view rest = unicode_equivalents();
  while (!rest.empty()) {
    std::string_view line = take_field(rest, '\n');
    const char32_t character = number_of(take_field(line, '\t'), 16);
    parsed.emplace(character, number_of(line, 16));
  }
  return parsed;
}

}  // namespace

char32_t unified(char32_t character) {
  static const std::unordered_map<char32_t, char32_t> equivalents = parse_equivalents();
  const auto found = equivalents.find(character);
  return found == equivalents.end() ? character : found->second;
}

bool is_variation_selector(char32_t character) {
  return (character >= 0xFE00 && character <= 0xFE0F) ||
         (character >= 0xE0100 && character <= 0xE01EF);
}

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
