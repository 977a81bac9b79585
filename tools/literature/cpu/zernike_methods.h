// The literature's ways to Zernike and pseudo-Zernike moments of one image on one thread, written
// anew from their descriptions, for side-by-side benchmarks and tests only.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"
#include "tools/literature/cpu/radial_tables.h"

namespace leafglyph::published {

enum class Symmetry {
  kNone,      ///< every sample of the disk by itself
  kEightfold  ///< samples of an octant, with the sums of their mirror images by m mod 4
};

/// Moments to `order` in storage order of one size x size image (rows from the top) under the k x k
/// sub-region rule: radial polynomials of every sample, cosine and sine of every m, and their
/// products summed. Throws UsageError as make_radial_table.
std::vector<std::complex<double>> zernike_moments(Family family, RadialMethod method,
                                                  Symmetry symmetry, Precision precision, int order,
                                                  int k, std::span<const double> image, int size);

/// Moments from geometric moments, to `order` in storage order, of one size x size image under the
/// k x k sub-region rule. The coefficients grow like (1 + sqrt 2)^n with changing signs, so that
/// the sums lose all digits at an order that depends on the arithmetic.
///     Z_nm = (n + 1)/pi sum over i, p, q of (-j)^q C(s, p) C(m, q) B_nmi G_{i-2p-q, 2p+q}
/// with R_nm = sum of B_nmi rho^i, s = (i - m) / 2 and G_ab the sum of f x^a y^b; the odd i - m of
/// pseudo-Zernike polynomials take the radial moments H_ab, the sum of f rho x^a y^b. Throws
/// UsageError for another family and for orders whose factorials double cannot hold.
std::vector<std::complex<double>> moments_from_geometric(Family family, Precision precision,
                                                         int order, int k,
                                                         std::span<const double> image, int size);

}  // namespace leafglyph::published
