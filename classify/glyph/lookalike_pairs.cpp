#include "classify/glyph/lookalike_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
#include "features/base/foreign_text.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {

std::vector<ScoredPair> score_pairs(const LookalikeIndex& index,
                                    const std::vector<ListedPair>& pairs, std::size_t top) {
  std::u32string queries;
  for (const ListedPair& pair : pairs) {
    for (const char32_t character : {pair.first, pair.second}) {
      if (queries.find(character) == std::u32string::npos) queries.push_back(character);
    }
  }
  std::map<char32_t, std::vector<Lookalike>> answers;
  if (!queries.empty()) {
    const auto lists = index.similar(queries, top);
    for (std::size_t q = 0; q < queries.size(); ++q) answers[queries[q]] = lists[q];
  }
  const auto rank = [&](char32_t query, char32_t partner) {
    const auto& list = answers[query];
    const auto found = std::find_if(list.begin(), list.end(), [&](const Lookalike& answer) {
      return answer.character == partner;
    });
    return found == list.end() ? std::size_t{0}
                               : static_cast<std::size_t>(found - list.begin()) + 1;
  };
  std::vector<std::pair<char32_t, char32_t>> compared;
  compared.reserve(pairs.size());
  for (const ListedPair& pair : pairs) compared.emplace_back(pair.first, pair.second);
  const auto similarities = index.compare(compared);
  std::vector<ScoredPair> scored;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const char32_t first = pairs[k].first;
    const char32_t second = pairs[k].second;
    scored.push_back({pairs[k], similarities[k], rank(first, second), rank(second, first)});
  }
  return scored;
}

double share_within(const std::vector<ScoredPair>& pairs, std::size_t rank) {
  double found = 0.0;
  double all = 0.0;
  for (const ScoredPair& scored : pairs) {
    for (const std::size_t own : {scored.rank_of_second, scored.rank_of_first}) {
      if (own > 0 && own <= rank) found += scored.pair.weight;
      all += scored.pair.weight;
    }
  }
  return all > 0 ? found / all : 0.0;
}

namespace {

using CharacterPair = std::pair<char32_t, char32_t>;

// The pairs in which each character is among the look-alikes of the other, with the lower of their
// scores.
std::map<CharacterPair, double> mutual_pairs(std::u32string_view characters,
                                             const std::vector<std::vector<Lookalike>>& answers,
                                             double least_score) {
  std::map<CharacterPair, double> lower;
  std::map<CharacterPair, double> scores;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    for (const Lookalike& answer : answers[c]) {
      if (answer.score < least_score) break;  // scores only decrease
      const CharacterPair pair = std::minmax(characters[c], answer.character);
      const auto [known, is_first] = lower.emplace(pair, answer.score);
      if (is_first) continue;
      scores[pair] = std::min(known->second, answer.score);
    }
  }
  return scores;
}

}  // namespace

std::vector<LookalikeGroup> lookalike_groups(std::u32string_view characters,
                                             const std::vector<std::vector<Lookalike>>& answers,
                                             double least_score) {
  const auto scores = mutual_pairs(characters, answers, least_score);
  std::vector<std::pair<double, CharacterPair>> pairs;
  pairs.reserve(scores.size());
  for (const auto& [pair, score] : scores) pairs.emplace_back(-score, pair);
  std::sort(pairs.begin(), pairs.end());
  std::map<char32_t, std::size_t> group_of;
  std::vector<LookalikeGroup> groups;
  const auto own_group = [&](char32_t character) {
    const auto [at, is_new] = group_of.emplace(character, groups.size());
    if (is_new) groups.push_back({std::u32string(1, character), 1.0});
    return at->second;
  };
  for (const auto& [negative, pair] : pairs) {
    const std::size_t first = own_group(pair.first);
    const std::size_t second = own_group(pair.second);
    if (first == second) continue;
    double least = std::min(groups[first].score, groups[second].score);
    for (const char32_t a : groups[first].characters) {
      for (const char32_t b : groups[second].characters) {
        const auto known = scores.find(std::minmax(a, b));
        least = known == scores.end() ? -1.0 : std::min(least, known->second);
        if (least < 0) break;
      }
      if (least < 0) break;
    }
    if (least < 0) continue;
    for (const char32_t moved : groups[second].characters) group_of[moved] = first;
    groups[first].characters += groups[second].characters;
    groups[first].score = least;
    groups[second].characters.clear();
  }
  std::erase_if(groups, [](const LookalikeGroup& group) { return group.characters.size() < 2; });
  for (LookalikeGroup& group : groups) {
    std::sort(group.characters.begin(), group.characters.end());
  }
  std::sort(groups.begin(), groups.end(), [](const LookalikeGroup& a, const LookalikeGroup& b) {
    if (a.characters.size() != b.characters.size()) {
      return a.characters.size() > b.characters.size();
    }
    return a.score != b.score ? a.score > b.score : a.characters < b.characters;
  });
  return groups;
}

namespace {

// Between the characters of a row. Quotes are how spreadsheets write fields.
bool is_divider(char32_t c) {
  return std::u32string_view(U" \t,;:|\"\u3000\u3001\uFF0C\uFF1A\uFF1B").find(c) !=
         std::u32string_view::npos;
}

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
  const auto weight = number_in<double>(text);
  if (!weight || !(*weight > 0) || !std::isfinite(*weight)) {
    throw UsageError("'" + text + "' is not a weight; use a number of more than 0");
  }
  return *weight;
}

bool is_ascii(std::u32string_view part) {
  return std::ranges::all_of(part, [](char32_t c) { return c < 0x80; });
}

// The characters of a part: of a code, or those that stand beside each other.
std::u32string characters_of(const std::u32string& part) {
  const std::u32string found = characters_from(encode_utf8(part));
  if (found.size() > 1 && is_ascii(part)) return U"";  // a word
  return found;
}

struct Row {
  std::u32string characters;  // each once
  double weight = 1.0;
};

// Whether a part is not a character where others stand before it: in a row of Chinese characters
// that is all of ASCII but codes, and a number at the end is a weight.
bool is_no_character(const std::vector<std::u32string>& parts, std::size_t i) {
  if (i == 0 || !is_ascii(parts[i])) return false;
  const std::string text = encode_utf8(parts[i]);
  const bool is_code = character_from_code(text).has_value();
  const bool is_number = i + 1 == parts.size() && number_in<double>(text).has_value();
  if (!is_ascii(parts.front())) return !is_code || is_number;
  return i > 1 && is_number && !(is_code && parts.front().size() > 1);
}

// The number that a table gives a row.
bool is_row_number(const std::u32string& part) {
  return part.size() <= 3 && std::ranges::all_of(part, [](char32_t c) { return c - U'0' < 10; });
}

Row row_of(std::string_view line) {
  constexpr std::size_t kMostInRow = 32;
  std::vector<std::u32string> parts = parts_of(decode_utf8(line));
  if (parts.size() > 2 && is_row_number(parts.front()) && !is_ascii(parts[1])) {
    parts.erase(parts.begin());
  }
  Row row;
  std::size_t read = 0;
  for (; read < parts.size(); ++read) {
    const std::u32string& part = parts[read];
    if (is_no_character(parts, read)) break;
    const std::u32string found = characters_of(part);
    if (found.empty()) break;
    for (const char32_t c : found) {
      if (row.characters.find(c) == row.characters.npos) row.characters += c;
    }
  }
  const std::string text(line);
  if (row.characters.size() > kMostInRow) {
    throw UsageError("has " + std::to_string(row.characters.size()) +
                     " characters, more than a group of look-alikes");
  }
  if (row.characters.size() == 1 && read == parts.size() && !parts.empty() &&
      (read > 1 || parts.front().size() > 1) && !character_from_code(text)) {
    throw UsageError("'" + text + "' is the same character twice");
  }
  if (row.characters.size() < 2 || read + 1 < parts.size()) {
    throw UsageError("'" + text + "' is not a pair or a group of characters");
  }
  if (read < parts.size()) row.weight = weight_of(parts[read]);
  return row;
}

// Whether the first line names columns: by words that stand above others than of ASCII, or as
// Chinese tables do, with 字 at the end of one.
bool names_columns(std::string_view line, std::string_view next) {
  try {
    const std::vector<std::u32string> parts = parts_of(decode_utf8(line));
    const auto is_name = [](const std::u32string& part) {
      return part.size() > 1 && part.back() == U'\u5B57';
    };
    const auto is_word = [](const std::u32string& part) {
      return std::ranges::all_of(part, [](char32_t c) {
        return c == U'_' || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
      });
    };
    return parts.size() > 1 &&
           (std::ranges::any_of(parts, is_name) ||
            (std::ranges::all_of(parts, is_word) && !is_ascii(decode_utf8(next))));
  } catch (const UsageError&) {  // not UTF-8
    return false;
  }
}

}  // namespace

PairFile parse_pairs(std::string bytes, const std::string& file) {
  const ForeignText foreign = foreign_text(std::move(bytes), file);
  PairFile result{{}, {}, foreign.note};
  std::string_view text = foreign.text;
  bool is_first = true;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t,;") == std::string_view::npos || line.front() == '#') continue;
    const std::string_view next = text.substr(0, text.find('\n'));
    if (std::exchange(is_first, false) && names_columns(line, next)) continue;
    try {
      const Row row = row_of(line);
      for (std::size_t i = 0; i < row.characters.size(); ++i) {
        for (std::size_t j = i + 1; j < row.characters.size(); ++j) {
          result.pairs.push_back({row.characters[i], row.characters[j], number, row.weight});
        }
      }
    } catch (const UsageError& error) {
      result.refused.push_back(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  return result;
}

}  // namespace leafglyph
