// cuBLAS, loaded at first use, so that programs start on machines without it. Only for the files of
// gpu/.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

enum class Operand { kPlain, kTransposed };

/// A row-major matrix in GPU memory with leading dimension `ld`. In a batch, the next matrix starts
/// `stride` elements later.
template <class T>
struct GpuMatrix {
  T* data = nullptr;
  std::size_t ld = 0;
  std::size_t stride = 0;
};

/// A batch of `batch` products of rows x columns results, each a sum over `depth`.
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
  std::size_t batch = 1;
};

/// A cuBLAS handle on the current GPU. Its products are queued in one CUDA stream.
class Cublas {
 public:
  /// Throws Error if the library cannot be loaded or initialised.
  explicit Cublas(const Stream& stream);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// C = op(A) op(B) + beta C. T: float (true single precision) or double.
  template <class T>
  void product(Operand op_a, Operand op_b, const ProductSize& size, GpuMatrix<const T> a,
               GpuMatrix<const T> b, T beta, GpuMatrix<T> c);

  /// C_i = op(A_i) op(B_i). The addresses of the matrices are in arrays of length size.batch in GPU
  /// memory.
  template <class T>
  void product(Operand op_a, Operand op_b, const ProductSize& size, const T* const* a,
               std::size_t lda, const T* const* b, std::size_t ldb, T* const* c, std::size_t ldc);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* handle_ = nullptr;
};

}  // namespace leafglyph::gpu
