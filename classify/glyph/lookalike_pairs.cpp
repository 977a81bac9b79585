#include "classify/glyph/lookalike_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
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
  const auto weight = number_in<double>(text);
  if (!weight || !(*weight > 0) || !std::isfinite(*weight)) {
    throw UsageError("'" + text + "' is not a weight; use a number of more than 0");
  }
  return *weight;
}

ListedPair pair_of(std::string_view line, int number) {
  std::vector<std::u32string> parts = parts_of(decode_utf8(line));
  if (!parts.empty() && parts.front().size() == 2) {  // not separated
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
    throw UsageError("'" + std::string(line) + "' is the same character twice");
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
