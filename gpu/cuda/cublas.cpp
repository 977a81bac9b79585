#include "gpu/cuda/cublas.h"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <array>
#include <string>
#include <type_traits>

namespace leafglyph::gpu {

// The functions used from the library, with the types that its header declares.
struct Cublas::Library {
  void* file = nullptr;
  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasDestroy_v2) destroy = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  decltype(&::cublasSgemmStridedBatched) sgemm = nullptr;
  decltype(&::cublasDgemmStridedBatched) dgemm = nullptr;
  decltype(&::cublasSgemmBatched) sgemm_pointers = nullptr;
  decltype(&::cublasDgemmBatched) dgemm_pointers = nullptr;

  Library() {
    const std::string versioned = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
    for (const std::string& name :
         {versioned, "/usr/local/cuda/lib64/" + versioned, std::string("libcublas.so")}) {
      file = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (file != nullptr) break;
    }
    if (file == nullptr) {
      throw Error("cuBLAS cannot be loaded (" + versioned +
                  "); install it with the CUDA toolkit, or use --device cpu");
    }
    load(create, "cublasCreate_v2");
    load(destroy, "cublasDestroy_v2");
    load(set_stream, "cublasSetStream_v2");
    load(status_string, "cublasGetStatusString");
    load(sgemm, "cublasSgemmStridedBatched");
    load(dgemm, "cublasDgemmStridedBatched");
    load(sgemm_pointers, "cublasSgemmBatched");
    load(dgemm_pointers, "cublasDgemmBatched");
  }
  // The file stays loaded, because the CUDA runtime may still refer to its kernels.
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  void load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(file, name));
    if (function == nullptr) {
      throw Error(std::string("cuBLAS has no function ") + name +
                  "; install the version that belongs to the CUDA toolkit of this build");
    }
  }

  void check(cublasStatus_t status, const char* what) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw Error(std::string("cuBLAS failed in ") + what + ": " + status_string(status));
  }
};

namespace {

cublasOperation_t operation(Operand operand) {
  return operand == Operand::kPlain ? CUBLAS_OP_N : CUBLAS_OP_T;
}

int narrow(std::size_t value) { return static_cast<int>(value); }

}  // namespace

Cublas::Cublas(const Stream& stream) : library_(std::make_unique<Library>()) {
  cublasHandle_t handle = nullptr;
  library_->check(library_->create(&handle), "cublasCreate");
  handle_ = handle;
  library_->check(library_->set_stream(handle, stream.get()), "cublasSetStream");
}

Cublas::~Cublas() { static_cast<void>(library_->destroy(static_cast<cublasHandle_t>(handle_))); }

// cuBLAS matrices are column-major, so it reads a row-major matrix as its transpose: C^T = B^T A^T.
template <class T>
void Cublas::product(Operand op_a, Operand op_b, const ProductSize& size, GpuMatrix<const T> a,
                     GpuMatrix<const T> b, T beta, GpuMatrix<T> c) {
  if (size.rows == 0 || size.columns == 0 || size.batch == 0) return;
  const T one = 1;
  const auto run = [&](auto gemm) {
    return gemm(static_cast<cublasHandle_t>(handle_), operation(op_b), operation(op_a),
                narrow(size.columns), narrow(size.rows), narrow(size.depth), &one, b.data,
                narrow(b.ld), static_cast<long long>(b.stride), a.data, narrow(a.ld),
                static_cast<long long>(a.stride), &beta, c.data, narrow(c.ld),
                static_cast<long long>(c.stride), narrow(size.batch));
  };
  if constexpr (std::is_same_v<T, float>) {
    library_->check(run(library_->sgemm), "cublasSgemmStridedBatched");
  } else {
    library_->check(run(library_->dgemm), "cublasDgemmStridedBatched");
  }
}

template <class T>
void Cublas::product(Operand op_a, Operand op_b, const ProductSize& size, const T* const* a,
                     std::size_t lda, const T* const* b, std::size_t ldb, T* const* c,
                     std::size_t ldc) {
  if (size.rows == 0 || size.columns == 0 || size.batch == 0) return;
  const T one = 1;
  const T zero = 0;
  const auto run = [&](auto gemm) {
    return gemm(static_cast<cublasHandle_t>(handle_), operation(op_b), operation(op_a),
                narrow(size.columns), narrow(size.rows), narrow(size.depth), &one, b, narrow(ldb),
                a, narrow(lda), &zero, c, narrow(ldc), narrow(size.batch));
  };
  if constexpr (std::is_same_v<T, float>) {
    library_->check(run(library_->sgemm_pointers), "cublasSgemmBatched");
  } else {
    library_->check(run(library_->dgemm_pointers), "cublasDgemmBatched");
  }
}

template void Cublas::product<float>(Operand, Operand, const ProductSize&, GpuMatrix<const float>,
                                     GpuMatrix<const float>, float, GpuMatrix<float>);
template void Cublas::product<double>(Operand, Operand, const ProductSize&, GpuMatrix<const double>,
                                      GpuMatrix<const double>, double, GpuMatrix<double>);
template void Cublas::product<float>(Operand, Operand, const ProductSize&, const float* const*,
                                     std::size_t, const float* const*, std::size_t, float* const*,
                                     std::size_t);
template void Cublas::product<double>(Operand, Operand, const ProductSize&, const double* const*,
                                      std::size_t, const double* const*, std::size_t,
                                      double* const*, std::size_t);

}  // namespace leafglyph::gpu
