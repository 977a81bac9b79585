// From a query's neighbours to a ranking of classes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/nearest/knn_index.h"

namespace leafglyph {

/// A class in a prediction.
struct RankedClass {
  int label = 0;
  double score = 0;    ///< its share of the vote, 0..1; Prediction::ranking may have another
  float distance = 0;  ///< from its nearest row
  int voters = 0;      ///< its rows among the k nearest
  friend bool operator==(const RankedClass&, const RankedClass&) = default;
};

/// The classes of `nearest`, which is ordered like NeighbourLists and at least k long. First come
/// the classes that the k nearest rows vote for, one vote each, and then, by distance, those that
/// appear later in the list. Among classes with equally many votes, the one whose voters have the
/// smaller sum of distances comes first, then the one with the nearer first voter (the lower row if
/// these are equally near). Row i has class row_labels[i].
std::vector<RankedClass> rank_classes(std::span<const Neighbour> nearest, std::size_t k,
                                      std::span<const int> row_labels);

}  // namespace leafglyph
