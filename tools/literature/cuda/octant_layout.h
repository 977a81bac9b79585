// The re-layout of the literature: the eight mirror images of every pixel of an octant in eight
// arrays, and what moments need of them.
#pragma once

#include <vector>

#include "gpu/cuda/cuda_raii.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph::gpu::published {

/// Where the octant's samples are in the arrays: row by row upwards, and within a row from the
/// diagonal to the rim.
struct OctantLayout {
  std::vector<int> row_starts;  ///< the first place of each row
  std::vector<int> addresses;  ///< in the image, of mirror image q of place p at q * places + p; -1
                               ///< where a pixel of the diagonal would be repeated
  std::vector<double> rho;
  std::vector<double> theta;
};
OctantLayout octant_layout(int size);

/// Copies the pixels to their places: h[q * count + p], and 0 where the address is -1.
void relayout(const double* image, const int* addresses, int count, double* h,
              const Stream& stream);
KernelUse relayout_use(const char* name);

/// The sums of f cos m theta and of f sin m theta over the eight mirror images f of a pixel, whose
/// own cosine and sine are given; residue is m mod 4.
__device__ inline double real_part(const double (&f)[8], int residue, double cosine, double sine) {
  if (residue == 0) return (f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7]) * cosine;
  if (residue == 2) return (f[0] - f[1] - f[2] + f[3] + f[4] - f[5] - f[6] + f[7]) * cosine;
  const double sign = residue == 1 ? 1.0 : -1.0;
  return (f[0] - f[3] - f[4] + f[7]) * cosine + sign * (f[1] - f[2] - f[5] + f[6]) * sine;
}

__device__ inline double imaginary_part(const double (&f)[8], int residue, double cosine,
                                        double sine) {
  if (residue == 0) return (f[0] - f[1] + f[2] - f[3] + f[4] - f[5] + f[6] - f[7]) * sine;
  if (residue == 2) return (f[0] + f[1] - f[2] - f[3] + f[4] + f[5] - f[6] - f[7]) * sine;
  const double sign = residue == 1 ? 1.0 : -1.0;
  return (f[0] + f[3] - f[4] - f[7]) * sine + sign * (f[1] + f[2] - f[5] - f[6]) * cosine;
}

}  // namespace leafglyph::gpu::published
