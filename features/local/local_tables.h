// What the Zernike moments about every pixel need, whatever the image: pieces of columns, and the
// polynomials that moments are made of there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/base/names.h"

namespace leafglyph {

/// What is beyond the sides of the image.
enum class LocalBorder {
  kZero,    ///< nothing: the moments are those of a circle that reaches out of the image
  kMirror,  ///< the image again, mirrored about the centres of its outer pixels
};
template <>
inline constexpr Names<LocalBorder, 2> kNamesOf<LocalBorder> = {
    "border", {{{LocalBorder::kZero, "zero"}, {LocalBorder::kMirror, "mirror"}}}};

/// The moments about pixel (row, column) are those of `moments compute` on your own circle
/// around its centre:
///   Z_nm = (n+1) / (pi r^2) * sum of f R_nm(rho) e^{-j m theta},  0 <= m <= n <= order, n - m
///   even,
/// over the pixels whose centres are at most r away, with y upwards.
struct LocalSpec {
  int order = 8;
  double radius = 16.0;  ///< r, in pixels
  int step = 1;          ///< moments about every step-th row and column, from the first on
  LocalBorder border = LocalBorder::kZero;
};

/// Throws UsageError unless order is 0 to kMaxLocalOrder, radius 1 to kMaxLocalRadius, step 1 or
/// more and at most kMaxAxisLength.
void validate(const LocalSpec& spec);

/// A stored number: the real part of a moment, or its imaginary part (m > 0).
struct LocalNumber {
  int n = 0;
  int m = 0;
  bool imaginary = false;
};

/// Columns are computed in pieces of some sites. With v the distance from the middle of a piece in
/// units of half its pixels, and h that from a row in units of r, the products P_p(v) P_q(h) of
/// Legendre polynomials, p + q <= order, are summed over the circle of each site: along a row as a
/// difference of two prefix sums, down the rows one after another. A linear map of each site makes
/// the moments of these. That costs about r rows of (order + 1)^2 / 2 terms for a site, where the
/// circle has pi r^2 pixels. A piece is so short that the map, which enlarges rounding errors as
/// P_n grows beyond [-1, 1], leaves 1e-10 of the largest value.
struct LocalTables {
  explicit LocalTables(const LocalSpec& spec);

  /// One row of a circle, `dy` rows from its middle: where the prefix sums of its ends are, for the
  /// first site of a piece. Those of site i are i further on.
  struct Chord {
    std::size_t left = 0;
    std::size_t right = 0;
  };

  LocalSpec spec;
  std::vector<LocalNumber> numbers;  ///< by n, then m, the real part first
  std::size_t degrees;               ///< order + 1
  std::size_t sites;                 ///< of a piece
  std::size_t padded_sites;          ///< the same, in whole vectors
  std::size_t pixels;                ///< of a row that a piece reads, the first `reach` left of it
  std::size_t reach;                 ///< the radius, rounded down
  /// polynomials[p * pixels + u] = P_p(v) of pixel u.
  std::vector<double> polynomials;
  /// The place of the prefix sum before pixel u, u = 0, ..., pixels, in a row of row_length, for
  /// each p. Sums that neighbouring sites need lie side by side: by u modulo step, then by u /
  /// step.
  std::vector<std::size_t> place;
  std::size_t row_length;
  std::vector<Chord> chords;  ///< by dy = 0, ..., reach
  /// heights[dy * degrees + q] = P_q(dy / r).
  std::vector<double> heights;
  /// shift[(p * degrees + j) * padded_sites + i], j <= p: P_p(distance from site i / r) is the sum
  /// of these times P_j(v).
  AlignedVector<double> shift;
  /// Number c is the sum, over t from first_term[c] to first_term[c + 1], of factors[t] times the
  /// product of degrees p and q about the site; products[t] = (p * degrees + q) * padded_sites.
  std::vector<std::size_t> first_term;
  std::vector<double> factors;
  std::vector<std::size_t> products;
};

}  // namespace leafglyph
