// The rotations from the products' basis of the ball to Zernike's, in two steps.
//
// In every degree, two orthonormal bases span the same space, so a rotation maps the coefficients
// in one to those in the other. Its rows are the eigenvectors of an operator that is diagonal in
// one basis and tridiagonal in the other. The eigenvalues are known, so each vector comes from the
// recurrence alone.
#pragma once

#include <cstddef>
#include <vector>

namespace leafglyph {

/// A matrix of `count` x `count`, row by row.
struct Rotation {
  std::size_t count = 0;
  std::vector<double> values;
};

/// In the plane, for degree p: from phi_pk(y) P_k(x / sqrt(1 - y^2)) with k = parity, parity + 2,
/// ... <= p (columns) to the cosine parts (parity 0) or sine parts (1) of Zernike's functions with
/// m = p, p - 2, ... in ascending order, without m = 0 for the sine parts (rows). The operator is
/// (x d/dy - y d/dx)^2 with the eigenvalues m^2:
///     A_kk = alpha_k ((p+1)^2 - 1) - k (k+1) (1 - alpha_k),
///     A_{k,k+2} = -gamma_k sqrt(((p+1)^2 - (k+1)^2) ((p+1)^2 - (k+2)^2)),
///     alpha_k = (2 k^2 + 2 k - 1) / ((2 k - 1) (2 k + 3)),
///     gamma_k = (k+1) (k+2) / ((2 k + 3) sqrt((2 k + 1) (2 k + 5))).
/// If c and s are the parts of a function, its coefficient in the function of norm 1 with the angle
/// e^{j m phi} is (-j)^m (c + j s), divided by sqrt(2) unless m = 0.
Rotation plane_rotation(int p, int parity);
/// The first m of plane_rotation().
int first_repetition(int p, int parity);

/// In space, for degree n and repetition m: from psi_np(z) (1 - z^2)^{p/2} times Zernike's planar
/// function (p, m) on the slice, p = m, m + 2, ... <= n (columns), to R_nl(r) p_lm(cos theta), the
/// l from m to n with n - l even in ascending order (rows).
///
/// Zernike's functions are those harmonics on the sphere of five-dimensional space (x, y, z, w1,
/// w2) that depend on w1^2 + w2^2 alone. The two bases couple the blocks (x, y) of degree m, (z)
/// and (w) in different orders, so that the rotation is one of Racah polynomials. With the Casimir
/// numbers c(k) = k (k - 1) of k_A = (m+1)/2, k_B = 1/4 or 3/4 (n - m odd), k_C = 1/2, k = (n +
/// 5/2)/2 and q = p/2 + 1, the operator (L^2 - 3/4) / 4 with the eigenvalues c((l + 3/2) / 2) is
///     A_pp = c_A + c_B + (c(q) + c_A - c_C) (c(k) - c(q) - c_B) / (2 c(q)),
///     A_{p,p+2} = -sqrt((q^2 - (k_A - k_C)^2) ((k_A + k_C - 1)^2 - q^2)
///                       ((k + k_B - 1)^2 - q^2) (q^2 - (k - k_B)^2) / (4 q^2 (4 q^2 - 1))).
Rotation space_rotation(int n, int m);
/// The first l of space_rotation().
inline int first_degree(int n, int m) { return m + (n - m) % 2; }

}  // namespace leafglyph
