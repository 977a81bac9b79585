// The published leaf experiment in other readings: rows of features by several ways, and how many
// test leaves their nearest neighbours identify correctly over many splits.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "classify/knn/folds.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Moments of prepared leaves, the first so many of each class.
struct LeafMoments {
  std::vector<MomentIndex> indices;  ///< of the highest order; those of a lower one come first
  std::vector<std::complex<double>> values;  ///< moment c of leaf i at i * indices.size() + c
  std::vector<int> labels;                   ///< of the leaves, class by class
  std::size_t leaves() const { return labels.size(); }
};

/// Rows of numbers, one per leaf.
struct Rows {
  std::size_t columns = 0;
  std::vector<double> values;
  const double* row(std::size_t i) const { return values.data() + i * columns; }
};

/// What is taken of the moments to an order.
enum class LeafValues {
  kMagnitude,     ///< |Z_nm|, the published features
  kLogMagnitude,  ///< ln(|Z_nm| + 1e-3)
  kRelative,      ///< |Z_nm| / |Z_00| without Z_00 and Z_11
  kComplex,       ///< real and imaginary parts: magnitude and phase together
  kPhase,         ///< cosine and sine of the phases of m > 0
};
Rows rows_of(const LeafMoments& moments, int order, LeafValues values);

/// Each column (x - mean) / standard deviation, or (x - min) / (max - min), over all rows, test
/// leaves included; columns that are constant become 0.
enum class RowScaling { kNone, kStandardised, kMinMax };
void scale_over_all(Rows& rows, RowScaling scaling);

enum class RowDistance { kEuclidean, kManhattan, kChiSquare, kCosine };

/// For every leaf all others by growing distance, those at equal distance by number.
class NeighbourOrder {
 public:
  /// `itself`: a leaf stands first in its own list, as when it is among those learnt from.
  NeighbourOrder(const Rows& rows, RowDistance distance, bool itself);
  /// Of the split's test leaves the share whose k nearest training leaves have its class in the
  /// majority; ties go to the smaller sum of distances.
  double accuracy(const Split& split, const std::vector<int>& labels, int k) const;

 private:
  struct Near {
    std::uint32_t leaf;
    float distance;
  };
  std::size_t leaves_;
  std::vector<Near> lists_;  // of leaf i at i * leaves_
};

/// 10 (`test`) leaves of each class as test leaves and the others as training leaves, drawn at
/// random.
std::vector<Split> random_splits(const std::vector<int>& labels, std::size_t test,
                                 std::size_t count, std::uint64_t seed);

}  // namespace leafglyph
