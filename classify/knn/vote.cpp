#include "classify/knn/vote.h"

#include <algorithm>
#include <string>

#include "features/base/names.h"

namespace leafglyph {
namespace {

struct Tally {
  RankedClass ranked;
  double votes = 0.0;
  double summed_distance = 0.0;
  std::size_t first = 0;  // position of the class's first row in the list
};

bool comes_before(const Tally& a, const Tally& b) {
  const bool a_voted = a.ranked.voters > 0;
  const bool b_voted = b.ranked.voters > 0;
  if (a_voted != b_voted) return a_voted;
  if (a_voted && a.votes != b.votes) return a.votes > b.votes;
  if (a_voted && a.summed_distance != b.summed_distance) {
    return a.summed_distance < b.summed_distance;
  }
  return a.first < b.first;
}

double vote_weight(Vote vote, float distance, bool exact_only) {
  if (vote == Vote::kMajority) return 1.0;
  if (exact_only) return distance == 0.0F ? 1.0 : 0.0;
  return 1.0 / static_cast<double>(distance);
}

constexpr Names<Vote, 2> kVotes = {
    "vote", {{{Vote::kMajority, "majority"}, {Vote::kDistance, "distance"}}}};

}  // namespace

std::string_view vote_name(Vote vote) { return name_of(kVotes, vote); }
Vote vote_from_name(std::string_view name) { return from_name(kVotes, name); }

std::vector<RankedClass> rank_classes(std::span<const Neighbour> nearest, std::size_t k, Vote vote,
                                      std::span<const int> row_labels) {
  std::vector<Tally> tallies;
  const bool exact_only = !nearest.empty() && nearest[0].distance == 0.0F;
  double total = 0.0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const int label = row_labels[static_cast<std::size_t>(nearest[i].row)];
    auto tally = std::find_if(tallies.begin(), tallies.end(),
                              [&](const Tally& t) { return t.ranked.label == label; });
    if (tally == tallies.end()) {
      tallies.push_back({{label, 0.0, nearest[i].distance, 0}, 0.0, 0.0, i});
      tally = tallies.end() - 1;
    }
    if (i >= k) continue;
    const double weight = vote_weight(vote, nearest[i].distance, exact_only);
    if (weight == 0.0) continue;
    tally->votes += weight;
    tally->summed_distance += nearest[i].distance;
    ++tally->ranked.voters;
    total += weight;
  }
  std::sort(tallies.begin(), tallies.end(), comes_before);
  std::vector<RankedClass> ranking;
  ranking.reserve(tallies.size());
  for (Tally& tally : tallies) {
    tally.ranked.score = tally.votes / total;
    ranking.push_back(tally.ranked);
  }
  return ranking;
}

}  // namespace leafglyph
