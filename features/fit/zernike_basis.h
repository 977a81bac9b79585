// Real Zernike polynomials, circular and annular, at points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/base/names.h"
#include "features/fit/zernike_indices.h"

namespace leafglyph {

enum class ZernikeScale {
  kRms,        ///< the mean of the square over the disk or annulus is 1, as Noll's
  kAmplitude,  ///< the radial polynomial is 1 at radius 1, as in the fringe numbers' tables
};
template <>
inline constexpr Names<ZernikeScale, 2> kNamesOf<ZernikeScale> = {
    "scale", {{{ZernikeScale::kRms, "rms"}, {ZernikeScale::kAmplitude, "amplitude"}}}};

/// The polynomials Z_nm(x, y) = R_nm(rho) cos(m theta), or R_n|m|(rho) sin(|m| theta) for m < 0, in
/// the unit disk, or in the annulus from `hole` to 1 (V. N. Mahajan, J. Opt. Soc. Am. 71 (1981),
/// 75; with hole 0 the same as in the disk). The radial ones are rho^m p(rho^2) with p orthogonal
/// on [hole^2, 1] under the weight u^m.
class ZernikeBasis {
 public:
  /// Throws UsageError for no terms, an order above kMaxFitOrder and a hole that is not in [0, 1).
  ZernikeBasis(std::vector<ZernikeTerm> terms, double hole, ZernikeScale scale);

  /// The highest n.
  int order() const { return terms_.back().n; }
  double hole() const { return hole_; }
  ZernikeScale scale() const { return scale_; }
  std::size_t size() const { return terms_.size(); }
  /// Each once, by n, then by m, so that those of a lower order come first.
  std::span<const ZernikeTerm> terms() const { return terms_; }

  /// The values of all terms at a point. The powers of x + j y take the place of angles, so that
  /// the centre is a point like others.
  void values_at(double x, double y, std::span<double> values) const;

 private:
  // Of one |m|: p_0 = first, p_k = (slope_k u + shift_k) p_{k-1} + back_k p_{k-2}.
  struct Radial {
    double first = 0.0;
    std::vector<double> slope, shift, back;
    std::vector<std::size_t> cosine, sine;  // the places of the terms of p_k, or kAbsent
  };

  static constexpr std::size_t kAbsent = ~std::size_t{0};

  std::size_t place_of(const ZernikeTerm& term) const;

  double hole_;
  ZernikeScale scale_;
  std::vector<ZernikeTerm> terms_;
  std::vector<Radial> radial_;
};

}  // namespace leafglyph
