// Photographs that a data set holds more than once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// For each sample of the data set the first one with the same photograph: with equal measures and
/// equal grey pixels. measures[i] is what the preparation of sample i found; only photographs of
/// equal measures are read again, and one that cannot be read is like no other.
std::vector<std::size_t> first_photographs(std::span<const LeafMeasures> measures,
                                           const LeafDataset& dataset);

/// How many photographs are where only one of them should be, and a pair of rows of one.
struct SharedPhotographs {
  std::size_t count = 0;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Those with rows of different classes. `photographs` is what first_photographs gives.
SharedPhotographs photographs_of_two_classes(std::span<const std::size_t> photographs,
                                             std::span<const int> labels);
/// Those with a row to train and another to test in the same split.
SharedPhotographs photographs_of_both_parts(std::span<const std::size_t> photographs,
                                            std::span<const Split> splits);

/// Puts a line before the others about photographs that stand `where` only one of them should;
/// none where there are none. `names` are those of the rows.
void warn_of_shared(const SharedPhotographs& shared, const std::string& where,
                    std::span<const std::string> names, std::vector<std::string>& warnings);

}  // namespace leafglyph
