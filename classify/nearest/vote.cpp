#include "classify/nearest/vote.h"

#include <algorithm>
namespace leafglyph {
namespace {

struct Tally {
  RankedClass ranked;
  double summed_distance = 0.0;
  std::size_t first = 0;  // position of the class's first row in the list
};

bool comes_before(const Tally& a, const Tally& b) {
  const bool a_voted = a.ranked.voters > 0;
  const bool b_voted = b.ranked.voters > 0;
  if (a_voted != b_voted) return a_voted;
  if (a.ranked.voters != b.ranked.voters) return a.ranked.voters > b.ranked.voters;
  if (a_voted && a.summed_distance != b.summed_distance) {
    return a.summed_distance < b.summed_distance;
  }
  return a.first < b.first;
}

}  // namespace

std::vector<RankedClass> rank_classes(std::span<const Neighbour> nearest, std::size_t k,
                                      std::span<const int> row_labels) {
  std::vector<Tally> tallies;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const int label = row_labels[static_cast<std::size_t>(nearest[i].row)];
    auto tally = std::find_if(tallies.begin(), tallies.end(),
                              [&](const Tally& t) { return t.ranked.label == label; });
    if (tally == tallies.end()) {
      tallies.push_back({{label, 0.0, nearest[i].distance, 0}, 0.0, i});
      tally = tallies.end() - 1;
    }
    if (i >= k) continue;
    tally->summed_distance += nearest[i].distance;
    ++tally->ranked.voters;
  }
  std::sort(tallies.begin(), tallies.end(), comes_before);
  std::vector<RankedClass> ranking;
  ranking.reserve(tallies.size());
  for (Tally& tally : tallies) {
    tally.ranked.score = static_cast<double>(tally.ranked.voters) / static_cast<double>(k);
    ranking.push_back(tally.ranked);
  }
  return ranking;
}

}  // namespace leafglyph
