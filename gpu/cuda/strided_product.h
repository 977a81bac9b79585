// Dense products of matrices of doubles in any layout on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace leafglyph::gpu {

/// A matrix in GPU memory: element (i, k) is at data[i * row + k * column].
struct StridedMatrix {
  const double* data;
  std::size_t row;
  std::size_t column;
};

/// c[i * c_row + j] = sum over k < depth of a(i, k) b(j, k) for i < rows, j < columns. One of the
/// strides of a should be 1, and one of b.
void strided_product(std::size_t rows, std::size_t columns, std::size_t depth,
                     const StridedMatrix& a, const StridedMatrix& b, double* c, std::size_t c_row,
                     cudaStream_t stream);

}  // namespace leafglyph::gpu
