// Dense matrix products on the CPU: BLAS when it was built in, a plain blocked loop otherwise.
#pragma once

#include <cstddef>
#include <string>

namespace leafglyph {

// T is float or double. Products that take longer than about a second are done in pieces of rows,
// between which they throw Interrupted when interrupted().

/// C += A B^T for row-major A (rows x depth, leading dimension lda), B (columns x depth, ldb) and
/// C (rows x columns, ldc).
template <class T>
void add_product_nt(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc);

/// C += A B for row-major A (rows x depth, lda), B (depth x columns, ldb) and C (ldc).
template <class T>
void add_product_nn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc);

/// C += A^T B for row-major A (depth x rows, lda), B (depth x columns, ldb) and C (ldc).
template <class T>
void add_product_tn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc);

/// What does the products: "OpenBLAS 0.3.21 ... SkylakeX" or "built-in loops".
std::string product_library();
/// The name of the kernels that OpenBLAS runs: "SkylakeX"; empty for built-in loops.
std::string product_kernels();
/// The value of OPENBLAS_CORETYPE that has it run kernels of this processor's instructions, where
/// it takes the processor for a much older one (Debian's does not know those younger than it);
/// else, and where OPENBLAS_CORETYPE is set, empty. It is read when OpenBLAS is loaded.
std::string better_product_kernels();

}  // namespace leafglyph
