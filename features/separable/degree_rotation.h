// From Koornwinder's polynomials to Zernike's, degree by degree.
//
// Both are orthonormal bases of the same space in every degree n, so that a rotation takes the
// coefficients kappa_nk of the one to those of the other: even k to the cosine parts, odd k to the
// sine parts. Its rows, by repetition m, are the eigenvectors with the eigenvalues m^2 of the
// operator (x d/dy - y d/dx)^2, which is tridiagonal in k = parity, parity + 2, ...:
//     A_kk = alpha_k ((n+1)^2 - 1) - k (k+1) (1 - alpha_k),
//     A_{k,k+2} = -gamma_k sqrt(((n+1)^2 - (k+1)^2) ((n+1)^2 - (k+2)^2)),
//     alpha_k = (2 k^2 + 2 k - 1) / ((2 k - 1) (2 k + 3)),
//     gamma_k = (k+1) (k+2) / ((2 k + 3) sqrt((2 k + 1) (2 k + 5))),
// with the first component positive (Hahn polynomials; compare Pogosyan, Wolf and Yakhno 2017).
// The eigenvalues being known, the three-term recurrence in k yields the vectors: forward from k =
// 0 up to the turning point k = sqrt(n^2 - m^2), backward from where they have decayed down to it.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/separable/aligned_vector.h"
#include "features/separable/recurrence_kernels.h"
#include "features/separable/rotation_kernels.h"

namespace leafglyph {

/// With c and s the cosine and sine parts of a function in an orthonormal basis of the disk,
/// Z_nm = zernike_norm(n, m) (-j)^m (c + j s). The turn is there because Koornwinder's polynomials
/// take y first.
double zernike_norm(int n, int m);
/// (-j)^quarters (re + j im)
std::complex<double> turned_back(double re, double im, int quarters);

/// The rotations of the degrees first_degree to `order`, as recurrences. Immutable.
class DegreeRotation {
 public:
  explicit DegreeRotation(int order, int first_degree = 0);

  int order() const { return order_; }
  /// Number of k of one parity in degree n, and of repetitions: m = n mod 2, ..., n for parity 0,
  /// without 0 for parity 1.
  static std::size_t terms(int n, int parity) {
    return n < parity ? 0 : static_cast<std::size_t>((n - parity) / 2) + 1;
  }
  static int first_repetition(int n, int parity) { return parity == 0 ? n % 2 : 2 - n % 2; }
  /// Elements that arrays by k or by m need, at most, in any degree.
  std::size_t padded_terms() const;

  /// i of the turning point k = sqrt(n^2 - m^2) of vector m.
  static std::size_t turning_index(int n, int parity, int m);

  /// The recurrence of a degree, and where and how its vectors are put together.
  RotationColumn column(int n, int parity) const;

  /// The component of kappa i in the recurrence's scale: multiply by this before sums(), and after
  /// values().
  std::span<const double> scale(int n, int parity) const;

  /// out[m index] = sum over k = 2 i + parity of vector m's component times kappa[i] / scale.
  void sums(int n, int parity, const double* scaled_kappa, double* out) const;
  /// The transpose: scaled_kappa[i] = sum over m. `scratch` holds 8 padded_terms() elements.
  void values(int n, int parity, const double* coefficients, double* scaled_kappa,
              double* scratch) const;

  static double bytes(int order);

 private:
  struct Column {
    std::size_t by_k;      // where its arrays by k begin
    std::size_t by_m;      // and those by m
    std::size_t by_group;  // and those by groups of m
  };
  const Column& at(int n, int parity) const {
    return columns_[2 * static_cast<std::size_t>(n - first_degree_) +
                    static_cast<std::size_t>(parity)];
  }
  static std::size_t turn_groups(int n, int parity) {
    return (terms(n, parity) + kTurnGroup - 1) / kTurnGroup;
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
