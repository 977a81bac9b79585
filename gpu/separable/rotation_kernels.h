// The rotation in each degree on the GPU (features/separable/rotation_kernels.h). For the files of
// gpu/ alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// The moments of one degree.
struct GpuDegree {
  std::size_t first;  ///< position of its moments among all
  double norm_zero;   ///< zernike_norm(n, 0)
  double norm;        ///< that of m > 0
};

/// DegreeRotation's arrays: by k and by m at degree_row(n, parity).
struct RotationArrays {
  int order;
  const GpuDegree* degrees;
  const double2* recurrence;  ///< slope and shift
  const double2* factors;     ///< forward and backward
  const int2* turns;          ///< index of the turning point, and where the backward walk begins
  const double* scale;        ///< of the transpose's results, by k, times the line basis's factor
};

/// Moments of the degrees from kappa[degree_row(n, parity) + i], which is scaled.
void rotate(const RotationArrays& rotation, int first_degree, int last_degree, const double* kappa,
            double2* moments, const Stream& stream);

/// The transpose, of every moment times its weight: kappa[rows[k] + n - k], scaled.
void rotate_back(const RotationArrays& rotation, const double2* weighted, const std::size_t* rows,
                 int warps, double* kappa, const Stream& stream);

/// Entries of a degree that rotate_back sums at a time.
inline constexpr int kRotationChunk = 16;

/// Shared memory that a block takes, and leave to take `bytes` on the current GPU.
std::size_t rotation_bytes(int order);
std::size_t rotation_back_bytes(int order, int warps);
void allow_rotation_bytes(std::size_t bytes);

}  // namespace leafglyph::gpu
