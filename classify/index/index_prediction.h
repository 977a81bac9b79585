// Predicts the label of an image by a vote of the nearest rows of an index.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/decision.h"
#include "classify/index/feature_index.h"
#include "classify/nearest/vote.h"

namespace leafglyph {

struct IndexPrediction {
  struct Label {
    std::string name;
    int voters = 0;
    float distance = 0;  ///< from its nearest row
  };
  std::vector<Label> ranking;  ///< of all labels among the nearest rows, best first
  Decision decision;           ///< from the distance of the nearest row and the usual distance
  std::size_t voters = 0;      ///< number of rows with a label
};

/// The vote of the `neighbours` nearest labelled rows of the index (rank_classes). `row` is a query
/// for FeatureIndex::search. Skips up to kMostSkipped * neighbours rows without a label. Throws
/// InputError when none of the rows searched has a label.
inline constexpr std::size_t kMostSkipped = 64;
IndexPrediction predict(const FeatureIndex& index, std::span<const float> row,
                        std::size_t neighbours);

}  // namespace leafglyph
