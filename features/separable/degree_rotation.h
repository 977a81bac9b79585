// The rotation from Koornwinder's to Zernike's basis, degree by degree.
//
// In every degree n both are orthonormal bases of the same space, so a rotation maps the
// Koornwinder coefficients kappa_nk to the Zernike ones: even k to the cosine parts, odd k to the
// sine parts. Row m of the rotation (m the repetition) is the eigenvector with eigenvalue m^2 of
// the operator (x d/dy - y d/dx)^2, which is tridiagonal in k = parity, parity + 2, ...:
//     A_kk = alpha_k ((n+1)^2 - 1) - k (k+1) (1 - alpha_k),
//     A_{k,k+2} = -gamma_k sqrt(((n+1)^2 - (k+1)^2) ((n+1)^2 - (k+2)^2)),
//     alpha_k = (2 k^2 + 2 k - 1) / ((2 k - 1) (2 k + 3)),
//     gamma_k = (k+1) (k+2) / ((2 k + 3) sqrt((2 k + 1) (2 k + 5))),
// with the first component positive (Hahn polynomials; compare Pogosyan, Wolf and Yakhno 2017).
// Since the eigenvalues are known, the three-term recurrence in k yields the vectors. It runs
// forward from k = 0 up to the turning point k = sqrt(n^2 - m^2), and backward to it from where the
// vector has decayed.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/moments/turns.h"
#include "features/separable/recurrence_kernels.h"
#include "features/separable/rotation_kernels.h"

namespace leafglyph {

/// If c and s are the cosine and sine parts of a function in an orthonormal basis of the disk, then
/// Z_nm = zernike_norm(n, m) (-j)^m (c + j s). The factor (-j)^m is there because Koornwinder's
/// polynomials take y as their first variable.
double zernike_norm(int n, int m);

/// The rotations of degrees first_degree to `order`, stored as recurrences. Immutable.
class DegreeRotation {
 public:
  explicit DegreeRotation(int order, int first_degree = 0);

  int order() const { return order_; }
  /// Number of k of one parity in degree n, which is also the number of repetitions: m = n mod 2,
  /// ..., n for parity 0; the same without m = 0 for parity 1.
  static std::size_t terms(int n, int parity) {
    return n < parity ? 0 : static_cast<std::size_t>((n - parity) / 2) + 1;
  }
  static int first_repetition(int n, int parity) { return parity == 0 ? n % 2 : 2 - n % 2; }
  /// Length that suffices for an array by k or by m in any degree.
  std::size_t padded_terms() const;

  /// Index i of the turning point k = sqrt(n^2 - m^2) of vector m.
  static std::size_t turning_index(int n, int parity, int m);

  /// The recurrence of degree n, with the ends and the normalisation of its vectors.
  RotationColumn column(int n, int parity) const;

  /// Factors between kappa[i] and the scale of the recurrence. Multiply by them before sums() and
  /// after values().
  std::span<const double> scale(int n, int parity) const;

  /// out[m index] = sum over i of (component i of vector m) scaled_kappa[i] / scale[i], where
  /// k = 2 i + parity.
  void sums(int n, int parity, const double* scaled_kappa, double* out) const;
  /// The transpose: scaled_kappa[i] = sum over m of (component i of vector m)
  /// coefficients[m] / scale[i]. `scratch` holds 8 padded_terms() elements.
  void values(int n, int parity, const double* coefficients, double* scaled_kappa,
              double* scratch) const;

  static double bytes(int order);

 private:
  struct Column {
    std::size_t by_k;      // offset of its arrays by k
    std::size_t by_m;      // offset of its arrays by m
    std::size_t by_group;  // offset of its arrays by groups of m
  };
  const Column& at(int n, int parity) const {
    return columns_[2 * static_cast<std::size_t>(n - first_degree_) +
                    static_cast<std::size_t>(parity)];
  }
  static std::size_t turn_groups(int n, int parity) {
    return (terms(n, parity) + kRepetitionGroup - 1) / kRepetitionGroup;
  }
  struct Coefficients;
  void fill_recurrence(int n, int parity, const Coefficients& coefficients);
  void find_ends(int n, int parity);
  void normalise(int n, int parity);

  int order_;
  int first_degree_;
  const RotationKernels& kernels_;
  std::vector<Column> columns_;
  AlignedVector<double> scale_;
  AlignedVector<double> slope_;
  AlignedVector<double> shift_;
  AlignedVector<double> forward_;
  AlignedVector<double> backward_;
  std::vector<int> ends_;
};

}  // namespace leafglyph
