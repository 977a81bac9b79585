#include "classify/index/index_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::size_t labelled(std::span<const IndexHit> hits) {
  return static_cast<std::size_t>(
      std::ranges::count_if(hits, [](const IndexHit& hit) { return !hit.label.empty(); }));
}

// The nearest rows, as many as needed for `neighbours` of them to have a label.
std::vector<IndexHit> nearest_labelled(const FeatureIndex& index, std::span<const float> row,
                                       std::size_t neighbours) {
  const std::size_t most = std::min(index.size(), (kMostSkipped + 1) * neighbours);
  for (std::size_t count = std::min(neighbours, most);; count = std::min(2 * count, most)) {
    std::vector<IndexHit> hits = std::move(index.search(row, count).front());
    if (count == most || labelled(hits) >= neighbours) return hits;
  }
}

}  // namespace

IndexPrediction predict(const FeatureIndex& index, std::span<const float> row,
                        std::size_t neighbours) {
  const std::vector<IndexHit> hits = nearest_labelled(index, row, neighbours);
  if (labelled(hits) == 0) {
    throw InputError(
        fmt::format("none of the {} nearest rows of the index has a label; extract "
                    "its images with --labels, or from one folder per species",
                    hits.size()));
  }
  std::vector<std::string> names;
  std::vector<int> labels;
  std::vector<Neighbour> rows;
  for (const IndexHit& hit : hits) {
    if (hit.label.empty() || rows.size() == neighbours) continue;
    const auto at = std::ranges::find(names, hit.label);
    labels.push_back(static_cast<int>(at - names.begin()));
    if (at == names.end()) names.push_back(hit.label);
    rows.push_back({static_cast<std::int64_t>(rows.size()), hit.distance});
  }
  IndexPrediction prediction;
  prediction.voters = rows.size();
  prediction.decision = decide({{rows.front().distance, index.usual_distance()}});
  for (const RankedClass& ranked : rank_classes(rows, rows.size(), labels)) {
    prediction.ranking.push_back(
        {names[static_cast<std::size_t>(ranked.label)], ranked.voters, ranked.distance});
  }
  return prediction;
}

}  // namespace leafglyph
