#include "gpu/jacobi/jacobi_kernels.h"

#include <algorithm>

namespace leafglyph::gpu {
namespace {

constexpr unsigned kThreads = 128;

__device__ std::size_t square_count(std::size_t order_plus_one) {
  return order_plus_one * (order_plus_one + 1) / 2;
}

// Position of a moment in the list, as in jacobi_position: the number of moments of a total order
// below `total`, plus the number before o in the shell of `total`, plus n.
__device__ std::size_t list_position(int dimensions, int m, int n, int o) {
  const auto total = static_cast<std::size_t>(m + n + o);
  if (dimensions == 2) return square_count(total) + static_cast<std::size_t>(n);
  const auto z = static_cast<std::size_t>(o);
  return total * (total + 1) * (total + 2) / 6 + z * (2 * total + 3 - z) / 2 +
         static_cast<std::size_t>(n);
}

// One block per pair (m, n) of a volume, or per m of an image. Threads run along the last axis.
template <class T, bool kGather>
__global__ void __launch_bounds__(kThreads)
    copy_orders(T* cube, double* list, int dimensions, int order) {
  const int m = static_cast<int>(blockIdx.y);
  const int middle = dimensions == 3 ? static_cast<int>(blockIdx.x) : 0;
  const std::size_t side = static_cast<std::size_t>(order) + 1;
  T* row = cube + (dimensions == 3 ? (m * side + middle) * side : m * side);
  for (int last = static_cast<int>(threadIdx.x); m + middle + last <= order;
       last += static_cast<int>(kThreads)) {
    const std::size_t position =
        dimensions == 3 ? list_position(3, m, middle, last) : list_position(2, m, last, 0);
    if constexpr (kGather) {
      list[position] = static_cast<double>(row[last]);
    } else {
      row[last] = static_cast<T>(list[position]);
    }
  }
}

template <class T, class Out>
__global__ void pick_kernel(const T* products, const std::uint32_t* places, std::size_t count,
                            std::size_t images, Out* out) {
  const std::size_t b = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t c = blockIdx.y;
  if (b >= images) return;
  const T value = products[places[c] * images + b];
  if constexpr (sizeof(Out) == sizeof(float)) {
    out[b * count + c] = static_cast<Out>(value < T{0} ? -value : value);
  } else {
    out[2 * (b * count + c)] = static_cast<Out>(value);
    out[2 * (b * count + c) + 1] = Out{0};
  }
}

dim3 order_grid(int dimensions, int order) {
  const auto side = static_cast<unsigned>(order) + 1;
  return {dimensions == 3 ? side : 1U, side};
}

}  // namespace

template <class T>
void gather_orders(const T* cube, int dimensions, int order, double* list, const Stream& stream) {
  copy_orders<T, true><<<order_grid(dimensions, order), kThreads, 0, stream.get()>>>(
      const_cast<T*>(cube), list, dimensions, order);
  CUDA_CHECK_LAUNCH("copy_orders");
}

template <class T>
void scatter_orders(const double* list, int dimensions, int order, T* cube, const Stream& stream) {
  copy_orders<T, false><<<order_grid(dimensions, order), kThreads, 0, stream.get()>>>(
      cube, const_cast<double*>(list), dimensions, order);
  CUDA_CHECK_LAUNCH("copy_orders");
}

template <class T, class Out>
void launch_pick(const T* products, const std::uint32_t* places, std::size_t count,
                 std::size_t images, Out* out, const Stream& stream) {
  // Orders above 500 have more moments than a grid has rows.
  constexpr std::size_t kRows = 65535;
  for (std::size_t first = 0; first < count; first += kRows) {
    const dim3 grid(static_cast<unsigned>((images + kThreads - 1) / kThreads),
                    static_cast<unsigned>(std::min(kRows, count - first)));
    pick_kernel<T, Out>
        <<<grid, kThreads, 0, stream.get()>>>(products, places + first, count, images,
                                              out + (sizeof(Out) == sizeof(float) ? 1 : 2) * first);
    CUDA_CHECK_LAUNCH("pick_kernel");
  }
}

template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, float* out, const Stream& stream) {
  launch_pick(products, places, count, images, out, stream);
}

template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, double* out, const Stream& stream) {
  launch_pick(products, places, count, images, out, stream);
}

template void gather_orders<float>(const float*, int, int, double*, const Stream&);
template void gather_orders<double>(const double*, int, int, double*, const Stream&);
template void scatter_orders<float>(const double*, int, int, float*, const Stream&);
template void scatter_orders<double>(const double*, int, int, double*, const Stream&);
template void pick_moments<float>(const float*, const std::uint32_t*, std::size_t, std::size_t,
                                  float*, const Stream&);
template void pick_moments<float>(const float*, const std::uint32_t*, std::size_t, std::size_t,
                                  double*, const Stream&);
template void pick_moments<double>(const double*, const std::uint32_t*, std::size_t, std::size_t,
                                   float*, const Stream&);
template void pick_moments<double>(const double*, const std::uint32_t*, std::size_t, std::size_t,
                                   double*, const Stream&);

}  // namespace leafglyph::gpu
