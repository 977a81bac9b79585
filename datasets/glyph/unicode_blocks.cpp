#include "datasets/glyph/unicode_blocks.h"

#include <charconv>

#include "datasets/glyph/tab_fields.h"
#include "datasets/glyph/unicode_tables.h"

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

}  // namespace

std::optional<UnicodeBlock> unicode_block(std::string_view name) {
  const std::string wanted = letters_of(name);
  std::string_view rest = unicode_block_names();
  while (!rest.empty()) {
    std::string_view line = take_field(rest, '\n');
    const auto first = static_cast<char32_t>(number_of(take_field(line, '\t'), 16));
    const auto last = static_cast<char32_t>(number_of(take_field(line, '\t'), 16));
    if (letters_of(line) == wanted) return UnicodeBlock{first, last, std::string(line)};
  }
  return std::nullopt;
}

}  // namespace leafglyph
