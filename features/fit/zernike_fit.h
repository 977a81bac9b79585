// Coefficients of real Zernike polynomials that fit maps by least squares, on exactly the pixels
// that count. Sums over pixels (moments) differ from coefficients on a grid: the polynomials are
// orthogonal on the disk, not on its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/fit/fit_points.h"
#include "features/fit/row_nodes.h"
#include "features/fit/triangle.h"
#include "features/fit/zernike_basis.h"

namespace leafglyph {

/// What one map is fitted by.
struct FittedMap {
  std::vector<double> coefficients;  ///< of the terms of the basis
  double rms = 0.0;                  ///< of the map about its weighted mean
  double peak_to_valley = 0.0;
  double residual_rms = 0.0;  ///< root of the weighted mean square of what is left
  double residual_peak_to_valley = 0.0;
};

/// Up to this condition the noise of a map is not amplified much.
inline constexpr double kGoodCondition = 100.0;

/// A factorisation that all maps on the same points share. The matrix, a row for each pixel, is
/// never stored. Where pixels and weights are symmetric about both axes through the centre, the
/// four kinds of terms (even or odd in x, in y) are fitted apart, on a quarter of the rows.
class ZernikeFit {
 public:
  /// Throws InputError where there are fewer points than terms.
  ZernikeFit(ZernikeBasis basis, FitPoints points);

  const ZernikeBasis& basis() const { return basis_; }
  const FitPoints& points() const { return points_; }
  bool is_symmetric() const { return parts_.size() > 1; }

  /// The ratio of the largest to the smallest singular value of the weighted matrix of all terms of
  /// degree at most `order`; infinite where points do not determine them.
  double condition(int order) const;
  /// The highest order whose condition is at most `most`.
  int safe_order(double most) const;

  /// Fits `count` whole maps, one after another. Throws InputError for a condition above 1e7, and
  /// where a pixel that counts is not finite.
  std::vector<FittedMap> fit(std::span<const double> maps, std::size_t count) const;
  /// What is left of one map, point by point.
  std::vector<double> residual(std::span<const double> map,
                               std::span<const double> coefficients) const;
  /// The diagonal of (A^T W A)^-1: times the variance of a pixel's noise of weight 1, the variance
  /// of each coefficient.
  std::vector<double> covariance_diagonal() const;

 private:
  // Terms that are fitted together, and whether they change their sign with x or y.
  struct Part {
    std::vector<std::size_t> terms;
    double with_x = 1.0;
    double with_y = 1.0;
    Triangle triangle;
  };
  // Points that are mirror images of each other; the first is (x, y), then (-x, y), (x, -y), (-x,
  // -y); kNone where two are the same or the fit is not symmetric.
  struct Mirrored {
    std::uint32_t at[4];
  };

  void find_mirrored();
  double sign(const Part& part, int image) const {
    return (image % 2 == 1 ? part.with_x : 1.0) * (image >= 2 ? part.with_y : 1.0);
  }
  double weight(std::size_t point) const {
    return points_.weights.empty() ? 1.0 : points_.weights[point];
  }
  void make_triangles();
  bool make_triangles_of_products();
  void make_triangles_of_rows();
  std::vector<WeightedPoint> nodes_of(std::size_t group) const;
  template <class Use>
  void each_piece(std::size_t group, const Use& use) const;
  struct Statistics;
  // One way through the maps, whose residuals about a solution are not kept.
  template <class Use>
  void each_residual(std::span<const double> maps, std::size_t count,
                     std::span<const double> solution, std::size_t group, const Use& use) const;
  void fold(const Part& part, std::size_t from, std::size_t rows, std::span<const double> left,
            std::vector<double>& folded) const;
  std::vector<double> projected(std::span<const double> maps, std::size_t count,
                                std::span<const double> solution) const;
  std::vector<Statistics> measured(std::span<const double> maps, std::size_t count,
                                   std::span<const double> solution) const;

  ZernikeBasis basis_;
  FitPoints points_;
  std::vector<Part> parts_;
  std::vector<Mirrored> mirrored_;
};

}  // namespace leafglyph
