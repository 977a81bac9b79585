#include "classify/glyph/lookalike_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "datasets/glyph/gb2312.h"
#include "features/base/errors.h"
#include "features/base/utf8.h"

namespace leafglyph {

PairFile parse_pairs(std::string_view text, const std::string& file) {
  const Gb2312 table;
  PairFile result;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    try {
      const std::u32string pair = decode_utf8(line);
      if (pair.size() != 2) {
        throw UsageError("'" + std::string(line) + "' is not a pair of two characters");
      }
      for (const char32_t character : pair) table.require(character);
      result.pairs.push_back({pair[0], pair[1], number});
    } catch (const UsageError& error) {
      result.refused.push_back(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  return result;
}

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
    const auto [first, second, line] = pairs[k];
    scored.push_back({pairs[k], similarities[k], rank(first, second), rank(second, first)});
  }
  return scored;
}

double share_within(const std::vector<ScoredPair>& pairs, std::size_t rank) {
  std::size_t found = 0;
  for (const ScoredPair& scored : pairs) {
    found += scored.rank_of_second > 0 && scored.rank_of_second <= rank;
    found += scored.rank_of_first > 0 && scored.rank_of_first <= rank;
  }
  return pairs.empty() ? 0.0
                       : static_cast<double>(found) / (2.0 * static_cast<double>(pairs.size()));
}

}  // namespace leafglyph
