// What both directions of the transform with polynomials on the fly have in common.
#pragma once

#include <algorithm>
#include <cstddef>

#include "features/base/aligned_vector.h"
#include "features/separable/degree_rotation.h"
#include "features/separable/disk_lines.h"
#include "features/separable/line_basis.h"
#include "features/separable/recurrence_kernels.h"

namespace leafglyph {

/// Lines, and nodes in their place if `may_merge` and there would be far fewer of them.
struct LineLayout {
  LineLayout(const DiskRule& rule, bool may_merge);

  bool merged;
  DiskLines lines;
  LineNodes nodes;
};

/// A layout of lines with the tables of its polynomials and of the rotations. Immutable.
struct RecurrenceTables : LineLayout {
  RecurrenceTables(const DiskRule& rule, bool may_merge);

  NodeWeights weights;
  LegendreScale legendre;
  LineBasis basis;
  LineGroups groups;
  DegreeRotation rotation;

  static double bytes(const LineLayout& layout);
};

/// What a group of lines carries for one block of k: [parity of y][line][k].
inline constexpr std::size_t kCarriedBlock = 2 * kGroupBlock;
/// Degrees that a thread takes at a time.
inline constexpr std::size_t kDegreesAtATime = 8;

/// `count` rounded up to a multiple of kRecurrenceBlock.
inline std::size_t padded_to_block(std::size_t count) {
  return (count + kRecurrenceBlock - 1) / kRecurrenceBlock * kRecurrenceBlock;
}

/// Four arrays of the same length.
class FoldedArrays {
 public:
  explicit FoldedArrays(std::size_t length)
      : length_(padded_to_block(length)), values_(4 * length_) {}

  double* array(std::size_t i) { return values_.data() + i * length_; }
  const double* array(std::size_t i) const { return values_.data() + i * length_; }
  FoldedValues<double> all() { return {array(0), array(1), array(2), array(3)}; }
  FoldedValues<const double> read_only() const { return {array(0), array(1), array(2), array(3)}; }

 private:
  std::size_t length_;
  AlignedVector<double> values_;
};

/// The state of the recurrences of some groups of lines in one block of k, kept between chunks of
/// j.
class GroupStates {
 public:
  GroupStates(const LineGroups& groups, std::size_t first, std::size_t count);

  /// Restarts the recurrences. Returns the number of groups that take part; these come first.
  std::size_t start(std::size_t block);
  const LineGroups::Group& group(std::size_t g) const { return groups_.groups()[first_ + g]; }
  /// `carried` points to what the group carries in this block.
  LineBlock block(std::size_t g, double* carried);

 private:
  const LineGroups& groups_;
  std::size_t first_;
  std::size_t count_;
  AlignedVector<double> values_;
};

/// Calls run(group, first j, last j) for every group with significant values in a block of k, one
/// chunk of j after the other. The slopes and sums of a chunk stay in the nearest cache.
template <class Run>
void for_chunks(const RecurrenceTables& tables, GroupStates& states, std::size_t block,
                const Run& run) {
  constexpr std::size_t kChunk = 64;
  const std::size_t active = states.start(block);
  const std::size_t steps = tables.basis.steps(block);
  for (std::size_t first = 0; first < steps; first += kChunk) {
    const std::size_t last = std::min(first + kChunk, steps);
    for (std::size_t g = 0; g < active; ++g) {
      const std::size_t start = tables.groups.start(states.group(g), block).j;
      if (start < last) run(g, std::max(first, start), last);
    }
  }
}

}  // namespace leafglyph
