#include <cstdint>
#include <type_traits>

#include "gpu/separable/recurrence_device.cuh"

namespace leafglyph::gpu {
namespace {

// Places that a lane processes together.
constexpr int kTogether = 4;
constexpr int kTile = kWarp * kTogether;
static_assert(kTogether == 4 && kTile == kWarpTile);
// Number of k that are summed over the lanes at a time.
constexpr int kTermsAtATime = 16;
static_assert(kTermsAtATime == kTermChunk);

// A pair of columns, folded by parity: even and odd in y of the part that is even in x, then of the
// part that is odd in x (features/separable/separable_image.h).
struct Folded {
  double even_even;
  double even_odd;
  double odd_even;
  double odd_odd;
};

// The indices of the four pixels in a pair of columns and a pair of rows.
struct Mirrors {
  __device__ Mirrors(int size, int row, int column) {
    const auto n = static_cast<std::size_t>(size);
    const std::size_t lower = n / 2 + static_cast<std::size_t>(row);
    const std::size_t right = n / 2 + static_cast<std::size_t>(column);
    a = (n - 1 - lower) * n + right;
    b = (n - 1 - lower) * n + (n - 1 - right);
    c = lower * n + right;
    d = lower * n + (n - 1 - right);
  }
  std::size_t a;
  std::size_t b;
  std::size_t c;
  std::size_t d;
};

// Integer pixels are added as integers, all others as doubles.
template <class Pixel>
__device__ Folded fold(const Pixel* image, int size, int row, int column) {
  using Sum = std::conditional_t<std::is_integral_v<Pixel>, int, double>;
  const Mirrors at(size, row, column);
  const auto a = static_cast<Sum>(image[at.a]);
  const auto b = static_cast<Sum>(image[at.b]);
  const auto c = static_cast<Sum>(image[at.c]);
  const auto d = static_cast<Sum>(image[at.d]);
  return {static_cast<double>((a + b) + (c + d)), static_cast<double>((a + b) - (c + d)),
          static_cast<double>((a - b) + (c - d)), static_cast<double>((a - b) - (c - d))};
}

// The values at place p of a line, by the parity in x of the polynomials that they are multiplied
// by.
template <bool kExact, class Pixel>
__device__ Folded place_values(const LineArrays& in, const GpuLine& line, const Pixel* image,
                               int p) {
  if constexpr (!kExact) {
    Folded value = fold(image, in.size, line.row, in.column[p]);
    const double weight = in.weight[p];
    value.even_even *= weight;
    value.even_odd *= weight;
    value.odd_even *= weight;
    value.odd_odd *= weight;
    return value;
  } else {
    // The step between neighbouring pixels at an edge. Summation by parts turns P_k into P_{k+1}
    // and P_{k-1}, so the part that is even in x is multiplied by the odd polynomials. At x = 0 the
    // step is its own mirror image; images of odd size have no edge there.
    const bool counts = p < in.columns[line.row];
    const Folded right = counts ? fold(image, in.size, line.row, p) : Folded{};
    if (p == 0) {
      if (in.size % 2 == 1) return {};
      return {-right.odd_even, -right.odd_odd, 0.0, 0.0};
    }
    const Folded left = fold(image, in.size, line.row, p - 1);
    return {left.odd_even - right.odd_even, left.odd_odd - right.odd_odd,
            left.even_even - right.even_even, left.even_odd - right.even_odd};
  }
}

// Adds the sums over `Together` places per lane, starting at `place`, to own[k][parity of y]. Each
// lane advances its polynomials from k to k + 1, and kTermsAtATime values of k at a time are summed
// over the lanes.
template <int Together, bool kExact, class Pixel>
__device__ void sum_places(const LineArrays& in, const double* slopes, const GpuLine& line,
                           const Pixel* image, int place, int terms, double* own) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const double inverse = 1.0 / line.half_chord;
  double t[Together];
  double p[Together];
  double q[Together];
  Folded value[Together];
#pragma unroll
  for (int v = 0; v < Together; ++v) {
    const int at = place + v * kWarp + lane;
    const bool used = at < line.places;
    t[v] = used ? fmin(1.0, in.x[at] * inverse) : 0.0;
    value[v] = used ? place_values<kExact>(in, line, image, at) : Folded{};
    p[v] = 1.0;
    q[v] = 0.0;
  }
  for (int k = 0; k < terms; k += kTermsAtATime) {
    double s[2 * kTermsAtATime];
#pragma unroll
    for (double& sum : s) sum = 0.0;
#pragma unroll
    for (int i = 0; i < kTermsAtATime; i += 2) {
      const double2 slope = two_of(slopes + k + i);
#pragma unroll
      for (int v = 0; v < Together; ++v) {
        s[2 * i] = fma(p[v], value[v].even_even, s[2 * i]);
        s[2 * i + 1] = fma(p[v], value[v].even_odd, s[2 * i + 1]);
        q[v] = fma(slope.x * t[v], p[v], -q[v]);
      }
#pragma unroll
      for (int v = 0; v < Together; ++v) {
        s[2 * i + 2] = fma(q[v], value[v].odd_even, s[2 * i + 2]);
        s[2 * i + 3] = fma(q[v], value[v].odd_odd, s[2 * i + 3]);
        p[v] = fma(slope.y * t[v], q[v], -p[v]);
      }
    }
    const double sum = sum_lanes(s);
    own[2 * k + lane] += sum;
  }
}

// Sums along a line: its pixels times each Legendre polynomial P_k (kExact: its integral over the
// pixel), computed on the fly by a three-term recurrence. Pixels on both sides of x = 0 and y = 0
// are folded by parity. One block per line. Each warp processes tiles of places and keeps
// sums[warp][k][parity of y].
template <class Pixel, bool kExact>
__global__ void __launch_bounds__(kWarp* kMostWarps)
    legendre_sums_kernel(LineArrays in, LegendreArrays legendre, const Pixel* image, int first_line,
                         std::size_t values, LineStrides strides, double* out) {
  extern __shared__ __align__(16) double sums[];
  const GpuLine line = in.lines[first_line + static_cast<int>(blockIdx.x)];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  // The exact method needs the sums for one k more.
  const int terms = line.terms + (kExact ? kBlock : 0);
  double* own = sums + static_cast<std::size_t>(warp) * values;
  for (int i = lane; i < 2 * (terms + kBlock); i += kWarp) own[i] = 0.0;
  __syncwarp();
  for (int tile = line.first + warp * kTile; tile < line.places;
       tile += static_cast<int>(blockDim.x) * kTogether) {
    const int left = line.places - tile;
    if (left > 2 * kWarp) {
      sum_places<4, kExact>(in, legendre.slope, line, image, tile, terms, own);
    } else if (left > kWarp) {
      sum_places<2, kExact>(in, legendre.slope, line, image, tile, terms, own);
    } else {
      sum_places<1, kExact>(in, legendre.slope, line, image, tile, terms, own);
    }
  }
  __syncthreads();
  const auto at = [&](int k, int parity) { return over_warps(sums, values, 2 * k + parity); };
  double* const to = out + static_cast<std::size_t>(blockIdx.x) * strides.line;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * line.terms;
       i += static_cast<int>(blockDim.x)) {
    const int k = i / 2;
    const int parity = i % 2;
    double value = 0.0;
    if constexpr (!kExact) {
      value = line.weight * legendre.factor[k] * at(k, parity);
    } else {
      const double weight = line.weight * line.half_chord;
      if (k > 0) {
        value = weight *
                (legendre.above[k] * at(k + 1, parity) - legendre.below[k] * at(k - 1, parity));
      } else {
        value = weight * legendre.factor[1] * at(1, parity);
        // The circle cuts pixel places - 1. The edge at the circle only contributes to P_1.
        if (line.cut != 0) {
          const Folded last = fold(image, in.size, line.row, line.places - 1);
          value += weight * (parity == 0 ? last.even_even : last.even_odd);
        }
      }
    }
    to[static_cast<std::size_t>(k) * strides.term +
       static_cast<std::size_t>(parity) * strides.parity] = value;
  }
}

// The transpose of legendre_sums_kernel: pixels of a line from its Legendre coefficients, as the
// sum over k of the coefficient times P_k, by the recurrence. Block (line, tile of columns), one
// thread per kValues pairs of columns. Shared memory holds coefficients for kValueChunk values of k
// at a time.
__global__ void __launch_bounds__(kValueThreads)
    legendre_values_kernel(LineArrays in, const double* slope, const double2* carried, int terms,
                           double* image) {
  __shared__ double2 carries[kValueChunk];
  __shared__ alignas(16) double slopes[kValueChunk];
  const GpuLine line = in.lines[blockIdx.x];
  const int columns = in.columns[line.row];
  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.y) * kValueThreads * kValues;
  if (tile >= columns) return;
  const int first = tile + thread;
  const double inverse = 1.0 / line.half_chord;
  double t[kValues];
  double p[kValues];
  double q[kValues];
  Folded value[kValues];
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const int column = first + v * kValueThreads;
    t[v] = column < columns ? fmin(1.0, in.x[column] * inverse) : 0.0;
    p[v] = 1.0;
    q[v] = 0.0;
    value[v] = {};
  }
  const double2* sums = carried + static_cast<std::size_t>(blockIdx.x) * terms;
  for (int chunk = 0; chunk < line.terms; chunk += kValueChunk) {
    __syncthreads();
    if (chunk + thread < line.terms) {
      carries[thread] = sums[chunk + thread];
      slopes[thread] = slope[chunk + thread];
    }
    __syncthreads();
    const int last = min(kValueChunk, line.terms - chunk);
#pragma unroll 4
    for (int k = 0; k < last; k += 2) {
      const double2 even = carries[k];
      const double2 odd = carries[k + 1];
      const double2 step = *reinterpret_cast<const double2*>(slopes + k);
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        value[v].even_even = fma(p[v], even.x, value[v].even_even);
        value[v].even_odd = fma(p[v], even.y, value[v].even_odd);
        q[v] = fma(step.x * t[v], p[v], -q[v]);
        value[v].odd_even = fma(q[v], odd.x, value[v].odd_even);
        value[v].odd_odd = fma(q[v], odd.y, value[v].odd_odd);
        p[v] = fma(step.y * t[v], q[v], -p[v]);
      }
    }
  }
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const int column = first + v * kValueThreads;
    if (column >= columns) continue;
    const Mirrors at(in.size, line.row, column);
    const double even = value[v].even_even;
    const double even_odd = value[v].even_odd;
    const double odd_even = value[v].odd_even;
    const double odd = value[v].odd_odd;
    image[at.a] = (even + even_odd) + (odd_even + odd);
    image[at.b] = (even + even_odd) - (odd_even + odd);
    image[at.c] = (even - even_odd) + (odd_even - odd);
    image[at.d] = (even - even_odd) - (odd_even - odd);
  }
}

}  // namespace

void load_line_sums() {
  for (const PixelType type : kPixelTypes) {
    with_pixels(type, nullptr, [&]<class Pixel>(const Pixel*) {
      allow_shared_memory(legendre_sums_kernel<Pixel, false>);
      allow_shared_memory(legendre_sums_kernel<Pixel, true>);
    });
  }
}

template <class Pixel>
void legendre_sums(const LineArrays& lines, const LegendreArrays& legendre, const Pixel* image,
                   int first, int count, int warps, int terms, const LineStrides& strides,
                   double* out, const Stream& stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(count);
  const auto threads = static_cast<unsigned>(warps * kWarp);
  const std::size_t values = line_sum_values(terms);
  const std::size_t bytes = sum_bytes(warps, values);
  if (lines.weight == nullptr) {
    legendre_sums_kernel<Pixel, true><<<blocks, threads, bytes, stream.get()>>>(
        lines, legendre, image, first, values, strides, out);
  } else {
    legendre_sums_kernel<Pixel, false><<<blocks, threads, bytes, stream.get()>>>(
        lines, legendre, image, first, values, strides, out);
  }
  CUDA_CHECK_LAUNCH("legendre_sums_kernel");
}

template void legendre_sums(const LineArrays&, const LegendreArrays&, const unsigned char*, int,
                            int, int, int, const LineStrides&, double*, const Stream&);
template void legendre_sums(const LineArrays&, const LegendreArrays&, const std::uint16_t*, int,
                            int, int, int, const LineStrides&, double*, const Stream&);
template void legendre_sums(const LineArrays&, const LegendreArrays&, const float*, int, int, int,
                            int, const LineStrides&, double*, const Stream&);
template void legendre_sums(const LineArrays&, const LegendreArrays&, const double*, int, int, int,
                            int, const LineStrides&, double*, const Stream&);

void legendre_values(const LineArrays& lines, const double* slope, int count, int pairs,
                     const double* carried, int terms, double* image, const Stream& stream) {
  if (count == 0) return;
  const dim3 blocks(static_cast<unsigned>(count),
                    blocks_of(static_cast<std::size_t>(pairs), kValueThreads * kValues));
  legendre_values_kernel<<<blocks, kValueThreads, 0, stream.get()>>>(
      lines, slope, reinterpret_cast<const double2*>(carried), terms, image);
  CUDA_CHECK_LAUNCH("legendre_values_kernel");
}

}  // namespace leafglyph::gpu
