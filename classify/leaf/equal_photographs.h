// Photographs that a data set contains more than once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// For each sample of the data set the first one with the same photograph: equal measures and equal
/// grey pixels. measures[i] is what the preparation of sample i measured; only photographs with
/// equal measures are read again, and an unreadable one equals no other.
std::vector<std::size_t> first_photographs(std::span<const LeafMeasures> measures,
                                           const LeafDataset& dataset);

/// Number of duplicated photographs, and two rows that share one of them.
struct SharedPhotographs {
  std::size_t count = 0;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Duplicates in different classes. `photographs` is the result of first_photographs.
SharedPhotographs photographs_of_two_classes(std::span<const std::size_t> photographs,
                                             std::span<const int> labels);
/// Duplicates in the training and the test part of a split.
SharedPhotographs photographs_of_both_parts(std::span<const std::size_t> photographs,
                                            std::span<const Split> splits);

/// If there are duplicated photographs, inserts a warning before all others. `where` says where
/// they are, such as "in two classes"; `names` are the names of the rows.
void warn_of_shared(const SharedPhotographs& shared, const std::string& where,
                    std::span<const std::string> names, std::vector<std::string>& warnings);

}  // namespace leafglyph
