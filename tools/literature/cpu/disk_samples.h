// The samples of the published methods: sub-pixel centres of the disk, one by one or folded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph::published {

/// A sub-pixel centre and the weight of the samples that it stands for: 1, and on an axis or a
/// diagonal, where mirror images fall on one another, a part of it.
struct DiskSample {
  double x;
  double y;
  double weight;
};

/// The k x k sub-pixel centres of every pixel whose centres all lie in the disk, and the pixel's
/// value at each.
struct WholeDisk {
  std::vector<DiskSample> samples;
  std::vector<double> values;
};
WholeDisk whole_disk(std::span<const double> image, int size, int k);

/// Samples of a quadrant or octant, and the sums and differences of their mirror images that the
/// symmetries of cosine and sine leave: combination c of sample p at images[c * samples.size() +
/// p].
struct FoldedDisk {
  std::vector<DiskSample> samples;
  std::vector<double> images;
};

/// x, y >= 0, with f1 to f4 at theta, pi - theta, pi + theta, -theta: f1 + f2 + f3 + f4 (cosine)
/// and f1 - f2 + f3 - f4 (sine) for even m, f1 - f2 - f3 + f4 and f1 + f2 - f3 - f4 for odd m.
FoldedDisk fold_quadrant(std::span<const double> image, int size, int k);

/// The octants' samples: 0 <= y <= x, and the pixels (j * N + i) of the eight mirror images at
/// theta, pi/2 - theta, pi/2 + theta, pi - theta, pi + theta, 3pi/2 - theta, 3pi/2 + theta, -theta.
struct OctantSamples {
  std::vector<DiskSample> samples;
  std::vector<std::array<std::int32_t, 8>> pixels;
};
OctantSamples octant_samples(int size, int k);

/// How the eight mirror images enter each of the eight combinations of fold_octant, by m mod 4:
/// 0 and 1 for m = 4 q (cosine, sine), 2 and 3 for 4 q + 2; for odd m cosine f1 - f4 - f5 + f8 (4)
/// and sine f2 - f3 - f6 + f7 (5) make the real part, sine f1 + f4 - f5 - f8 (6) and cosine
/// f2 + f3 - f6 - f7 (7) the imaginary one; of m = 4 q + 3 the signs of 5 and 7 turn.
inline constexpr int kOctantSigns[8][8] = {
    {1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, -1, 1, 1, -1, -1, 1},
    {1, 1, -1, -1, 1, 1, -1, -1}, {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
    {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0}};
FoldedDisk fold_octant(std::span<const double> image, int size, int k);

}  // namespace leafglyph::published
