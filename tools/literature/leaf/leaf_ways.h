// Other readings of the published leaf experiment: feature rows made in several ways, and how many
// test leaves their nearest neighbours identify correctly over many splits.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "classify/table/folds.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Moments of the prepared leaves that the protocol takes of each class.
struct LeafMoments {
  std::vector<MomentIndex> indices;          ///< up to the highest order, sorted by order
  std::vector<std::complex<double>> values;  ///< moment c of leaf i at i * indices.size() + c
  std::vector<int> labels;                   ///< of the leaves, sorted by class
  std::size_t leaves() const { return labels.size(); }
};

/// Rows of numbers, one per leaf.
struct Rows {
  std::size_t columns = 0;
  std::vector<double> values;
  const double* row(std::size_t i) const { return values.data() + i * columns; }
};

/// The feature values computed from the moments up to an order.
enum class LeafValues {
  kMagnitude,     ///< |Z_nm|, the published features
  kLogMagnitude,  ///< ln(|Z_nm| + 1e-3)
  kRelative,      ///< |Z_nm| / |Z_00| without Z_00 and Z_11
  kComplex,       ///< real and imaginary parts, that is, magnitude and phase
  kPhase,         ///< cosine and sine of the phases of m > 0
};
Rows rows_of(const LeafMoments& moments, int order, LeafValues values);

/// Scales each column to (x - mean) / standard deviation, or (x - min) / (max - min), over all rows
/// including test leaves. Constant columns become 0.
enum class RowScaling { kNone, kStandardised, kMinMax };
void scale_over_all(Rows& rows, RowScaling scaling);

/// The `count` columns whose values over all rows have the largest variance, in their order; all of
/// them if there are no more.
Rows of_largest_variance(const Rows& rows, std::size_t count);

enum class RowDistance { kEuclidean, kManhattan, kChiSquare, kCosine };

/// For every leaf, all leaves sorted by increasing distance; ties are sorted by leaf number.
class NeighbourOrder {
 public:
  /// `itself`: a leaf is always first in its own list, as if it were one of its training leaves.
  NeighbourOrder(const Rows& rows, RowDistance distance, bool itself);
  /// The share of the split's test leaves whose class is among the `named` classes with most votes
  /// of their k nearest training leaves. Ties go to the class with the smaller sum of distances.
  double accuracy(const Split& split, const std::vector<int>& labels, int k,
                  std::size_t named = 1) const;

 private:
  struct Near {
    std::uint32_t leaf;
    float distance;
  };
  std::size_t leaves_;
  std::vector<Near> lists_;  // of leaf i at i * leaves_
};

/// `count` random splits: `test` leaves of each class are test leaves, the others training leaves.
std::vector<Split> random_splits(const std::vector<int>& labels, std::size_t test,
                                 std::size_t count, std::uint64_t seed);

}  // namespace leafglyph
