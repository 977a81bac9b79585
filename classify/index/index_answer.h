// The label of an image by those of the rows of an index that are nearest to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/index/feature_index.h"
#include "classify/knn/decision.h"
#include "classify/knn/vote.h"

namespace leafglyph {

struct IndexAnswer {
  struct Label {
    std::string name;
    int voters = 0;
    float distance = 0;  ///< of its nearest row
  };
  std::vector<Label> ranking;  ///< of all labels among the nearest rows, best first
  Decision decision;           ///< by the nearest of these rows and how far rows mostly are
  std::size_t voters = 0;      ///< rows that have a label
};

/// The vote of the `neighbours` nearest rows of the index that have a label (rank_classes);
/// `row` as a query of FeatureIndex::search. Rows without a label are skipped, up to
/// kMostSkipped * neighbours of them. Throws InputError when no row that was looked at has a label.
inline constexpr std::size_t kMostSkipped = 64;
IndexAnswer answer_of(const FeatureIndex& index, std::span<const float> row,
                      std::size_t neighbours);

}  // namespace leafglyph
