// Slices of a volume from its Jacobi moments, without the volume.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "features/image/volume.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The sum over the degrees across a slice comes first, with the polynomials' values there; what is
/// left are the moments of an image. About T^3 / 6 + (T + 1)^2 N + (T + 1) N^2 multiply-adds for a
/// slice of N x N voxels, in double on the CPU.
class VolumeSlices {
 public:
  /// Tables of the three axes. Throws UsageError as validate(spec, size), for families on the disk
  /// and for a size that is not a volume's.
  VolumeSlices(const MomentSpec& spec, const ArraySize& size);

  /// The slice as volume_slice() gives it of the volume from all these moments, which are numbered
  /// by volume_moment_position. Throws UsageError when their number is another or the slice is not
  /// in the volume, InputError when a moment is not finite.
  Image<double> slice(std::span<const std::complex<double>> moments, Axis axis, int position) const;

 private:
  std::vector<double> summed_across(std::span<const std::complex<double>> moments, Axis axis,
                                    int position) const;

  MomentSpec spec_;
  ArraySize size_;
  std::array<int, 3> lengths_;                 // x, y, z
  std::array<std::vector<double>, 3> values_;  // [degree * length + voxel] of each axis
};

}  // namespace leafglyph
