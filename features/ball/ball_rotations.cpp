#include "features/ball/ball_rotations.h"

#include <cmath>
#include <limits>

namespace leafglyph {
namespace {

using Real = long double;

Real square(Real x) { return x * x; }

// A symmetric tridiagonal matrix.
struct Tridiagonal {
  std::vector<Real> diagonal;
  std::vector<Real> beside;  // [i]: between i and i + 1

  std::size_t count() const { return diagonal.size(); }
};

// 1 / x, without dividing by 0.
Real inverse(Real x) { return 1 / (x == 0 ? std::numeric_limits<Real>::epsilon() : x); }

// The eigenvector of an eigenvalue, of length 1, its first component positive. The recurrences from
// both ends meet where the equation in between is fulfilled best; each runs in the direction in
// which the vector grows.
std::vector<Real> eigenvector(const Tridiagonal& a, Real eigenvalue) {
  const std::size_t n = a.count();
  std::vector<Real> down(n);
  std::vector<Real> up(n);
  for (std::size_t i = 0; i < n; ++i) {
    down[i] = a.diagonal[i] - eigenvalue;
    if (i > 0) down[i] -= square(a.beside[i - 1]) * inverse(down[i - 1]);
  }
  for (std::size_t i = n; i-- > 0;) {
    up[i] = a.diagonal[i] - eigenvalue;
    if (i + 1 < n) up[i] -= square(a.beside[i]) * inverse(up[i + 1]);
  }
  std::size_t meet = 0;
  Real least = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const Real misfit = std::abs(down[i] + up[i] - (a.diagonal[i] - eigenvalue));
    if (misfit < least) {
      least = misfit;
      meet = i;
    }
  }
  std::vector<Real> vector(n);
  vector[meet] = 1;
  for (std::size_t i = meet; i-- > 0;) {
    vector[i] = -a.beside[i] * vector[i + 1] * inverse(down[i]);
  }
  for (std::size_t i = meet + 1; i < n; ++i) {
    vector[i] = -a.beside[i - 1] * vector[i - 1] * inverse(up[i]);
  }
  Real norm = 0;
  for (const Real v : vector) norm += v * v;
  const Real scale = std::copysign(1 / std::sqrt(norm), vector.front());
  for (Real& v : vector) v *= scale;
  return vector;
}

Rotation rotation(const Tridiagonal& matrix, const std::vector<Real>& eigenvalues) {
  Rotation rotation{matrix.count(), {}};
  for (const Real eigenvalue : eigenvalues) {
    for (const Real v : eigenvector(matrix, eigenvalue)) {
      rotation.values.push_back(static_cast<double>(v));
    }
  }
  return rotation;
}

Real casimir(Real k) { return k * (k - 1); }

}  // namespace

int first_repetition(int p, int parity) { return parity == 0 ? p % 2 : 2 - p % 2; }

Rotation plane_rotation(int p, int parity) {
  Tridiagonal a;
  std::vector<Real> eigenvalues;
  const Real top = square(Real(p) + 1);
  for (int i = parity; i <= p; i += 2) {
    const Real k = i;
    const Real alpha = (2 * k * k + 2 * k - 1) / ((2 * k - 1) * (2 * k + 3));
    a.diagonal.push_back(alpha * (top - 1) - k * (k + 1) * (1 - alpha));
    if (i + 2 > p) break;
    const Real gamma = (k + 1) * (k + 2) / ((2 * k + 3) * std::sqrt((2 * k + 1) * (2 * k + 5)));
    a.beside.push_back(-gamma * std::sqrt((top - square(k + 1)) * (top - square(k + 2))));
  }
  for (int m = first_repetition(p, parity); m <= p; m += 2) eigenvalues.push_back(square(m));
  return rotation(a, eigenvalues);
}

Rotation space_rotation(int n, int m) {
  const Real in_plane = (m + Real(1)) / 2;
  const Real along = (n - m) % 2 == 0 ? Real(1) / 4 : Real(3) / 4;
  const Real hidden = Real(1) / 2;
  const Real whole = (n + Real(5) / 2) / 2;
  Tridiagonal a;
  std::vector<Real> eigenvalues;
  for (int p = m; p <= n; p += 2) {
    const Real q = Real(p) / 2 + 1;
    const Real c = casimir(q);
    // c(q) = 0 for p = 0 alone, where k_A = k_C.
    const Real share = c == 0 ? Real(1) : (c + casimir(in_plane) - casimir(hidden)) / c;
    a.diagonal.push_back(casimir(in_plane) + casimir(along) +
                         share * (casimir(whole) - c - casimir(along)) / 2);
    if (p + 2 > n) break;
    const Real s = q * q;
    a.beside.push_back(-std::sqrt(
        (s - square(in_plane - hidden)) * (square(in_plane + hidden - 1) - s) *
        (square(whole + along - 1) - s) * (s - square(whole - along)) / (4 * s * (4 * s - 1))));
  }
  for (int l = first_degree(n, m); l <= n; l += 2) {
    eigenvalues.push_back(casimir((l + Real(3) / 2) / 2));
  }
  return rotation(a, eigenvalues);
}

}  // namespace leafglyph
