#include "classify/index/index_answer.h"

#include <algorithm>

#include "features/base/errors.h"

namespace leafglyph {

IndexAnswer answer_of(std::span<const IndexHit> nearest, double usual) {
  std::vector<std::string> names;
  std::vector<int> labels;
  std::vector<Neighbour> rows;
  for (const IndexHit& hit : nearest) {
    if (hit.label.empty()) {
      throw InputError(hit.path +
                       " has no label in the index's store; extract it with --labels, "
                       "or from folders that are named by their species");
    }
    const auto at = std::ranges::find(names, hit.label);
    labels.push_back(static_cast<int>(at - names.begin()));
    if (at == names.end()) names.push_back(hit.label);
    rows.push_back({static_cast<std::int64_t>(rows.size()), hit.distance});
  }
  IndexAnswer answer;
  answer.known = !nearest.empty() && nearest.front().distance <= usual;
  for (const RankedClass& ranked : rank_classes(rows, rows.size(), Vote::kMajority, labels)) {
    answer.ranking.push_back(
        {names[static_cast<std::size_t>(ranked.label)], ranked.voters, ranked.distance});
  }
  return answer;
}

}  // namespace leafglyph
