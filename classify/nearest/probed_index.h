// Nearest neighbours among the rows of many classes: those of the classes with the nearest means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "classify/nearest/knn_index.h"
#include "features/base/npy.h"

namespace leafglyph {

/// More classes than any set has that models were compared on; and as many as are searched before
/// that takes longer than seeking the nearest means.
inline constexpr std::size_t kProbedClasses = 64, kSearchedClasses = 256;

/// `count` rows of length 1 in half precision from number `first` on: where they lie, or read to
/// `copy`. Rows stand class by class, those of a class in their own order; component j of row i of
/// them at [i * dimension + j]. May throw FormatError.
using HalfRows = std::function<std::span<const Half>(std::size_t first, std::size_t count,
                                                     std::vector<Half>& copy)>;

/// Puts rows in the order of HalfRows.
class HalfRowsMaker {
 public:
  /// classes[i] is the class of row i, counted from 0.
  HalfRowsMaker(std::span<const std::uint32_t> classes, std::size_t dimension);

  /// Adds the next rows, which are normalised first. Throws what KnnIndex::add throws.
  void add(std::span<const float> rows);
  /// The rows, once all were added.
  HalfRows finish();

 private:
  std::span<const std::uint32_t> classes_;
  KnnIndex metric_;                // without rows
  std::vector<std::size_t> next_;  // place of the next row of each class
  std::vector<Half> values_;
  std::size_t added_ = 0;
};

/// Compares a query with the rows of kProbedClasses classes, those with the nearest means, or of
/// more until these have k rows; by the cosine, exactly.
class ProbedIndex {
 public:
  /// classes[i] is the class of row i. `means` has the mean of each class in the space of the rows
  /// before these were normalised, one after another.
  ProbedIndex(std::span<const std::uint32_t> classes, std::span<const float> means,
              std::size_t dimension, HalfRows rows);

  std::size_t dimension() const { return means_.dimension(); }
  std::size_t size() const { return order_.size(); }

  struct Found {
    NeighbourLists nearest;  ///< as those of KnnIndex::search
    /// For each query the nearest rows of the classes with the nearest means, one of each, nearest
    /// first.
    std::vector<std::vector<Neighbour>> of_classes;
  };
  /// The k nearest rows of each query, and the nearest rows of at least `classes` classes (or all).
  /// A query's result is the same however many others there are. Throws what KnnIndex::search and
  /// the reading of rows throw.
  Found search(std::span<const float> queries, std::size_t k, std::size_t classes = 1) const;

  /// Every row, in the order of HalfRows: where they lie, or read to `copy`.
  std::span<const Half> rows(std::vector<Half>& copy) const { return rows_(0, size(), copy); }

 private:
  std::size_t classes_with(std::size_t rows) const;
  void compare(std::span<const float> query, std::uint32_t of_class,
               std::vector<Neighbour>& compared) const;

  KnnIndex means_;
  HalfRows rows_;
  std::vector<std::uint32_t> order_;  // the row at each place
  std::vector<std::size_t> starts_;   // first place of each class, and the end
};

}  // namespace leafglyph
