// Koornwinder's polynomials, the basis between an image and its Zernike moments, as recurrences.
//
//     K_nk(x, y) = phi_nk(y) P_k(x / s),  0 <= k <= n,  s = sqrt(1 - y^2),
//
// are orthonormal on the unit disk, P_k Legendre's polynomials and phi_nk(y) = c_nk
// C_{n-k}^{(k+1)}(y) s^k with Gegenbauer's (Koornwinder 1975; Dunkl and Xu, "Orthogonal Polynomials
// of Several Variables", 2.3). With j = n - k,
//     y phi_{j-1} = a_j phi_j + a_{j-1} phi_{j-2},  a_j^2 = j (j + 2 k + 1) / (4 (j + k + 1) (j +
//     k)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/separable/aligned_vector.h"
#include "features/separable/line_nodes.h"
#include "features/separable/recurrence_kernels.h"

namespace leafglyph {

/// a_j at fixed k.
double koornwinder_coefficient(double j, double k);

/// P_k = factor_k p_k with p_{k+1} = slope_k x p_k - p_{k-1}, p_0 = 1, for k < terms.
struct LegendreScale {
  explicit LegendreScale(std::size_t terms);
  AlignedVector<double> slope;
  AlignedVector<double> factor;
  /// factor_{k+1} / (2 k + 1) and factor_{k-1} / (2 k + 1): of the sums in the integral of P_k.
  AlignedVector<double> above;
  AlignedVector<double> below;
};

/// phi_nk = factor_j psi_j with psi_{j+1} = slope_{j+1} y psi_j - psi_{j-1}, psi_0 = phi_kk, for
/// blocks of kRecurrenceBlock consecutive k. Immutable.
class LineBasis {
 public:
  explicit LineBasis(int order);

  int order() const { return order_; }
  std::size_t blocks() const { return offsets_.size() - 1; }
  /// Number of j in a block: n = k + j <= order for its lowest k, at least.
  std::size_t steps(std::size_t block) const {
    return static_cast<std::size_t>(order_) + 1 - block * kRecurrenceBlock;
  }
  /// Slope that takes psi_j to psi_{j+1} at [j][k], and factor_j at [j][k].
  const double* slope(std::size_t block) const { return slope_.data() + offsets_[block]; }
  const double* factor(std::size_t block) const { return factor_.data() + offsets_[block]; }
  /// Where a block begins among arrays [j][k] of every block, and the length of them all.
  std::size_t offset(std::size_t block) const { return offsets_[block]; }
  std::size_t length() const { return offsets_.back(); }

  static double bytes(int order);

 private:
  int order_;
  std::vector<std::size_t> offsets_;
  AlignedVector<double> slope_;
  AlignedVector<double> factor_;
};

/// Groups of lines start at multiples of so many j.
inline constexpr std::size_t kStartSteps = 8;

/// Lines in groups of kGroupLines, and where the polynomials on each group begin. Towards the poles
/// phi_nk is nothing in double until n s is near k: each group starts at the last multiple of
/// kStartSteps before it shows, and takes part in the blocks of k that show at all. The starting
/// values come from a
/// recurrence with exponents of its own, so that no underflow of s^k is lost. Immutable.
class LineGroups {
 public:
  /// `nodes` by growing y; no group goes beyond one of `ends`, behind the last node of which it
  /// belongs to.
  LineGroups(const std::vector<LineNode>& nodes, const std::vector<std::size_t>& ends,
             const LineBasis& basis);

  struct Group {
    double y[kGroupLines];
    double half_chord[kGroupLines];
    std::size_t first_line;
    std::size_t lines;   ///< those after it are copies of the last one that carry nothing
    std::size_t blocks;  ///< blocks of k that show
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

  /// Where each group starts in each of its blocks, first_start + block: j, and the two values at
  /// [0, 1][line][k], 2 kGroupBlock apart.
  std::span<const std::uint32_t> starts_at() const { return first_; }
  std::span<const double> start_values() const { return starts_; }

  /// At most: every group may take part in every block.
  static double bytes(std::size_t lines, int order);

 private:
  void fill_group(const LineBasis& basis, const std::vector<long double>& ratios, Group& group,
                  std::vector<std::uint32_t>& first, AlignedVector<double>& starts) const;

  std::vector<Group> groups_;
  std::vector<std::uint32_t> first_;
  AlignedVector<double> starts_;
};

}  // namespace leafglyph
