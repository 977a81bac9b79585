// How far two small pictures of edges differ where each neighbourhood may move to its best fit,
// compiled once per instruction set.
#pragma once

#include <cstddef>

namespace leafglyph {

/// Edges of a square picture by their direction: value of direction d at row j, column i is
/// edges[(d * kEdgeSide + j) * kEdgeSide + i]. They are compared around kEdgePlaces x kEdgePlaces
/// places, whose rows and columns are 1, 4, 7, ... 22.
inline constexpr std::size_t kEdgeSide = 24;
inline constexpr std::size_t kEdgeDirections = 4;
inline constexpr std::size_t kEdgePlaces = 8;
inline constexpr std::size_t kEdgeValues = kEdgeDirections * kEdgeSide * kEdgeSide;
inline constexpr std::size_t kEdgeNeighbourhoods = kEdgePlaces * kEdgePlaces;

struct EdgeKernels {
  /// amounts[p]: the sum of the squared edges around place p, weighted by a Gaussian of standard
  /// deviation 1.8 that is cut off at 4 pixels. kEdgeNeighbourhoods of them.
  void (*amounts)(const float* edges, float* amounts);
  /// forth[p]: the smallest such sum of the squared differences of `a`, around place p, from `b`
  /// moved by up to 5 pixels in any direction; back[p]: the same from `b` to `a`. There are no
  /// edges outside the squares. Does not fuse multiply-adds, so that every instruction set gives
  /// the same.
  void (*differences)(const float* a, const float* b, float* forth, float* back);
};

/// The fastest kernels that this processor can run.
const EdgeKernels& edge_kernels();

}  // namespace leafglyph
