#include "gpu/folded/folded_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 256;
// The largest element of a basis row is scaled to below 2^14. Its two halves then represent 22 bits
// of every element down to 2^-24, the smallest half.
constexpr int kBasisExponent = 14;

// One basis row per block.
__global__ void split_row(const double* __restrict__ basis, const ProductTile* __restrict__ tiles,
                          __half* high, __half* low, float* scales) {
  const ProductTile tile = tiles[blockIdx.y];
  const std::size_t start =
      tile.basis_offset + static_cast<std::size_t>(blockIdx.x) * tile.basis_stride;
  __shared__ double largest[kThreads];
  double magnitude = 0.0;
  for (unsigned d = threadIdx.x; d < tile.basis_stride; d += kThreads) {
    magnitude = fmax(magnitude, fabs(basis[start + d]));
  }
  largest[threadIdx.x] = magnitude;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      largest[threadIdx.x] = fmax(largest[threadIdx.x], largest[threadIdx.x + half]);
    }
    __syncthreads();
  }
  int exponent = kBasisExponent;
  if (largest[0] > 0.0) frexp(largest[0], &exponent);
  // The shift is limited for rows of tiny elements, so that the inverse power stays in float's
  // range.
  const int shift = max(-126, exponent - kBasisExponent);
  for (unsigned d = threadIdx.x; d < tile.basis_stride; d += kThreads) {
    const double value = ldexp(basis[start + d], -shift);
    const __half upper = __double2half(value);
    high[start + d] = upper;
    low[start + d] = __double2half(value - static_cast<double>(__half2float(upper)));
  }
  if (threadIdx.x == 0) scales[tile.scale_offset + blockIdx.x] = ldexpf(1.0F, shift);
}

template <class T, class Out>
__global__ void finish(MomentColumns columns, const T* __restrict__ sums, std::size_t total,
                       Out out) {
  const std::size_t e = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (e >= total) return;
  const MomentSource source = columns.sources[e % columns.count];
  const T* row = sums + e / columns.count * columns.row_length;
  T re{};
  T im{};
  for (int s = 0; s < source.slices; ++s) {
    re += row[source.real + s * source.real_stride];
    if (source.imaginary >= 0) im += row[source.imaginary + s * source.imaginary_stride];
  }
  out(e, re, im);
}

struct WriteMoment {
  double* moments;
  template <class T>
  __device__ void operator()(std::size_t e, T re, T im) const {
    reinterpret_cast<double2*>(moments)[e] = make_double2(re, im);
  }
};

struct WriteMagnitude {
  float* magnitudes;
  __device__ void operator()(std::size_t e, float re, float im) const {
    magnitudes[e] = hypotf(re, im);
  }
  __device__ void operator()(std::size_t e, double re, double im) const {
    magnitudes[e] = static_cast<float>(sqrt(re * re + im * im));
  }
};

template <class T, class Out>
void launch_finish(const MomentColumns& columns, const T* sums, std::size_t images, Out out,
                   const Stream& stream) {
  const std::size_t total = images * columns.count;
  finish<<<static_cast<unsigned>((total + kThreads - 1) / kThreads), kThreads, 0, stream.get()>>>(
      columns, sums, total, out);
  CUDA_CHECK_LAUNCH("finish");
}

}  // namespace

void split_basis(const double* basis, const ProductTile* tiles, std::size_t tile_count,
                 __half* high, __half* low, float* scales, const Stream& stream) {
  const dim3 grid(static_cast<unsigned>(kTileColumns), static_cast<unsigned>(tile_count));
  split_row<<<grid, kThreads, 0, stream.get()>>>(basis, tiles, high, low, scales);
  CUDA_CHECK_LAUNCH("split_row");
}

template <class T>
void finish_moments(const MomentColumns& columns, const T* sums, std::size_t images,
                    double* moments, const Stream& stream) {
  launch_finish(columns, sums, images, WriteMoment{moments}, stream);
}

template <class T>
void finish_magnitudes(const MomentColumns& columns, const T* sums, std::size_t images,
                       float* magnitudes, const Stream& stream) {
  launch_finish(columns, sums, images, WriteMagnitude{magnitudes}, stream);
}

template void finish_moments(const MomentColumns&, const float*, std::size_t, double*,
                             const Stream&);
template void finish_moments(const MomentColumns&, const double*, std::size_t, double*,
                             const Stream&);
template void finish_magnitudes(const MomentColumns&, const float*, std::size_t, float*,
                                const Stream&);
template void finish_magnitudes(const MomentColumns&, const double*, std::size_t, float*,
                                const Stream&);

}  // namespace leafglyph::gpu
