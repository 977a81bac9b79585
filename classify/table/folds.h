// Splits into training and test rows: stratified folds, and random draws that protocols share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace leafglyph {

/// Positions in the data set; disjoint and each in ascending order.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
  std::vector<std::size_t> unknown = {};  ///< every eligible leaf of the classes held back
  friend bool operator==(const Split&, const Split&) = default;
};

/// `folds` splits that together test each row once, with the classes spread evenly. A class with
/// fewer rows than folds is tested in only some of them. The same seed and repeat give the same
/// folds on every machine.
std::vector<Split> stratified_folds(std::span<const int> labels, int folds, std::uint64_t seed,
                                    int repeat = 0);

/// `groups` splits, each of which tests the rows of every `groups`-th class and trains on the other
/// classes, so that no test row belongs to a training class.
std::vector<Split> class_folds(std::span<const int> labels, int groups);

/// The rows of each class, in order.
using RowsByClass = std::map<int, std::vector<std::size_t>>;
RowsByClass rows_by_class(std::span<const int> labels);

/// The classes of rows.
struct RowClasses {
  std::map<int, std::size_t> counts;   ///< rows of each class, by label
  std::vector<std::uint32_t> of_rows;  ///< as an index among the ascending labels
};
RowClasses classes_of(std::span<const int> labels);

/// A generator for repeat `repeat`, independent of those of other seeds and repeats.
std::mt19937_64 generator_for(std::uint64_t seed, int repeat);

/// Shuffles in the same way on every machine, unlike std::shuffle.
void shuffle_rows(std::vector<std::size_t>& rows, std::mt19937_64& generator);

/// Sorts the positions of a split.
void sort_split(Split& split);

}  // namespace leafglyph
