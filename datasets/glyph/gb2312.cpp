#include "datasets/glyph/gb2312.h"

#include <algorithm>
#include <cstdio>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr char32_t kTable[] =
#include "datasets/glyph/gb2312_hanzi.inc"
    ;
static_assert(std::size(kTable) == Gb2312::kHanzi + 1);

constexpr std::size_t kRowLength = 94;
// Row 55, the last of the first level, ends five positions early.
constexpr std::size_t kShortRow = 55 - Gb2312::kFirstRow;
constexpr std::size_t kShortRowLength = 89;
constexpr std::size_t kGap = kRowLength - kShortRowLength;
constexpr std::size_t kShortRowEnd = kShortRow * kRowLength + kShortRowLength;

}  // namespace

Gb2312::Gb2312() {
  by_character_.reserve(kHanzi);
  for (std::size_t i = 0; i < kHanzi; ++i) {
    by_character_.emplace_back(kTable[i], static_cast<std::uint16_t>(i));
  }
  std::sort(by_character_.begin(), by_character_.end());
}

std::u32string_view Gb2312::hanzi() const { return {kTable, kHanzi}; }

std::optional<std::size_t> Gb2312::index(char32_t character) const {
  const auto found = std::lower_bound(by_character_.begin(), by_character_.end(),
                                      std::pair<char32_t, std::uint16_t>{character, 0});
  if (found == by_character_.end() || found->first != character) return std::nullopt;
  return found->second;
}

std::optional<std::uint16_t> Gb2312::code(char32_t character) const {
  const auto place = index(character);
  if (!place) return std::nullopt;
  const std::size_t cell = *place < kShortRowEnd ? *place : *place + kGap;
  const std::size_t row = kFirstRow + cell / kRowLength;
  const std::size_t position = 1 + cell % kRowLength;
  return static_cast<std::uint16_t>((row + 0x20) * 256 + position + 0x20);
}

std::optional<char32_t> Gb2312::character(std::uint16_t code) const {
  const int row = (code >> 8) - 0x20;
  const int position = (code & 0xFF) - 0x20;
  if (row < kFirstRow || row > kLastRow || position < 1 ||
      position > static_cast<int>(kRowLength)) {
    return std::nullopt;
  }
  const auto line = static_cast<std::size_t>(row - kFirstRow);
  const auto column = static_cast<std::size_t>(position - 1);
  if (line == kShortRow && column >= kShortRowLength) return std::nullopt;
  const std::size_t cell = line * kRowLength + column;
  return kTable[line > kShortRow ? cell - kGap : cell];
}

void Gb2312::require(char32_t character) const {
  if (index(character)) return;
  throw UsageError(describe_character(character) +
                   " is not one of the 6,763 hanzi of GB 2312; give simplified Chinese characters");
}

std::string gb2312_code_name(std::uint16_t code) {
  char name[8];
  std::snprintf(name, sizeof name, "0x%04X", static_cast<unsigned>(code));
  return name;
}

}  // namespace leafglyph
