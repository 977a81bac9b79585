#include <type_traits>

#include "gpu/folded_kernels.h"

namespace leafglyph {
namespace {

constexpr int kThreads = 128;
// Images that a thread folds with the pixel numbers that it has read once.
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

// The eight folded sums of one pixel.
template <class T, class In>
__device__ void fold_pixel(const In* image, const std::int32_t (&numbers)[8], T (&sums)[8]) {
  T f[8];
#pragma unroll
  for (int q = 0; q < 8; ++q) f[q] = numbers[q] < 0 ? T{} : static_cast<T>(image[numbers[q]]);
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

// A thread folds two neighbouring octant pixels of kImagesPerThread images.
template <class In, class Sink>
__global__ void fold(const In* __restrict__ images, int count, std::size_t pixels_per_image,
                     const std::int32_t* __restrict__ numbers, int padded, Sink sink) {
  using T = typename Sink::Value;
  const int p = 2 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= padded) return;
  std::int32_t first[8];
  std::int32_t second[8];
#pragma unroll
  for (int q = 0; q < 8; ++q) {
    first[q] = numbers[static_cast<std::size_t>(q) * padded + p];
    second[q] = numbers[static_cast<std::size_t>(q) * padded + p + 1];
  }
  const int begin = static_cast<int>(blockIdx.y) * kImagesPerThread;
  const int end = min(count, begin + kImagesPerThread);
  for (int b = begin; b < end; ++b) {
    const In* image = images + static_cast<std::size_t>(b) * pixels_per_image;
    T left[8];
    T right[8];
    fold_pixel(image, first, left);
    fold_pixel(image, second, right);
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      sink.write((static_cast<std::size_t>(b) * 8 + q) * padded + p, left[q], right[q], b);
    }
  }
}

template <class In, class Sink>
void launch_fold(const FoldInput& input, const Sink& sink, const Stream& stream) {
  const auto count = static_cast<unsigned>(input.images.count);
  const dim3 grid(static_cast<unsigned>((input.padded / 2 + kThreads - 1) / kThreads),
                  (count + kImagesPerThread - 1) / kImagesPerThread);
  fold<<<grid, kThreads, 0, stream.get()>>>(
      static_cast<const In*>(input.images.pixels), static_cast<int>(count),
      input.images.pixels_per_image(), input.numbers, static_cast<int>(input.padded), sink);
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
