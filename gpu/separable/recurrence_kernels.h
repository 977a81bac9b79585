// The sums of the separable transform along and across lines on the GPU, and their transposes
// (features/separable/recurrence_kernels.h). Polynomials are made on the fly. For the files of gpu/
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// A pair of lines y, -y (features/separable/disk_lines.h).
struct GpuLine {
  double half_chord;
  double weight;
  std::int32_t row;
  std::int32_t first;
  std::int32_t places;
  std::int32_t terms;  ///< k < terms show on it, a multiple of kRecurrenceBlock
  std::int32_t cut;
};

/// Lines and the places on them. Sub-pixel centres and Gauss points have a column and a weight;
/// without them places are the edges of the exact method.
struct LineArrays {
  const GpuLine* lines;
  const double* x;
  const std::int32_t* column;
  const double* weight;
  const std::int32_t* columns;  ///< that count, by pair of rows
  int size;
};

/// LegendreScale's arrays.
struct LegendreArrays {
  const double* slope;
  const double* factor;
  const double* above;
  const double* below;
};

/// Where the sum of line l for k and parity p of y goes: l * line + k * term + p * parity.
struct LineStrides {
  std::size_t line;
  std::size_t term;
  std::size_t parity;
};

/// Lines that hand their sums to nodes (features/separable/line_nodes.h).
struct GpuPanel {
  std::int32_t first_line;
  std::int32_t last_line;
  std::int32_t first_node;
  std::int32_t nodes;
  std::int32_t terms;
  std::size_t first_weight;
};

/// A node, or a line that is one, and where its polynomials start in each block of k.
struct GpuNode {
  double y;
  std::uint32_t first_start;
  std::int32_t blocks;  ///< of k that show
  std::int32_t slot;    ///< place in its group of kGroupLines
};

struct NodeArrays {
  const GpuNode* nodes;
  int count;
  const std::uint32_t* starts_at;  ///< multiples of kStartSteps
  const double* starts;            ///< [start][0, 1][slot][k], see LineGroups
};

/// Recurrences of the polynomials across lines, row k at rows[k], entry j for degree k + j, filled
/// up to whole chunks of kStartSteps.
struct BasisArrays {
  int order;
  const std::size_t* rows;
  const double* slope;
  const double* factor;  ///< of what becomes of the sums: the basis's times the rotation's scale
};

/// Where the coefficients of degree n begin: even k, then odd k.
__host__ __device__ constexpr std::size_t degree_row(int n, int parity) {
  const auto degree = static_cast<std::size_t>(n);
  return degree * (degree + 1) / 2 + (parity == 0 ? 0 : degree / 2 + 1);
}

/// Warps of a block, at most.
inline constexpr int kMostWarps = 8;
/// Places, nodes or repetitions that a warp takes at a time: of so few nodes half as many.
inline constexpr int kWarpTile = 128;
inline constexpr int kFewNodes = 512;
/// k that are summed at a time along lines.
inline constexpr int kTermChunk = 16;

/// Sums that each warp of legendre_sums keeps in shared memory for k < terms, and each of
/// line_sums, which keeps as many coefficients for all warps.
inline std::size_t line_sum_values(int terms) {
  return 2 * static_cast<std::size_t>(terms + kTermChunk);
}
inline std::size_t node_sum_values(int order) { return static_cast<std::size_t>(order) + 16; }

/// Shared memory of a kernel whose `warps` warps keep `values` sums each.
inline std::size_t sum_bytes(int warps, std::size_t values) {
  return static_cast<std::size_t>(warps) * values * sizeof(double);
}

/// Lets legendre_sums, and line_sums, use `bytes` of shared memory on the current GPU.
void allow_line_sum_bytes(std::size_t bytes);
void allow_node_sum_bytes(std::size_t bytes);

/// Sums along the lines [first, first + count) of an image of pixels of every type; the first
/// line's go to out. A block has `warps` warps.
template <class Pixel>
void legendre_sums(const LineArrays& lines, const LegendreArrays& legendre, const Pixel* image,
                   int first, int count, int warps, int terms, const LineStrides& strides,
                   double* out, const Stream& stream);

/// carried[(2 k + parity) * nodes + node] from the sums of the panels' lines; sums of `first_line`
/// stand at the front, [line][k][parity of y], `row` elements a line.
void merge_lines(const GpuPanel* panels, int count, int most_nodes, int first_line, int terms,
                 const double* sums, std::size_t row, const double* weights, double* carried,
                 std::size_t nodes, const Stream& stream);

/// kappa[degree_row(n, k mod 2) + k / 2] from what the nodes carry.
void line_sums(const NodeArrays& nodes, const BasisArrays& basis, const double* carried, int warps,
               double* kappa, const Stream& stream);

/// The transpose of line_sums: carried[(line * terms + k) * 2 + parity of y], multiplied by the
/// Legendre polynomials' factors, from kappa[basis.rows[k] + j].
void line_values(const NodeArrays& nodes, const BasisArrays& basis, const double* factor,
                 const double* kappa, int terms, double* carried, const Stream& stream);

/// The transpose of legendre_sums: pixels at the centres that count from what the lines carry.
/// `pairs` columns count at most.
void legendre_values(const LineArrays& lines, const double* slope, int count, int pairs,
                     const double* carried, int terms, double* image, const Stream& stream);

}  // namespace leafglyph::gpu
