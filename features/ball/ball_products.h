// Zernike moments of volumes as small matrix products, the same on the CPU and on a GPU.
//
// With s = sqrt(1 - z^2) and t = sqrt(1 - y^2 / s^2), the functions
//     K_npk = [g_{n-p}(z) s^p] [h_{p-k}(y / s) t^k] P_k(x / (s t)),    0 <= k <= p <= n,
// are orthonormal on the ball and those of degree n span the same space as Zernike's: P_k are
// Legendre polynomials, h_j and g_i Gegenbauer polynomials of norm 1 under the weights
// 2 / (2 k + 1) (1 - v^2)^{k + 1/2} and (1 - z^2)^{p + 1} (Dunkl and Xu, "Orthogonal Polynomials of
// Several Variables", 5.2). Nothing is interpolated, and every step is a product with bounded
// tables or a rotation, so that all orders are as accurate as the arithmetic. Stages:
//     x      along each line, k <= T
//     y      along y on each slice, k + j <= T
//     z      along z, p + i <= T with p = k + j
//     plane  a rotation for each p, from k to the repetition m (ball_rotations.h)
//     space  a rotation for each n and m, from p to l
// Voxels at +-x, +-y, +-z are folded into sums and differences first, so that each product takes
// one parity. Every element of a stage's input belongs to exactly one product: the transposed
// products in the opposite order go from moments to volumes.
//
// All arrays hold the numbers of V volumes side by side. Offsets and steps are in units of V.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/moments/ball_grid.h"

namespace leafglyph {

/// out[r] = sum over h < depth of table[r * depth + h] in[h], for rows of columns * V numbers
/// (BallStage). Products without rows are listed, too: transposed, they are 0. Row h of the input
/// is at in + h * in_step, row r of the result at out + r * out_step.
struct BallProduct {
  std::size_t table = 0;
  std::size_t in = 0;
  std::size_t out = 0;
  std::uint32_t rows = 0;
  std::uint32_t depth = 0;
  std::uint32_t in_step = 0;
  std::uint32_t out_step = 0;
};

struct BallStage {
  std::size_t columns = 1;
  std::vector<BallProduct> products;
  std::vector<double> table;
};

/// Where a moment's parts are in the result of the last stage, and the factor in front of
/// (-j)^m (c + j s).
struct BallPlace {
  std::size_t cosine = 0;
  std::size_t sine = 0;
  int m = 0;
};

/// Lengths of the arrays between the stages, and the stages. Immutable.
class BallProducts {
 public:
  BallProducts(const BallGrid& grid, int order);

  const BallGrid& grid() const { return grid_; }
  int order() const { return order_; }

  // The folded voxels of the lines of a slice, at [line][parity of x][x][parity of y][parity of z];
  // the sums along x, at [line][k][parity of y][parity of z]; those along y, at
  // [k][j][slice][parity of z].
  std::size_t folded_length(int slice) const;
  std::size_t lines_length(int slice) const;
  std::size_t slices_length() const;
  // The sums along z, at [p][i][k]; the parts by repetition, at [n][p][parity][m / 2]; and by
  // degree, at [n][l / 2][parity][m].
  std::size_t degrees_length() const { return planes_.back(); }
  std::size_t repetitions_length() const { return repetitions_.back(); }
  std::size_t parts_length() const { return parts_.back(); }

  /// Of one slice of the folded z axis, from its folded voxels and to its sums along x, both
  /// starting at 0.
  BallStage x_stage(int slice) const;
  /// Of one slice, from its sums along x.
  BallStage y_stage(int slice) const;
  BallStage z_stage() const;
  BallStage plane_stage() const;
  BallStage space_stage() const;

  /// The parts of all moments, in storage order.
  std::vector<BallPlace> places() const;
  /// Omega = forward_scale(m) (-j)^m (c + j s).
  double forward_scale(int m) const;
  /// The real part of weighted * Z has c = backward_scale(m) Re(weighted j^m), s the same of Im.
  double backward_scale(int m) const;

 private:
  std::size_t terms() const { return static_cast<std::size_t>(order_) + 1; }
  std::size_t slices() const { return static_cast<std::size_t>(grid_.z().count()); }
  std::size_t pair(int k, int j) const;
  std::size_t degree_at(int p, int i, int k) const;
  std::size_t repetition_at(int n, int p, int parity, int m) const;
  std::size_t part_at(int n, int l, int parity, int m) const;

  BallGrid grid_;
  int order_;
  std::vector<std::size_t> planes_;
  std::vector<std::size_t> repetitions_;
  std::vector<std::size_t> parts_;
  std::vector<double> y_starts_;  // norm of h_0, by k
  std::vector<double> z_starts_;  // norm of g_0, by p
};

/// Numbers in the tables and arrays of BallProducts, at most, without making any.
struct BallCounts {
  BallCounts(const ArraySize& size, int order);

  double slice_tables = 0.0;  ///< of the x and y stages of all slices
  double other_tables = 0.0;
  double largest_slice = 0.0;  ///< folded voxels
  double largest_lines = 0.0;  ///< sums along x of a slice
  double arrays = 0.0;         ///< of a volume: all others
  double slices = 0.0;
};

}  // namespace leafglyph
