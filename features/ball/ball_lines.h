// Where the voxels of a line and of its mirror images are.
#pragma once

#include <array>
#include <cstddef>

#include "features/moments/ball_grid.h"

namespace leafglyph {

/// The voxels of a line at (y, z), (y, -z), (-y, z) and (-y, -z), each to the right and to the left
/// of x = 0.
struct FoldedLine {
  FoldedLine(const BallGrid& grid, const ArraySize& size, const BallLine& line)
      : voxels(static_cast<std::size_t>(line.voxels)),
        x_middle(grid.x().coordinate(0) == 0),
        y_middle(grid.y().coordinate(line.y) == 0),
        z_middle(grid.z().coordinate(line.z) == 0) {
    const auto at = [&size](int slice, int up, int column) {
      const int row = size.height - 1 - up;
      return (static_cast<std::size_t>(slice) * static_cast<std::size_t>(size.height) +
              static_cast<std::size_t>(row)) *
                 static_cast<std::size_t>(size.width) +
             static_cast<std::size_t>(column);
    };
    const std::array<int, 2> ys{grid.y().above(line.y), grid.y().below(line.y)};
    const std::array<int, 2> zs{grid.z().above(line.z), grid.z().below(line.z)};
    for (std::size_t c = 0; c < 4; ++c) {
      right[c] = at(zs[c % 2], ys[c / 2], grid.x().above(0));
      left[c] = at(zs[c % 2], ys[c / 2], grid.x().below(0));
    }
  }

  std::size_t voxels;  ///< on each side
  /// Whether the first voxel to the right is the first one to the left; whether y and -y, z and -z
  /// are one line. A voxel counts once.
  bool x_middle;
  bool y_middle;
  bool z_middle;
  /// The numbers in a volume of the voxels nearest to x = 0. Voxel h is at right + h and left - h.
  std::array<std::size_t, 4> right{};
  std::array<std::size_t, 4> left{};
};

}  // namespace leafglyph
