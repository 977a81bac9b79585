// Asynchronous copies of matrix tiles from global to shared memory.
#pragma once

#include <cuda_pipeline.h>

#include <cstddef>

namespace leafglyph::gpu {

/// A block of Threads threads starts the copy of Rows rows of 16 * Pieces bytes: row r from source
/// + row(r) * source_stride elements to target + r * TargetStride elements.
template <int Rows, int Pieces, int TargetStride, int Threads, class T, class Row>
__device__ void copy_rows_async(T* target, const T* source, std::size_t source_stride, Row row) {
  constexpr int kPieceElements = 16 / sizeof(T);
  static_assert(Rows * Pieces % Threads == 0);
#pragma unroll
  for (int i = 0; i < Rows * Pieces / Threads; ++i) {
    const int piece = i * Threads + static_cast<int>(threadIdx.x);
    const int r = piece / Pieces;
    const int column = piece % Pieces * kPieceElements;
    __pipeline_memcpy_async(target + r * TargetStride + column,
                            source + row(r) * source_stride + column, 16);
  }
}

}  // namespace leafglyph::gpu
