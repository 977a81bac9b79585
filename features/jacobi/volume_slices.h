// Slices of a volume from its moments on the cube, without reconstructing the volume.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "features/image/volume.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// First sums over the degrees across the slice, with the polynomials' values there, which leaves
/// the moments of an image. Takes about T^3 / 6 + (T + 1)^2 N + (T + 1) N^2 multiply-adds for a
/// slice of N x N voxels, in double on the CPU.
class VolumeSlices {
 public:
  /// Builds the tables of the three axes. Throws UsageError as validate(spec, size), for families
  /// on the disk and for a size that is not that of a volume.
  VolumeSlices(const MomentSpec& spec, const ArraySize& size);

  /// The slice that volume_slice() would cut from the volume reconstructed from all these moments,
  /// which are ordered by volume_moment_position. Throws UsageError when the number of moments is
  /// wrong or the slice is outside the volume, InputError when a moment or a sum of them is not
  /// finite.
  Image<double> slice(std::span<const std::complex<double>> moments, Axis axis, int position) const;

 private:
  std::vector<double> summed_across(std::span<const std::complex<double>> moments, Axis axis,
                                    int position) const;

  MomentSpec spec_;
  ArraySize size_;
  std::array<int, 3> lengths_;                 // x, y, z
  std::array<std::vector<double>, 3> values_;  // [degree * length + voxel] for each axis
};

}  // namespace leafglyph
