#include "classify/glyph/pair_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

bool is_divider(char32_t c) { return c == U' ' || c == U'\t' || c == U',' || c == 0x3000; }

std::vector<std::u32string> parts_of(std::u32string_view line) {
  std::vector<std::u32string> parts;
  bool inside = false;
  for (const char32_t c : line) {
    if (is_divider(c)) {
      inside = false;
    } else if (inside) {
      parts.back().push_back(c);
    } else {
      parts.emplace_back(1, c);
      inside = true;
    }
  }
  return parts;
}

double weight_of(const std::u32string& part) {
  const std::string text = encode_utf8(part);
  double weight = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() || !(weight > 0) ||
      !std::isfinite(weight)) {
    throw UsageError("'" + std::string(text) + "' is no weight; use a number of more than 0");
  }
  return weight;
}

ListedPair pair_of(std::string_view line, int number) {
  std::vector<std::u32string> parts = parts_of(decode_utf8(line));
  if (!parts.empty() && parts.front().size() == 2) {  // both in one
    parts.insert(parts.begin() + 1, parts.front().substr(1));
    parts.front().resize(1);
  }
  ListedPair pair{0, 0, number};
  if (parts.size() < 2 || parts.size() > 3) {
    throw UsageError("'" + std::string(line) + "' is not a pair of two characters");
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const std::u32string found = characters_from(encode_utf8(parts[k]));
    if (found.size() != 1) {
      throw UsageError("'" + std::string(line) + "' is not a pair of two characters");
    }
    (k == 0 ? pair.first : pair.second) = found.front();
  }
  if (pair.first == pair.second) {
    throw UsageError("'" + std::string(line) + "' is one character twice");
  }
  if (parts.size() == 3) pair.weight = weight_of(parts[2]);
  return pair;
}

}  // namespace

PairFile parse_pairs(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  PairFile result;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t,") == std::string_view::npos || line.front() == '#') continue;
    try {
      result.pairs.push_back(pair_of(line, number));
    } catch (const UsageError& error) {
      result.refused.push_back(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  return result;
}

}  // namespace leafglyph
