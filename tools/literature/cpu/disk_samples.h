// The samples of the published methods: the sub-pixel centres of the disk, one by one or folded by
// symmetry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph::published {

/// A sub-pixel centre. `weight` is 1, or less on an axis or a diagonal, where several mirror images
/// are the same sample.
struct DiskSample {
  double x;
  double y;
  double weight;
};

/// The sub-pixel centres of the pixels that count, and the value of its pixel for each. A pixel
/// counts if all of its k x k centres lie in the disk.
struct WholeDisk {
  std::vector<DiskSample> samples;
  std::vector<double> values;
};
WholeDisk whole_disk(std::span<const double> image, int size, int k);

/// The samples of a quadrant or an octant. The symmetries of cosine and sine reduce their mirror
/// images to a few sums and differences: combination c of sample p is at
/// images[c * samples.size() + p].
struct FoldedDisk {
  std::vector<DiskSample> samples;
  std::vector<double> images;
};

/// The samples with x, y >= 0. With f1 to f4 the values at theta, pi - theta, pi + theta and
/// -theta, the combinations are f1 + f2 + f3 + f4 (cosine) and f1 - f2 + f3 - f4 (sine) for even m,
/// f1 - f2 - f3 + f4 (cosine) and f1 + f2 - f3 - f4 (sine) for odd m.
FoldedDisk fold_quadrant(std::span<const double> image, int size, int k);

/// The samples with 0 <= y <= x, and the pixels (j * N + i) of their eight mirror images, at theta,
/// pi/2 - theta, pi/2 + theta, pi - theta, pi + theta, 3pi/2 - theta, 3pi/2 + theta and -theta.
struct OctantSamples {
  std::vector<DiskSample> samples;
  std::vector<std::array<std::int32_t, 8>> pixels;
};
OctantSamples octant_samples(int size, int k);

/// The signs of the mirror images f1 to f8 in each of the eight combinations of fold_octant.
/// Combinations 0 (cosine) and 1 (sine) are for m = 4 q, 2 (cosine) and 3 (sine) for m = 4 q + 2.
/// For m = 4 q + 1 the real part is made of 4 (cosine, f1 - f4 - f5 + f8) and 5 (sine,
/// f2 - f3 - f6 + f7), the imaginary part of 6 (sine, f1 + f4 - f5 - f8) and 7 (cosine,
/// f2 + f3 - f6 - f7). For m = 4 q + 3 the same holds with 5 and 7 negated.
inline constexpr int kOctantSigns[8][8] = {
    {1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, -1, 1, 1, -1, -1, 1},
    {1, 1, -1, -1, 1, 1, -1, -1}, {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
    {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0}};
FoldedDisk fold_octant(std::span<const double> image, int size, int k);

}  // namespace leafglyph::published
