// Nearest neighbours among the rows of a few groups: those that each query probes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classify/nearest/knn_index.h"

namespace leafglyph {

/// Groups of the rows of an index, and which queries are compared with each.
struct ProbedGroups {
  std::span<const std::uint32_t> of_rows;               ///< the group of each row
  std::span<const std::vector<std::uint32_t>> queries;  ///< of each group, ascending
};

/// The nearest rows of each query, at most known.k, among the rows of the groups that it probes, as
/// far as they are not farther than the last of its list in `known`. Shorter lists end with
/// kNoNeighbour. Distances are those of KnnIndex::search. Throws UsageError when queries, groups
/// and lists do not fit together, and what KnnIndex::search throws.
NeighbourLists search_groups(const KnnIndex& index, std::span<const float> queries,
                             const ProbedGroups& groups, const NeighbourLists& known);

}  // namespace leafglyph
