// The hanzi of GB 2312-80 (rows 16 to 87) and their codes, to and from Unicode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leafglyph {

/// The code table of the 6,763 hanzi of GB 2312-80. A code is the 7-bit form that fonts with
/// GB2312.1980-0 encoding use: (row + 0x20) * 256 + position + 0x20, from 0x3021 to 0x777E; the
/// 8-bit form (EUC-CN) is that plus 0x8080.
class Gb2312 {
 public:
  static constexpr std::size_t kHanzi = 6763;
  static constexpr int kFirstRow = 16;
  static constexpr int kLastRow = 87;

  Gb2312();

  /// Every hanzi, in the order of the codes.
  std::u32string_view hanzi() const;
  /// Position of a character in hanzi(); empty if it is not one of them.
  std::optional<std::size_t> index(char32_t character) const;
  /// 7-bit code of a character; empty if it is not a hanzi of GB 2312.
  std::optional<std::uint16_t> code(char32_t character) const;
  /// Character of a 7-bit code; empty if the code has no hanzi.
  std::optional<char32_t> character(std::uint16_t code) const;

  /// Throws UsageError that names the character if it is not a hanzi of GB 2312.
  void require(char32_t character) const;

 private:
  std::vector<std::pair<char32_t, std::uint16_t>> by_character_;  // character and position, sorted
};

/// "0x3A2A"
std::string gb2312_code_name(std::uint16_t code);

}  // namespace leafglyph
