// What both directions of the transform with polynomials made on the fly need.
#pragma once

#include <algorithm>
#include <cstddef>

#include "features/separable/aligned_vector.h"
#include "features/separable/degree_rotation.h"
#include "features/separable/disk_lines.h"
#include "features/separable/line_basis.h"
#include "features/separable/recurrence_kernels.h"

namespace leafglyph {

/// Lines, and nodes in place of them where `may_merge` and there would be many fewer.
struct LineLayout {
  LineLayout(const DiskRule& rule, bool may_merge);

  bool merged;
  DiskLines lines;
  LineNodes nodes;
};

/// A layout of lines, their polynomials, the rotations. Immutable.
struct RecurrenceTables : LineLayout {
  RecurrenceTables(const DiskRule& rule, bool may_merge);

  LegendreScale legendre;
  LineBasis basis;
  LineGroups groups;
  DegreeRotation rotation;

  static double bytes(const LineLayout& layout);
};

/// What a group of lines carries for one block of k: [parity of y][line][k].
inline constexpr std::size_t kCarriedBlock = 2 * kGroupBlock;
/// Degrees that a thread takes together.
inline constexpr std::size_t kDegreesAtATime = 8;

/// The next multiple of kRecurrenceBlock.
inline std::size_t padded_to_block(std::size_t count) {
  return (count + kRecurrenceBlock - 1) / kRecurrenceBlock * kRecurrenceBlock;
}

/// Four arrays of one length.
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

/// The recurrences of some groups of lines in one block of k, taken up in every chunk of j.
class GroupStates {
 public:
  GroupStates(const LineGroups& groups, std::size_t first, std::size_t count);

  /// Starts anew; returns the number of groups that take part, which are the first ones.
  std::size_t start(std::size_t block);
  const LineGroups::Group& group(std::size_t g) const { return groups_.groups()[first_ + g]; }
  /// `carried` is what the group carries.
  LineBlock block(std::size_t g, double* carried);

 private:
  const LineGroups& groups_;
  std::size_t first_;
  std::size_t count_;
  AlignedVector<double> values_;
};

/// run(group, first j, last j) for every group that shows in a block of k, chunk of j by chunk of
/// j: a chunk's slopes and sums stay in the nearest cache.
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
