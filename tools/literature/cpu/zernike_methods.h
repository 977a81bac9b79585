// The literature's methods for Zernike and pseudo-Zernike moments of one image on one thread,
// implemented from their descriptions. For side-by-side benchmarks and tests only.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"
#include "tools/literature/cpu/radial_tables.h"

namespace leafglyph::published {

enum class Symmetry {
  kNone,      ///< every sample of the disk separately
  kEightfold  ///< samples of one octant, with sums of their mirror images by m mod 4
};

/// Moments up to `order`, in storage order, of one size x size image (rows from the top) under the
/// k x k sub-region rule. Sums the products of the radial polynomials with the cosine and sine of
/// every m over all samples. Throws UsageError for the reasons of make_radial_table.
std::vector<std::complex<double>> zernike_moments(Family family, RadialMethod method,
                                                  Symmetry symmetry, Precision precision, int order,
                                                  int k, std::span<const double> image, int size);

/// Moments up to `order`, in storage order, of one size x size image under the k x k sub-region
/// rule, computed from geometric moments. The coefficients alternate in sign and grow like
/// (1 + sqrt 2)^n, so the sums lose all digits at an order that depends on the precision.
///     Z_nm = (n + 1)/pi sum over i, p, q of (-j)^q C(s, p) C(m, q) B_nmi G_{i-2p-q, 2p+q}
/// with R_nm = sum of B_nmi rho^i, s = (i - m) / 2 and G_ab the sum of f x^a y^b. Where i - m is
/// odd (pseudo-Zernike only), s is rounded down and the radial moments H_{i-1-2p-q,2p+q} take the
/// place of G, with H_ab the sum of f rho x^a y^b. Throws UsageError for any other family and for
/// orders whose factorials double cannot hold.
std::vector<std::complex<double>> moments_from_geometric(Family family, Precision precision,
                                                         int order, int k,
                                                         std::span<const double> image, int size);

}  // namespace leafglyph::published
