// Plda fitted to many selections of the rows of one small table, from the inner products of its
// rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/classifier/plda.h"
#include "classify/classifier/plda_parts.h"
#include "features/base/aligned_vector.h"
#include "features/base/memory.h"

namespace leafglyph {

/// With fewer rows than columns, a fit takes less work on matrices of the rows. For the rows of G,
/// those fitted to less the means of their classes and sqrt(n0) times the factors of W0, PldaFit's
/// W is D + a G^T G, with a = (1 - s) / (n0 + n - K) and the diagonal D = b I + a n0
/// diag(remainder) for b = s tr(n0 W0 + S) / ((n0 + n - K) columns). By the identity of Woodbury
///
///   W^-1 = D^-1 - a D^-1 G^T (I + a G D^-1 G^T)^-1 G D^-1.
///
/// With m = a n0 / b, D^-1 is diag(1 / (1 + m remainder)) / b: a power series in m less its usual
/// value m0, whose terms are products of all rows with powers of remainder / (1 + m0 remainder).
/// These are made once. Results are those of PldaFit up to its rounding, in float.
class PldaKernel {
 public:
  /// Whether the kernel of that many rows pays, if no fit is to more than `fitted` of them.
  static bool pays(const PldaFit& fit, std::size_t rows, std::size_t fitted);
  /// Column j of row i, of class labels[i], is at rows[i * columns + j]; no fit is to more than
  /// `fitted` rows. Throws UsageError if the lengths do not fit, or for an augmentation, and what
  /// MemoryReservation throws.
  PldaKernel(PldaFit fit, std::vector<float> rows, std::span<const int> labels, std::size_t fitted);

  /// PldaFit::fit to the rows `which`, of classes `labels`; `classes` are their totals. Throws what
  /// it throws.
  Plda fit(std::span<const std::size_t> which, std::span<const int> labels,
           const RemainingClasses& classes) const;

 private:
  static constexpr std::size_t kTerms = 4;  // of the power series
  struct Selected;
  struct Products;
  Selected select(std::span<const std::size_t> which, std::span<const int> labels) const;
  double factor_of(double trace) const;
  double trace_of(std::span<const std::size_t> which, const RemainingClasses& classes) const;
  std::vector<float> products_in(const Selected& selected, double factor, double b) const;
  std::vector<float> inside(const Selected& selected, const Products& products, double a) const;
  std::vector<float> crossed(const Selected& selected, const Products& products,
                             const PldaBalance& balance) const;
  std::vector<double> of_factors(const Selected& selected, const Products& products,
                                 const PldaBalance& balance) const;
  std::vector<float> shares_of(const Selected& selected, const PldaBalance& balance,
                               const Coefficients& along, std::span<const float> solved,
                               double a) const;

  PldaFit fit_;
  std::size_t columns_, rows_, within_, between_, size_;
  MemoryReservation memory_;
  double prior_trace_ = 0;                  // tr W0
  double usual_ = 0;                        // m0
  double reach_ = 0;                        // the largest value that is raised to powers
  std::vector<double> squares_;             // of the lengths of the rows
  std::vector<float> all_;                  // the rows, and those of the prior's W0 and B0
  std::vector<LargeVector<float>> powers_;  // products of all_ with each power
};

}  // namespace leafglyph
