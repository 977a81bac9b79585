// Vectors of three components, as voxels' places and directions are.
#pragma once

#include <array>
#include <cmath>

namespace leafglyph {

using Vector3 = std::array<double, 3>;

inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Vector3 scaled(const Vector3& v, double factor) {
  return {v[0] * factor, v[1] * factor, v[2] * factor};
}

inline Vector3 sum(const Vector3& a, const Vector3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

inline double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

/// Of length 1; NaN where v is 0.
inline Vector3 unit(const Vector3& v) { return scaled(v, 1.0 / length(v)); }

}  // namespace leafglyph
