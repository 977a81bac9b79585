// The label of an image by those of the rows of an index that are nearest to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/index/feature_index.h"
#include "classify/knn/vote.h"

namespace leafglyph {

struct IndexAnswer {
  struct Label {
    std::string name;
    int voters = 0;
    float distance = 0;  ///< of its nearest row
  };
  std::vector<Label> ranking;  ///< of all labels among the nearest rows, best first
  bool known = true;           ///< the nearest row is no farther than rows mostly are
};

/// The vote of the rows, nearest first, each of which has a label: by Vote::kMajority. `usual` is
/// FeatureIndex::usual_distance. Throws InputError for a row without a label.
IndexAnswer answer_of(std::span<const IndexHit> nearest, double usual);

}  // namespace leafglyph
