// Zernike moments of volumes (Canterakis 1999; Novotni and Klein 2003): which there are, and their
// rotation invariants.
//
// With r, theta, phi the spherical coordinates of (x, y, z), theta from the z axis,
//     Z_nl^m     = sqrt(4 pi / 3) R_nl(r) p_lm(cos theta) e^{j m phi} / sqrt(2 pi),
//     Omega_nl^m = 3 / (4 pi) * integral over the unit ball of f conj(Z_nl^m),
// for 0 <= l <= n, n - l even, -l <= m <= l. R_nl is a polynomial of degree n with the factor r^l
// and R_nl(1) > 0, of norm 1 on [0, 1] under the weight r^2; p_lm, the associated Legendre function
// of norm 1 on [-1, 1], is positive for small theta. So the mean of |Z|^2 over the ball is 1, and
// f = sum of Omega Z. Canterakis and Novotni and Klein have the same Z times j^m. f is real, and
// Omega_nl^{-m} = conj(Omega_nl^m) with Z_nl^{-m} = conj(Z_nl^m); moments with m < 0 are not
// stored.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/moments/family.h"

namespace leafglyph {

/// Number of stored moments of order <= order.
std::size_t ball_moment_count(int order);
/// The position of a stored moment: by n, then by l, then by m.
std::size_t ball_moment_position(int n, int l, int m);

/// Number of norms ||Omega_nl|| of order <= order: 1, 2, 4, 6, 9, ...
std::size_t ball_norm_count(int order);
/// Their n and l (as MomentIndex::m), by n, then by l.
std::vector<MomentIndex> ball_norm_indices(int order);

/// ||Omega_nl||, the root of the sum of |Omega_nl^m|^2 over all m from -l to l, which turning and
/// mirroring the volume do not change. The moments of volume b, of order <= order, start at
/// moments[b * ball_moment_count(order)], its norms at norms[b * ball_norm_count(order)]. Throws
/// UsageError when sizes do not match.
void ball_norms(int order, std::span<const std::complex<double>> moments, std::span<double> norms);

}  // namespace leafglyph
