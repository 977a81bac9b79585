// The kernels of the ring transform. Only for the files of gpu/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// The points of one ring that fill one matrix of a batch: points first_point, first_point + 1, ...
/// of the pixels starting at first_pixel, each with across * along points.
struct PointChunk {
  double ring_centre = 0.0;
  std::uint64_t first_point = 0;
  std::uint32_t first_pixel = 0;
  std::uint32_t count = 0;
  std::uint32_t ring = 0;
  std::uint32_t across = 1;         ///< points of the rule along x (also in the triangle)
  std::uint32_t along = 1;          ///< points along y (in the triangle: along y / x)
  std::uint32_t across_offset = 0;  ///< start of the rules in the tables of nodes
  std::uint32_t along_offset = 0;
  std::uint32_t is_centre = 0;  ///< whether the points are those of the triangle (adaptive_rules.h)
};

/// The pixels of the octant and the quadrature rules, in GPU memory.
struct PointTables {
  const double* x = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;
  const std::int32_t* images = nullptr;  ///< eight pixel numbers per pixel of the octant
  std::size_t pixels = 0;
  const double* nodes = nullptr;
  const double* weights = nullptr;
  double half_side = 0.0;           ///< 1 / N
  double centre_side = 0.0;         ///< side length of the triangle at the centre
  double inverse_half_width = 0.0;  ///< of a ring including its margins
  double rings = 0.0;               ///< their number
  // As in RingFunctions.
  std::uint32_t by_angle = 0;
  std::uint32_t by_point = 0;
  double power = 1.0;
  double inner_power = 0.0;
  double outer_power = 0.0;
};

/// The arrays of a group of chunks. Each chunk has `points` points, padded with points of weight 0.
struct GroupShape {
  const PointChunk* chunks = nullptr;
  std::size_t count = 0;
  std::size_t points = 0;  ///< a multiple of 32
  std::size_t terms = 0;
  std::size_t first_repetition = 0;  ///< a multiple of 4
  std::size_t repetitions = 0;       ///< from there on
};

/// What RadialRings::table() of Bessel-Fourier moments is computed from, in GPU memory.
struct RingSamples {
  const double* zeros = nullptr;
  std::size_t orders = 0;
  std::size_t rings = 0;
  std::size_t terms = 0;
  double half_width = 0.0;
  const double* samples = nullptr;
  const double* to_coefficients = nullptr;
};

/// table[n - 1][ring][k] as in RadialRings::table(), to a few roundings.
template <class T>
void fill_ring_table(const RingSamples& samples, T* table, const Stream& stream);

/// folded[8 p + q] is folded sum q (in the order of FoldOutputs) of pixel p of the octant.
void fold_pixels(const PointTables& tables, const double* image, double* folded,
                 const Stream& stream);

/// terms[chunk][k][p] = T_k(t_p). rows[chunk][2 i + c][p] is the real (c = 0) or imaginary (c = 1)
/// part of the sum of f e^{-j m theta} over the eight images of point p, times its weight, for
/// repetition m = first_repetition + i.
template <class T>
void expand_points(const PointTables& tables, const GroupShape& group, const double* folded,
                   T* terms, T* rows, const Stream& stream);

/// Computes only the terms.
template <class T>
void expand_terms(const PointTables& tables, const GroupShape& group, T* terms,
                  const Stream& stream);

/// The chunks of one ring in a group.
struct RingChunks {
  std::uint32_t ring = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// sums[row][ring][k] += sum over the ring's chunks of parts[chunk][row][k].
template <class T>
void add_chunks(const RingChunks* rings, std::size_t ring_count, std::size_t rows,
                std::size_t terms, std::size_t row_length, const T* parts, T* sums,
                const Stream& stream);

/// Where the moment of each row of the functions and each repetition is stored, in GPU memory.
struct MomentPlaces {
  const std::uint32_t* positions = nullptr;  ///< ring_positions
  const double* norms = nullptr;             ///< by row
  std::size_t rows = 0;
  std::size_t repetitions = 0;
  bool in_pairs = false;  ///< as in RingFunctions
};

/// The moments in storage order from products[(2 m + c) rows + row], where c = 0 gives the real and
/// c = 1 the imaginary part; combined in pairs as ring_positions says.
template <class T>
void finish_moments(const T* products, const MomentPlaces& places, double* moments,
                    const Stream& stream);

/// Those of some repetitions, one after another: products[(2 i + c) rows + row], for i <
/// repetitions, give moments[row * repetitions + i].
template <class T>
void finish_some_moments(const T* products, const MomentPlaces& places, std::size_t repetitions,
                         double* moments, const Stream& stream);

/// The transpose without norms: coefficients[(2 m + c) rows + row] from moments in storage order.
template <class T>
void spread_moments(const double* moments, const MomentPlaces& places, T* coefficients,
                    const Stream& stream);

/// The transpose of the rows of expand_points: pixels of the image from rows[chunk][2 m + c][p],
/// for chunks with one point per pixel.
template <class T>
void unfold_points(const PointTables& tables, const GroupShape& group, const T* rows, double* image,
                   const Stream& stream);

}  // namespace leafglyph::gpu
