#include <cstdint>
#include <type_traits>

#include "gpu/folded_kernels.h"

namespace leafglyph {
namespace {

constexpr int kThreads = 256;
// Images that a thread folds with the places that it has read once.
constexpr int kImagesPerThread = 8;
// The largest |pixel| is brought under 2^12, so that sums of eight stay in half's range (65504).
constexpr int kPixelExponent = 12;

struct Pair {
  __half high;
  __half low;
};

// Two neighbouring pixels' values of one folded sum, written at once.
struct DoubleSink {
  using Value = double;
  double* folded;
  __device__ void write(std::size_t at, double a, double b, int) const {
    *reinterpret_cast<double2*>(folded + at) = make_double2(a, b);
  }
};

struct HalfSink {
  using Value = int;
  __half* folded;
  __device__ void write(std::size_t at, int a, int b, int) const {
    *reinterpret_cast<__half2*>(folded + at) = __halves2half2(__int2half_rn(a), __int2half_rn(b));
  }
};

struct TwoHalvesSink {
  using Value = float;
  __half* high;
  __half* low;
  const float* scales;
  __device__ static Pair split(float value) {
    const __half high = __float2half_rn(value);
    return {high, __float2half_rn(value - __half2float(high))};
  }
  __device__ void write(std::size_t at, float a, float b, int image) const {
    const float scale = 1.0F / scales[image];
    const Pair first = split(a * scale);
    const Pair second = split(b * scale);
    *reinterpret_cast<__half2*>(high + at) = __halves2half2(first.high, second.high);
    *reinterpret_cast<__half2*>(low + at) = __halves2half2(first.low, second.low);
  }
};

template <class In>
struct PairOf;
template <>
struct PairOf<std::uint8_t> {
  using Type = uchar2;
};
template <>
struct PairOf<float> {
  using Type = float2;
};
template <>
struct PairOf<double> {
  using Type = double2;
};

// Where the neighbours of a quad's pixel (0, 0) lie under mirror image q: those in its row of the
// image one pixel ahead or back, those in its column a row down or up. The row holds pixels of
// growing u for q = 0, 3, 4, 7 and of growing v for the others.
__host__ __device__ constexpr bool row_is_u(int q) { return q == 0 || q == 3 || q == 4 || q == 7; }
__host__ __device__ constexpr int row_step(int q) {
  return q == 0 || q == 1 || q == 6 || q == 7 ? 1 : -1;
}
__host__ __device__ constexpr int column_step(int q) { return q < 4 ? -1 : 1; }

// The pixels (e, d) of a quad under mirror image q as f[2 d + e], 0 where they do not count.
// Paired: the pairs in a row of the image lie on multiples of their size and inside the image.
template <bool Paired, int Q, class T, class In>
__device__ void load_quad(const In* base, int size, unsigned mask, T (&f)[4]) {
#pragma unroll
  for (int line = 0; line < 2; ++line) {
    const In* first = base + line * column_step(Q) * size;
    const int a = row_is_u(Q) ? 2 * line : line;  // the line's first pixel
    const int b = row_is_u(Q) ? a + 1 : a + 2;
    if constexpr (Paired) {
      using Pair2 = typename PairOf<In>::Type;
      const Pair2 pair = *reinterpret_cast<const Pair2*>(row_step(Q) > 0 ? first : first - 1);
      f[a] = static_cast<T>(row_step(Q) > 0 ? pair.x : pair.y);
      f[b] = static_cast<T>(row_step(Q) > 0 ? pair.y : pair.x);
      if constexpr (!std::is_same_v<In, std::uint8_t>) {  // what is not finite stays out
        if ((mask >> a & 1U) == 0) f[a] = T{};
        if ((mask >> b & 1U) == 0) f[b] = T{};
      }
    } else {
      f[a] = (mask >> a & 1U) != 0 ? static_cast<T>(*first) : T{};
      f[b] = (mask >> b & 1U) != 0 ? static_cast<T>(first[row_step(Q)]) : T{};
    }
  }
}

// The eight folded sums of one pixel from its mirror images.
template <class T>
__device__ void fold_pixel(const T (&f)[8], T (&sums)[8]) {
  const T plus18 = f[0] + f[7];
  const T minus18 = f[0] - f[7];
  const T plus45 = f[3] + f[4];
  const T minus45 = f[3] - f[4];
  const T plus27 = f[1] + f[6];
  const T minus27 = f[1] - f[6];
  const T plus36 = f[2] + f[5];
  const T minus36 = f[2] - f[5];
  sums[0] = (plus18 + plus45) + (plus27 + plus36);
  sums[1] = (minus18 - minus45) - (minus27 - minus36);
  sums[2] = (plus18 + plus45) - (plus27 + plus36);
  sums[3] = (minus18 - minus45) + (minus27 - minus36);
  sums[4] = plus18 - plus45;
  sums[5] = plus27 - plus36;
  sums[6] = minus18 + minus45;
  sums[7] = minus27 + minus36;
}

// A thread folds a quad of kImagesPerThread images.
template <bool Paired, class In, class Sink>
__global__ void fold(const In* __restrict__ images, int count, int size,
                     const std::int32_t* __restrict__ bases, const std::uint8_t* __restrict__ masks,
                     int quads, Sink sink) {
  using T = typename Sink::Value;
  const int quad = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (quad >= quads) return;
  std::int32_t base[8];
#pragma unroll
  for (int q = 0; q < 8; ++q) base[q] = bases[static_cast<std::size_t>(q) * quads + quad];
  const unsigned mask = masks[quad];
  const std::size_t padded = 4 * static_cast<std::size_t>(quads);
  const std::size_t place = static_cast<std::size_t>(quad / 32) * kPlacesOfGroup + quad % 32 * 2;
  const int begin = static_cast<int>(blockIdx.y) * kImagesPerThread;
  const int end = min(count, begin + kImagesPerThread);
  for (int b = begin; b < end; ++b) {
    const In* image = images + static_cast<std::size_t>(b) * size * size;
    T f[8][4];
    load_quad<Paired, 0>(image + base[0], size, mask, f[0]);
    load_quad<Paired, 1>(image + base[1], size, mask, f[1]);
    load_quad<Paired, 2>(image + base[2], size, mask, f[2]);
    load_quad<Paired, 3>(image + base[3], size, mask, f[3]);
    load_quad<Paired, 4>(image + base[4], size, mask, f[4]);
    load_quad<Paired, 5>(image + base[5], size, mask, f[5]);
    load_quad<Paired, 6>(image + base[6], size, mask, f[6]);
    load_quad<Paired, 7>(image + base[7], size, mask, f[7]);
#pragma unroll
    for (int d = 0; d < 2; ++d) {
      T images_of_pixel[2][8];
      T sums[2][8];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
#pragma unroll
        for (int q = 0; q < 8; ++q) images_of_pixel[e][q] = f[q][2 * d + e];
        fold_pixel(images_of_pixel[e], sums[e]);
      }
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        sink.write((static_cast<std::size_t>(b) * 8 + q) * padded + place +
                       static_cast<std::size_t>(d) * (kPlacesOfGroup / 2),
                   sums[0][q], sums[1][q], b);
      }
    }
  }
}

template <class In, class Sink>
void launch_fold(const FoldInput& input, const Sink& sink, const Stream& stream) {
  const auto count = static_cast<unsigned>(input.images.count);
  const auto quads = static_cast<unsigned>(input.padded / 4);
  const dim3 grid((quads + kThreads - 1) / kThreads,
                  (count + kImagesPerThread - 1) / kImagesPerThread);
  const auto* images = static_cast<const In*>(input.images.pixels);
  // With N a multiple of 4 every quad starts at an even column under every mirror image.
  const bool paired = input.images.size % 4 == 0 &&
                      reinterpret_cast<std::uintptr_t>(images) % (2 * sizeof(In)) == 0;
  const auto kernel = paired ? fold<true, In, Sink> : fold<false, In, Sink>;
  kernel<<<grid, kThreads, 0, stream.get()>>>(images, static_cast<int>(count), input.images.size,
                                              input.bases, input.masks, static_cast<int>(quads),
                                              sink);
  CUDA_CHECK_LAUNCH("fold");
}

__device__ unsigned warp_max(unsigned value) {
  for (int step = 16; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  return value;
}

// The scale of one image a block, a row of pixels a warp. Magnitudes of floats order like their
// bits, NaN above all.
template <class In>
__global__ void find_scale(const In* __restrict__ images, int size,
                           const std::int32_t* __restrict__ row_spans, float* scales) {
  const In* image = images + static_cast<std::size_t>(blockIdx.x) * size * size;
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned largest = 0;
  for (int row = static_cast<int>(threadIdx.x / 32); row < size;
       row += static_cast<int>(blockDim.x / 32)) {
    for (int p = row_spans[2 * row] + lane; p < row_spans[2 * row + 1]; p += 32) {
      largest = max(largest, __float_as_uint(fabsf(static_cast<float>(image[p]))));
    }
  }
  largest = warp_max(largest);
  __shared__ unsigned warps[32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) largest = max(largest, warps[w]);
  const float magnitude = __uint_as_float(largest);
  int exponent = kPixelExponent;
  if (magnitude > 0.0F) frexpf(magnitude, &exponent);
  const int shift = max(-126, exponent - kPixelExponent);
  scales[blockIdx.x] = isfinite(magnitude) ? ldexpf(1.0F, shift) : nanf("");
}

}  // namespace

void fold_in_double(const FoldInput& input, double* folded, const Stream& stream) {
  const DoubleSink sink{folded};
  switch (input.images.type) {
    case PixelType::kUint8:
      return launch_fold<std::uint8_t>(input, sink, stream);
    case PixelType::kFloat:
      return launch_fold<float>(input, sink, stream);
    case PixelType::kDouble:
      return launch_fold<double>(input, sink, stream);
  }
}

void fold_bytes_in_half(const FoldInput& input, __half* folded, const Stream& stream) {
  launch_fold<std::uint8_t>(input, HalfSink{folded}, stream);
}

void fold_in_two_halves(const FoldInput& input, float* scales, __half* high, __half* low,
                        const Stream& stream) {
  const auto run = [&](auto* pixels) {
    using In = std::remove_const_t<std::remove_pointer_t<decltype(pixels)>>;
    find_scale<<<static_cast<unsigned>(input.images.count), 256, 0, stream.get()>>>(
        pixels, input.images.size, input.row_spans, scales);
    CUDA_CHECK_LAUNCH("find_scale");
    launch_fold<In>(input, TwoHalvesSink{high, low, scales}, stream);
  };
  if (input.images.type == PixelType::kFloat) {
    run(static_cast<const float*>(input.images.pixels));
  } else {
    run(static_cast<const double*>(input.images.pixels));
  }
}

}  // namespace leafglyph
