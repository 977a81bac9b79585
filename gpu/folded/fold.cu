#include <cstdint>
#include <type_traits>

#include "gpu/cuda/fold_pixel.cuh"
#include "gpu/folded/folded_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 256;
// Images that a thread folds with the positions that it reads once.
constexpr int kImagesPerThread = 8;
// Images are scaled so that the largest |pixel| is below 2^12; sums of eight then stay in half's
// range (65504). A largest |pixel| of 1/4 or more is not scaled up, because the smallest half,
// 2^-24, is then below the resolution of float itself.
constexpr int kPixelExponent = 12;
constexpr float kLargestPixel = 4096.0F;
constexpr float kSmallestLargest = 0.25F;

struct Pair {
  __half high;
  __half low;
};

// A sink receives the values of one folded sum for two neighbouring pixels and writes them
// together.
struct DoubleSink {
  using Value = double;
  double* folded;
  __device__ bool skips(int) const { return false; }
  __device__ void write(std::size_t at, double a, double b, int) const {
    *reinterpret_cast<double2*>(folded + at) = make_double2(a, b);
  }
  __device__ void measure(const double (&)[8][4], int) const {}
};

struct HalfSink {
  using Value = int;
  __half* folded;
  __device__ bool skips(int) const { return false; }
  __device__ void write(std::size_t at, int a, int b, int) const {
    *reinterpret_cast<__half2*>(folded + at) = __halves2half2(__int2half_rn(a), __int2half_rn(b));
  }
  __device__ void measure(const int (&)[8][4], int) const {}
};

struct TwoHalves {
  __half* high;
  __half* low;
  __device__ static Pair split(float value) {
    const __half high = __float2half_rn(value);
    return {high, __float2half_rn(value - __half2float(high))};
  }
  __device__ void write(std::size_t at, float a, float b) const {
    const Pair first = split(a);
    const Pair second = split(b);
    *reinterpret_cast<__half2*>(high + at) = __halves2half2(first.high, second.high);
    *reinterpret_cast<__half2*>(low + at) = __halves2half2(first.low, second.low);
  }
};

__device__ unsigned warp_max(unsigned value) {
  constexpr unsigned lanes = 0xffffffffU;
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(lanes, value);
#else
  for (int step = 16; step > 0; step /= 2) {
    value = max(value, __shfl_xor_sync(lanes, value, step));
  }
  return value;
#endif
}

// Folds images without scaling, and finds their largest magnitude. Magnitudes of floats are ordered
// like their bits, with NaN above all others.
struct MeasuringSink {
  using Value = float;
  TwoHalves halves;
  unsigned* largest;
  __device__ bool skips(int) const { return false; }
  __device__ void write(std::size_t at, float a, float b, int) const { halves.write(at, a, b); }
  __device__ void measure(const float (&f)[8][4], int image) const {
    unsigned mine = 0;
#pragma unroll
    for (int e = 0; e < 32; ++e) mine = max(mine, __float_as_uint(fabsf(f[e / 4][e % 4])));
    mine = warp_max(mine);
    if (threadIdx.x % 32 == 0) atomicMax(largest + image, mine);
  }
};

// Folds the images that need a scale again.
struct ScalingSink {
  using Value = float;
  TwoHalves halves;
  const float* scales;
  __device__ bool skips(int image) const { return scales[image] == 1.0F; }
  __device__ void write(std::size_t at, float a, float b, int image) const {
    const float scale = 1.0F / scales[image];
    halves.write(at, a * scale, b * scale);
  }
  __device__ void measure(const float (&)[8][4], int) const {}
};

template <class In>
struct PairOf;
template <>
struct PairOf<std::uint8_t> {
  using Type = uchar2;
};
template <>
struct PairOf<std::uint16_t> {
  using Type = ushort2;
};
template <>
struct PairOf<float> {
  using Type = float2;
};
template <>
struct PairOf<double> {
  using Type = double2;
};

// The neighbours of a quad's pixel (0, 0) under mirror image q: in the row of the image one pixel
// ahead or back, in the column one row down or up. The row contains pixels of increasing u for q =
// 0, 3, 4, 7 and of increasing v for the others.
__host__ __device__ constexpr bool row_is_u(int q) { return q == 0 || q == 3 || q == 4 || q == 7; }
__host__ __device__ constexpr int row_step(int q) {
  return q == 0 || q == 1 || q == 6 || q == 7 ? 1 : -1;
}
__host__ __device__ constexpr int column_step(int q) { return q < 4 ? -1 : 1; }

// The pixels (e, d) of a quad under mirror image q as f[2 d + e]; 0 for masked pixels. Paired: the
// pairs in a row of the image are aligned to their size and lie inside the image.
template <bool Paired, int Q, class T, class In>
__device__ void load_quad(const In* base, int size, unsigned mask, T (&f)[4]) {
#pragma unroll
  for (int line = 0; line < 2; ++line) {
    const In* first = base + line * column_step(Q) * size;
    const int a = row_is_u(Q) ? 2 * line : line;  // first pixel of the line
    const int b = row_is_u(Q) ? a + 1 : a + 2;
    if constexpr (Paired) {
      using Pair2 = typename PairOf<In>::Type;
      const Pair2 pair = *reinterpret_cast<const Pair2*>(row_step(Q) > 0 ? first : first - 1);
      f[a] = static_cast<T>(row_step(Q) > 0 ? pair.x : pair.y);
      f[b] = static_cast<T>(row_step(Q) > 0 ? pair.y : pair.x);
      if constexpr (std::is_floating_point_v<In>) {  // keeps out infinities and NaN
        if ((mask >> a & 1U) == 0) f[a] = T{};
        if ((mask >> b & 1U) == 0) f[b] = T{};
      }
    } else {
      f[a] = (mask >> a & 1U) != 0 ? static_cast<T>(*first) : T{};
      f[b] = (mask >> b & 1U) != 0 ? static_cast<T>(first[row_step(Q)]) : T{};
    }
  }
}

// Computes the eight folded sums (fold_pixel.cuh) at each place of the octant, from its pixel and
// the seven mirror images. A thread folds one quad (OctantQuads: 2 x 2 pixels) of kImagesPerThread
// images. It reads the quad and its mirror images, two neighbouring pixels at a time if Paired, and
// writes pairs of places to `sink`.
template <bool Paired, class In, class Sink>
__global__ void fold(const In* __restrict__ images, int count, int size,
                     const std::int32_t* __restrict__ bases, const std::uint8_t* __restrict__ masks,
                     int quads, Sink sink) {
  using T = typename Sink::Value;
  const int quad = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (quad >= quads) return;
  const int begin = static_cast<int>(blockIdx.y) * kImagesPerThread;
  const int end = min(count, begin + kImagesPerThread);
  bool idle = true;
  for (int b = begin; b < end; ++b) idle = idle && sink.skips(b);
  if (idle) return;
  std::int32_t base[8];
#pragma unroll
  for (int q = 0; q < 8; ++q) base[q] = bases[static_cast<std::size_t>(q) * quads + quad];
  const unsigned mask = masks[quad];
  const std::size_t padded = 4 * static_cast<std::size_t>(quads);
  const std::size_t place = static_cast<std::size_t>(quad / 32) * kPlacesOfGroup + quad % 32 * 2;
  for (int b = begin; b < end; ++b) {
    if (sink.skips(b)) continue;
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
    sink.measure(f, b);
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
void launch_fold(const FoldInput& input, const In* images, const Sink& sink, const Stream& stream) {
  const auto count = static_cast<unsigned>(input.images.count);
  const auto quads = static_cast<unsigned>(input.padded / 4);
  const dim3 grid((quads + kThreads - 1) / kThreads,
                  (count + kImagesPerThread - 1) / kImagesPerThread);
  // If N is a multiple of 4, every quad starts at an even column under every mirror image.
  const bool paired = input.images.size.width % 4 == 0 &&
                      reinterpret_cast<std::uintptr_t>(images) % (2 * sizeof(In)) == 0;
  const auto kernel = paired ? fold<true, In, Sink> : fold<false, In, Sink>;
  kernel<<<grid, kThreads, 0, stream.get()>>>(images, static_cast<int>(count),
                                              input.images.size.width, input.bases, input.masks,
                                              static_cast<int>(quads), sink);
  CUDA_CHECK_LAUNCH("fold");
}

// Replaces the largest magnitude of each image by its scale: a power of two, 1 if none is needed,
// NaN if the magnitude is not finite.
__global__ void choose_scale(float* scales, int count) {
  const int image = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (image >= count) return;
  const float magnitude = scales[image];
  float scale = 1.0F;
  if (!isfinite(magnitude)) {
    scale = nanf("");
  } else if (magnitude > 0.0F && (magnitude < kSmallestLargest || magnitude >= kLargestPixel)) {
    int exponent = 0;
    frexpf(magnitude, &exponent);
    scale = ldexpf(1.0F, max(-126, exponent - kPixelExponent));
  }
  scales[image] = scale;
}

}  // namespace

void fold_in_double(const FoldInput& input, double* folded, const Stream& stream) {
  const DoubleSink sink{folded};
  with_pixels(input.images.type, input.images.pixels,
              [&](const auto* images) { launch_fold(input, images, sink, stream); });
}

void fold_bytes_in_half(const FoldInput& input, __half* folded, const Stream& stream) {
  launch_fold(input, static_cast<const std::uint8_t*>(input.images.pixels), HalfSink{folded},
              stream);
}

void fold_in_two_halves(const FoldInput& input, float* scales, __half* high, __half* low,
                        const Stream& stream) {
  const auto count = static_cast<unsigned>(input.images.count);
  with_pixels(input.images.type, input.images.pixels, [&](const auto* images) {
    CUDA_CHECK(cudaMemsetAsync(scales, 0, count * sizeof(float), stream.get()));
    const MeasuringSink measuring{{high, low}, reinterpret_cast<unsigned*>(scales)};
    launch_fold(input, images, measuring, stream);
    choose_scale<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
        scales, static_cast<int>(count));
    CUDA_CHECK_LAUNCH("choose_scale");
    launch_fold(input, images, ScalingSink{{high, low}, scales}, stream);
  });
}

}  // namespace leafglyph::gpu
