// cuBLAS, loaded when it is first needed, so that programs start where it is not installed. For
// the files of gpu/ alone.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

enum class Operand { kPlain, kTransposed };

/// A matrix in GPU memory, row-major with leading dimension `ld`; in a batch the next one starts
/// `stride` elements later.
template <class T>
struct GpuMatrix {
  T* data = nullptr;
  std::size_t ld = 0;
  std::size_t stride = 0;
};

/// rows x columns results of sums over `depth`, `batch` of them.
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
  std::size_t batch = 1;
};

/// A cuBLAS handle on the current GPU; its products are queued in one stream.
class Cublas {
 public:
  /// Throws Error when the library cannot be loaded or started.
  explicit Cublas(const Stream& stream);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// C = op(A) op(B) + beta C. T: float (true single precision) or double.
  template <class T>
  void product(Operand op_a, Operand op_b, const ProductSize& size, GpuMatrix<const T> a,
               GpuMatrix<const T> b, T beta, GpuMatrix<T> c);

  /// C_i = op(A_i) op(B_i) with the matrices' addresses in arrays of size.batch in GPU memory.
  template <class T>
  void product(Operand op_a, Operand op_b, const ProductSize& size, const T* const* a,
               std::size_t lda, const T* const* b, std::size_t ldb, T* const* c, std::size_t ldc);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* handle_ = nullptr;
};

}  // namespace leafglyph::gpu
