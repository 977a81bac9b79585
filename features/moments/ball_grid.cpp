#include "features/moments/ball_grid.h"

#include <algorithm>
#include <cmath>

namespace leafglyph {

BallGrid::BallGrid(const ArraySize& size)
    : size_(size),
      side_(std::max({size.width, size.height, size.depth})),
      x_(size.width),
      y_(size.height),
      z_(size.depth) {
  const std::int64_t square = std::int64_t{side_} * side_;
  for (int k = 0; k < z_.count(); ++k) {
    first_.push_back(lines_.size());
    for (int j = 0; j < y_.count(); ++j) {
      const std::int64_t y = y_.coordinate(j);
      const std::int64_t z = z_.coordinate(k);
      const std::int64_t rest = square - y * y - z * z;
      if (rest < 0) break;
      // Exact for such whole numbers.
      const double reach = std::sqrt(static_cast<double>(rest));
      const auto farthest = static_cast<std::int64_t>(reach);
      if (farthest < x_.coordinate(0)) break;
      const auto voxels = static_cast<int>((farthest - x_.coordinate(0)) / 2 + 1);
      lines_.push_back({j, k, std::min(voxels, x_.count()), reach / side_});
    }
  }
  first_.push_back(lines_.size());
}

double BallGrid::slice_radius(int z) const {
  const std::int64_t at = z_.coordinate(z);
  return std::sqrt(static_cast<double>(std::int64_t{side_} * side_ - at * at)) / side_;
}

bool BallGrid::contains(std::size_t voxel) const {
  const auto width = static_cast<std::size_t>(size_.width);
  const auto height = static_cast<std::size_t>(size_.height);
  const auto square_of = [](std::size_t at, int length) {
    const std::int64_t coordinate = 2 * static_cast<std::int64_t>(at) + 1 - length;
    return coordinate * coordinate;
  };
  return square_of(voxel % width, size_.width) + square_of(voxel / width % height, size_.height) +
             square_of(voxel / width / height, size_.depth) <=
         std::int64_t{side_} * side_;
}

}  // namespace leafglyph
