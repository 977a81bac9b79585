// Files of pairs of characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// A pair from a file, with its line number.
struct ListedPair {
  char32_t first = 0;
  char32_t second = 0;
  int line = 0;
  double weight = 1.0;
};

/// What could and what could not be read from a file of pairs. A line has two characters, which
/// may be codes (character_code.h) where blanks, a comma or a tab divide them, and then perhaps the
/// pair's weight, more than 0; empty lines and lines that begin with # are skipped. Every refused
/// line is a message that names file and line.
struct PairFile {
  std::vector<ListedPair> pairs;
  std::vector<std::string> refused;
};
PairFile parse_pairs(std::string_view text, const std::string& file);

}  // namespace leafglyph
