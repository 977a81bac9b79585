// Koornwinder's polynomials as recurrences: the basis between an image and its Zernike moments.
//
//     K_nk(x, y) = phi_nk(y) P_k(x / s),  0 <= k <= n,  s = sqrt(1 - y^2),
//
// are orthonormal on the unit disk. P_k are Legendre polynomials, and
// phi_nk(y) = c_nk C_{n-k}^{(k+1)}(y) s^k with the Gegenbauer polynomials C (Koornwinder 1975;
// Dunkl and Xu, "Orthogonal Polynomials of Several Variables", 2.3). With j = n - k,
//     y phi_{j-1} = a_j phi_j + a_{j-1} phi_{j-2},
//     a_j^2 = j (j + 2 k + 1) / (4 (j + k + 1) (j + k)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/separable/line_nodes.h"
#include "features/separable/recurrence_kernels.h"

namespace leafglyph {

/// a_j for a fixed k.
double koornwinder_coefficient(double j, double k);

/// P_k = factor_k p_k with p_{k+1} = slope_k x p_k - p_{k-1}, p_0 = 1, for k < terms.
struct LegendreScale {
  explicit LegendreScale(std::size_t terms);
  AlignedVector<double> slope;
  AlignedVector<double> factor;
  /// factor_{k+1} / (2 k + 1) and factor_{k-1} / (2 k + 1), for the integral of P_k.
  AlignedVector<double> above;
  AlignedVector<double> below;
};

/// phi_nk = factor_j psi_j with psi_{j+1} = slope_j y psi_j - psi_{j-1}, psi_0 = phi_kk, for blocks
/// of kRecurrenceBlock consecutive k. Immutable.
class LineBasis {
 public:
  explicit LineBasis(int order);

  int order() const { return order_; }
  std::size_t blocks() const { return offsets_.size() - 1; }
  /// Number of j in a block: those with n = k + j <= order for its lowest k.
  std::size_t steps(std::size_t block) const {
    return static_cast<std::size_t>(order_) + 1 - block * kRecurrenceBlock;
  }
  /// The slope from psi_j to psi_{j+1}, and factor_j, each at [j][k].
  const double* slope(std::size_t block) const { return slope_.data() + offsets_[block]; }
  const double* factor(std::size_t block) const { return factor_.data() + offsets_[block]; }
  /// Start of a block in the concatenated arrays [j][k] of all blocks, and their total length.
  std::size_t offset(std::size_t block) const { return offsets_[block]; }
  std::size_t length() const { return offsets_.back(); }

  static double bytes(int order);

 private:
  int order_;
  std::vector<std::size_t> offsets_;
  AlignedVector<double> slope_;
  AlignedVector<double> factor_;
};

/// Groups of lines start at multiples of this many j.
inline constexpr std::size_t kStartSteps = 8;

/// Lines in groups of kGroupLines, and the j at which the polynomials of each group begin. Towards
/// the poles phi_nk is negligible in double until n s is near k. So each group starts at the last
/// multiple of kStartSteps before its values become significant, and skips the blocks of k in which
/// they never do. A recurrence with separate exponents provides the starting values, so that
/// underflow of s^k loses nothing. Immutable.
class LineGroups {
 public:
  /// `nodes` are sorted by y. No group crosses an element of `ends`; each is one past the last node
  /// of a panel.
  LineGroups(const std::vector<LineNode>& nodes, const std::vector<std::size_t>& ends,
             const LineBasis& basis);

  struct Group {
    double y[kGroupLines];
    double half_chord[kGroupLines];
    std::size_t first_line;
    std::size_t lines;   ///< any after these repeat the last one and carry 0
    std::size_t blocks;  ///< number of blocks of k with significant values
    std::size_t first_start;
  };
  struct Start {
    std::uint32_t j;
    const double* before;   ///< psi_{j-1} at [line][k]
    const double* current;  ///< psi_j
  };

  const std::vector<Group>& groups() const { return groups_; }
  Start start(const Group& group, std::size_t block) const {
    const double* values = starts_.data() + 2 * kGroupBlock * (group.first_start + block);
    return {first_[group.first_start + block], values, values + kGroupBlock};
  }

  /// Where each group starts in each of its blocks, at index first_start + block: j, and the two
  /// starting values at [0, 1][line][k], 2 kGroupBlock apart.
  std::span<const std::uint32_t> starts_at() const { return first_; }
  std::span<const double> start_values() const { return starts_; }

  /// Upper bound: every group may take part in every block.
  static double bytes(std::size_t lines, int order);

 private:
  void fill_group(const LineBasis& basis, const std::vector<long double>& ratios, Group& group,
                  std::vector<std::uint32_t>& first, AlignedVector<double>& starts) const;

  std::vector<Group> groups_;
  std::vector<std::uint32_t> first_;
  AlignedVector<double> starts_;
};

}  // namespace leafglyph
