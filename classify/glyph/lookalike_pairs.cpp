#include "classify/glyph/lookalike_pairs.h"

#include <algorithm>
#include <map>
#include <utility>

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

}  // namespace leafglyph
