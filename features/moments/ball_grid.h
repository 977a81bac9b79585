// The voxels of a volume in the unit ball, by lines along x. Everything is whole numbers: in units
// of 1 / N, N the longest axis, voxel i of an axis of length L is at 2 i + 1 - L.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// One axis, folded at its middle: position h stands for the voxels at +coordinate(h) and
/// -coordinate(h), which are one voxel if that is 0.
struct FoldedAxis {
  explicit FoldedAxis(int axis_length) : length(axis_length) {}
  int count() const { return (length + 1) / 2; }
  std::int64_t coordinate(int h) const { return 2 * h + 1 - length % 2; }
  /// The voxel numbers at +coordinate(h) and -coordinate(h), the axis running upwards.
  int above(int h) const { return length / 2 + h; }
  int below(int h) const { return (length - 1) / 2 - h; }

  int length;
};

/// A line of the quadrant y >= 0, z >= 0 that has voxels in the ball.
struct BallLine {
  int y = 0;          ///< position on the folded axis
  int z = 0;          ///< the same
  int voxels = 0;     ///< positions of x, from 0, whose voxels are in the ball
  double radius = 0;  ///< sqrt(1 - y^2 - z^2)
};

/// A voxel counts if its centre is in the ball or on it. Immutable.
class BallGrid {
 public:
  /// `size` is that of a volume.
  explicit BallGrid(const ArraySize& size);

  int side() const { return side_; }  ///< N
  const FoldedAxis& x() const { return x_; }
  const FoldedAxis& y() const { return y_; }  ///< running up: row j is voxel height - 1 - j
  const FoldedAxis& z() const { return z_; }

  /// Lines by z, then by y. Those of one z are y = 0, 1, ...
  const std::vector<BallLine>& lines() const { return lines_; }
  /// The first line of position z; one beyond the last position: their number.
  std::size_t first_line(int z) const { return first_[static_cast<std::size_t>(z)]; }
  std::size_t lines_of(int z) const { return first_line(z + 1) - first_line(z); }

  /// sqrt(1 - z^2) of position z.
  double slice_radius(int z) const;

  /// Whether a voxel counts, by its number (slice, row, column).
  bool contains(std::size_t voxel) const;

 private:
  ArraySize size_;
  int side_;
  FoldedAxis x_, y_, z_;
  std::vector<BallLine> lines_;
  std::vector<std::size_t> first_;
};

}  // namespace leafglyph
