// The sums of the separable transform along and across lines on the GPU, and their transposes
// (features/separable/recurrence_kernels.h). Polynomials are computed on the fly. Only for the
// files of gpu/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// The pair of lines at y and -y (features/separable/disk_lines.h).
struct GpuLine {
  double half_chord;
  double weight;
  std::int32_t row;
  std::int32_t first;
  std::int32_t places;
  std::int32_t terms;  ///< k < terms contribute on this line; a multiple of kRecurrenceBlock
  std::int32_t cut;
};

/// Lines and their places. Sub-pixel centres and Gauss points have a column and a weight. Without
/// these, the places are the edges of the exact method.
struct LineArrays {
  const GpuLine* lines;
  const double* x;
  const std::int32_t* column;
  const double* weight;
  const std::int32_t* columns;  ///< number of columns that count, per pair of rows
  int size;
};

/// The arrays of LegendreScale.
struct LegendreArrays {
  const double* slope;
  const double* factor;
  const double* above;
  const double* below;
};

/// The sum of line l for k and parity p of y is stored at l * line + k * term + p * parity.
struct LineStrides {
  std::size_t line;
  std::size_t term;
  std::size_t parity;
};

/// Lines whose sums are combined at nodes (features/separable/line_nodes.h).
struct GpuPanel {
  std::int32_t first_line;
  std::int32_t last_line;
  std::int32_t first_node;
  std::int32_t nodes;
  std::int32_t terms;
  std::size_t first_weight;
};

/// A node, or a line used as a node, and where its polynomials start in each block of k.
struct GpuNode {
  double y;
  std::uint32_t first_start;
  std::int32_t blocks;  ///< blocks of k that contribute
  std::int32_t slot;    ///< position in its group of kGroupLines
};

struct NodeArrays {
  const GpuNode* nodes;
  int count;
  const std::uint32_t* starts_at;  ///< multiples of kStartSteps
  const double* starts;            ///< [start][0, 1][slot][k], see LineGroups
};

/// The recurrences of the polynomials across lines. Row k starts at rows[k], with entry j for
/// degree k + j; rows are padded to whole chunks of kStartSteps.
struct BasisArrays {
  int order;
  const std::size_t* rows;
  const double* slope;
  const double* factor;  ///< for the sums: factors of the basis times the scale of the rotation
};

/// Start of the coefficients of degree n: those of even k, then those of odd k.
__host__ __device__ constexpr std::size_t degree_row(int n, int parity) {
  const auto degree = static_cast<std::size_t>(n);
  return degree * (degree + 1) / 2 + (parity == 0 ? 0 : degree / 2 + 1);
}

/// Maximum number of warps in a block.
inline constexpr int kMostWarps = 8;
/// Places, nodes or repetitions that a warp processes at a time. With at most kFewNodes nodes, half
/// as many.
inline constexpr int kWarpTile = 128;
inline constexpr int kFewNodes = 512;
/// Number of k that are summed at a time along lines.
inline constexpr int kTermChunk = 16;

/// Number of sums that each warp keeps in shared memory: in legendre_sums for k < terms, and in
/// line_sums, where all warps together keep as many coefficients.
inline std::size_t line_sum_values(int terms) {
  return 2 * static_cast<std::size_t>(terms + kTermChunk);
}
inline std::size_t node_sum_values(int order) { return static_cast<std::size_t>(order) + 16; }

/// Bytes of shared memory for a kernel whose `warps` warps keep `values` sums each.
inline std::size_t sum_bytes(int warps, std::size_t values) {
  return static_cast<std::size_t>(warps) * values * sizeof(double);
}

/// Load the kernels of legendre_sums and line_sums, respectively, on the current GPU, where they
/// may use all shared memory of a block. To be called before their first use.
void load_line_sums();
void load_node_sums();

/// Sums along the lines [first, first + count) of an image with pixels of any type. The sums of the
/// first line are written to the start of `out`. A block has `warps` warps.
template <class Pixel>
void legendre_sums(const LineArrays& lines, const LegendreArrays& legendre, const Pixel* image,
                   int first, int count, int warps, int terms, const LineStrides& strides,
                   double* out, const Stream& stream);

/// carried[(2 k + parity) * nodes + node] from the sums of the panels' lines. `sums` starts with
/// those of `first_line`: [line][k][parity of y], `row` elements per line.
void merge_lines(const GpuPanel* panels, int count, int most_nodes, int first_line, int terms,
                 const double* sums, std::size_t row, const double* weights, double* carried,
                 std::size_t nodes, const Stream& stream);

/// kappa[degree_row(n, k mod 2) + k / 2] from the values carried by the nodes.
void line_sums(const NodeArrays& nodes, const BasisArrays& basis, const double* carried, int warps,
               double* kappa, const Stream& stream);

/// The transpose of line_sums: carried[(line * terms + k) * 2 + parity of y], multiplied by the
/// factors of the Legendre polynomials, from kappa[basis.rows[k] + j].
void line_values(const NodeArrays& nodes, const BasisArrays& basis, const double* factor,
                 const double* kappa, int terms, double* carried, const Stream& stream);

/// The transpose of legendre_sums: pixels, at the centres that count, from the values carried by
/// the lines. At most `pairs` columns count.
void legendre_values(const LineArrays& lines, const double* slope, int count, int pairs,
                     const double* carried, int terms, double* image, const Stream& stream);

}  // namespace leafglyph::gpu
