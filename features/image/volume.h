// Volumes: their slices, planes through them, generated volumes, and vectors in them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// A volume of grey values. Voxel (slice k, row j, column i) is at (k * height + j) * width + i.
/// Each slice is an image as in image.h.
struct Volume {
  int width = 0;
  int height = 0;
  int depth = 0;
  std::vector<double> values;

  Volume() = default;
  /// All voxels are 0. Throws UsageError if a length is below 1.
  Volume(int volume_width, int volume_height, int volume_depth);

  double& at(int slice, int row, int column) { return values[index(slice, row, column)]; }
  double at(int slice, int row, int column) const { return values[index(slice, row, column)]; }

 private:
  std::size_t index(int slice, int row, int column) const {
    return (static_cast<std::size_t>(slice) * static_cast<std::size_t>(height) +
            static_cast<std::size_t>(row)) *
               static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }
};

/// The value at a position (column, row, slice), in voxels with centres at integers, interpolated
/// trilinearly between the centres. Positions beyond the outer centres get the value of the outer
/// voxel.
double volume_value(const Volume& volume, const std::array<double, 3>& position);

enum class Axis { kX, kY, kZ };
char axis_name(Axis axis);  ///< 'x', 'y', 'z'

/// Throws UsageError unless a volume of these lengths (x, y, z) has this slice across the axis.
void check_slice(const std::array<int, 3>& lengths, Axis axis, int position);

/// Throws UsageError for a zero or non-finite normal and for a plane (see oblique_plane) that
/// misses the cube.
void check_plane(const std::array<double, 3>& normal, double offset);

/// The slice across `axis` at `position` (column, row or slice number): across z rows are y and
/// columns x, across y rows are z and columns x, across x rows are z and columns y. Throws
/// UsageError as check_slice.
Image<double> volume_slice(const Volume& volume, Axis axis, int position);

/// The plane {p : p . normal / |normal| = offset} of the cube [-1, 1]^3 that the volume fills (x to
/// the right, y up, z with the slice number), seen against its normal. The image has `size` x
/// `size` pixels and shows the square of half side sqrt(3) around the plane's point nearest the
/// centre, interpolated trilinearly between voxel centres, 0 outside the cube. Columns run along z
/// x normal (along x for a normal along z), rows downwards. Throws UsageError as check_plane and
/// for size < 1.
Image<double> oblique_plane(const Volume& volume, const std::array<double, 3>& normal,
                            double offset, int size);

/// A bone-like volume with 8-bit values 0 to 255: a bright shell between two crooked tubes, spongy
/// texture of random plane waves inside it, and a dark canal along the axis. Equal seeds give equal
/// volumes.
Volume generate_bone(int width, int height, int depth, std::uint32_t seed);

/// The box of the volume around its centre of mass, to the nearest half voxel, which becomes the
/// middle of the box. With the root mean square distance d of the mass from there, the longest side
/// is 2 * factor * d to the nearest voxel or two, the others as long or a voxel less, as their
/// middle asks. Where the box reaches beyond the volume, it is 0. Throws UsageError unless factor
/// is in (0, 10], and InputError if the values have no positive sum, are not finite or
/// have no distance from their middle, and as check_memory.
Volume around_mass(const Volume& volume, double factor);

/// 10 log10(peak^2 / mean squared difference) over all voxels; infinite for equal volumes. `volume`
/// is first clipped, and rounded if asked for, as for ImageError (image_quality.h); a reference
/// that is not of whole samples, such as a generated bone, is compared without rounding. Throws
/// UsageError if the sizes differ.
double volume_psnr(const Volume& reference, const Volume& volume, const SampleRange& range,
                   Rounding rounding);

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

/// The vector scaled to length 1; NaN if v is 0.
inline Vector3 unit(const Vector3& v) { return scaled(v, 1.0 / length(v)); }

}  // namespace leafglyph
