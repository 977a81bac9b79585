// The rotation in each degree on the GPU (features/separable/rotation_kernels.h). Only for the
// files of gpu/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// The moments of one degree.
struct GpuDegree {
  std::size_t first;  ///< position of its first moment in the list
  double norm_zero;   ///< zernike_norm(n, 0)
  double norm;        ///< zernike_norm for m > 0
};

/// The arrays of DegreeRotation, indexed by k and m, starting at degree_row(n, parity).
struct RotationArrays {
  int order;
  const GpuDegree* degrees;
  const double2* recurrence;  ///< slope and shift
  const double2* factors;     ///< forward and backward
  const int2* turning;        ///< index of the turning point, and start of the backward recurrence
  const double* scale;        ///< for the results of the transpose, by k, including the factor of
                              ///< the line basis
};

/// Moments of the degrees from the scaled values kappa[degree_row(n, parity) + i].
void rotate(const RotationArrays& rotation, int first_degree, int last_degree, const double* kappa,
            double2* moments, const Stream& stream);

/// The transpose, for moments that are multiplied by their weights: kappa[rows[k] + n - k], scaled.
void rotate_back(const RotationArrays& rotation, const double2* weighted, const std::size_t* rows,
                 int warps, double* kappa, const Stream& stream);

/// Entries of a degree that rotate_back sums at a time.
inline constexpr int kRotationChunk = 16;

/// Bytes of shared memory that a block of rotate and of rotate_back needs.
std::size_t rotation_bytes(int order);
std::size_t rotation_back_bytes(int order, int warps);
/// Loads the kernels of both, as load_line_sums does.
void load_rotation();

}  // namespace leafglyph::gpu
