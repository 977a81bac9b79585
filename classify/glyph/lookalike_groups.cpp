#include "classify/glyph/lookalike_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace leafglyph {
namespace {

using CharacterPair = std::pair<char32_t, char32_t>;

// The pairs that are among the answers of both, with their scores.
std::map<CharacterPair, double> mutual_pairs(std::u32string_view characters,
                                             const std::vector<std::vector<Lookalike>>& answers,
                                             double least_score) {
  std::map<CharacterPair, int> times;
  std::map<CharacterPair, double> scores;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    for (const Lookalike& answer : answers[c]) {
      if (answer.score < least_score) break;  // they fall
      const CharacterPair pair = std::minmax(characters[c], answer.character);
      if (++times[pair] == 2) scores[pair] = answer.score;
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

}  // namespace leafglyph
