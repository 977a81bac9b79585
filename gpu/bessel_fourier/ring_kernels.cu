#include "features/moments/disk_grid.h"
#include "features/moments/family.h"
#include "gpu/bessel_fourier/ring_kernels.h"
#include "gpu/cuda/fold_pixel.cuh"

namespace leafglyph::gpu {
namespace {

// A block processes 32 points; its warps share the repetitions.
constexpr unsigned kPoints = 32;
constexpr unsigned kWarps = 8;

struct Point {
  double cosine;
  double sine;
  double t;
  double weight;
  std::uint32_t pixel;
  bool exists;
  double factor;  // common to all functions of the radius; included in the weight
};

__device__ double coordinate_of(const PointTables& tables, double rho) {
  if (tables.by_angle == 0) return tables.power == 1.0 ? rho : pow(rho, tables.power);
  constexpr double kTwoOverPi = 0.636619772367581343076;
  return kTwoOverPi * atan2(sqrt(rho), sqrt(fmax(0.0, 1.0 - rho)));
}

__device__ double factor_of(const PointTables& tables, double rho) {
  if (tables.by_point == 0) return 1.0;
  if (rho < kCentreRadius) return 0.0;
  return pow(rho, tables.inner_power) * pow(fmax(0.0, 1.0 - rho), tables.outer_power);
}

__device__ Point locate(const PointTables& tables, const PointChunk& chunk, std::uint32_t p) {
  Point point{1.0, 0.0, 0.0, 0.0, chunk.first_pixel, p < chunk.count, 1.0};
  if (!point.exists) return point;
  const std::uint32_t per_pixel = chunk.across * chunk.along;
  const std::uint64_t number = chunk.first_point + p;
  point.pixel = chunk.first_pixel + static_cast<std::uint32_t>(number / per_pixel);
  const auto inside = static_cast<std::uint32_t>(number % per_pixel);
  const std::uint32_t u = chunk.across_offset + inside / chunk.along;
  const std::uint32_t v = chunk.along_offset + inside % chunk.along;
  const double both_weights = tables.weights[u] * tables.weights[v];
  double x = 0.0;
  double y = 0.0;
  if (chunk.is_centre != 0) {
    const double half = tables.centre_side / 2.0;
    x = half * (1.0 + tables.nodes[u]);
    y = x * (1.0 + tables.nodes[v]) / 2.0;
    point.weight = x * half / 2.0 * both_weights;
  } else {
    x = tables.x[point.pixel] + tables.nodes[u] * tables.half_side;
    y = tables.y[point.pixel] + tables.nodes[v] * tables.half_side;
    point.weight = tables.weight[point.pixel] * both_weights * tables.half_side * tables.half_side;
  }
  const bool outside = x * x + y * y > kDiskSquare;
  if (outside) point.weight = 0.0;
  const double rho = sqrt(x * x + y * y);
  if (rho > 0.0) {
    point.cosine = x / rho;
    point.sine = y / rho;
  }
  const double place = coordinate_of(tables, rho);
  if (tables.by_point != 0) {
    const double ring = fmin(floor(place * tables.rings), tables.rings - 1.0);
    if (outside || ring != static_cast<double>(chunk.ring)) {  // t could lie far beyond its ring
      point.exists = false;
      point.weight = 0.0;
      return point;
    }
  }
  point.factor = factor_of(tables, rho);
  point.weight *= point.factor;
  point.t = (place - chunk.ring_centre) * tables.inverse_half_width;
  return point;
}

// e^{j m theta} for increasing m, by one complex product per step.
struct PhaseFactor {
  double re;
  double im;
  double step_re;
  double step_im;

  __device__ PhaseFactor(const Point& point, std::size_t m)
      : step_re(point.cosine), step_im(point.sine) {
    sincos(static_cast<double>(m) * atan2(point.sine, point.cosine), &im, &re);
  }
  __device__ void next() {
    const double ahead = re * step_re - im * step_im;
    im = im * step_re + re * step_im;
    re = ahead;
  }
};

// The repetitions of this thread's warp. The first one is a multiple of 4.
struct Share {
  std::size_t first;
  std::size_t last;

  __device__ explicit Share(std::size_t repetitions) {
    const std::size_t share = ((repetitions + kWarps - 1) / kWarps + 3) / 4 * 4;
    first = min(repetitions, threadIdx.y * share);
    last = min(repetitions, first + share);
  }
};

__global__ void fold_kernel(PointTables tables, const double* image, double* folded) {
  const std::size_t p = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p >= tables.pixels) return;
  double f[8];
  for (int q = 0; q < 8; ++q) f[q] = image[tables.images[8 * p + q]];
  double sums[8];
  fold_pixel(f, sums);
  for (int c = 0; c < 8; ++c) folded[8 * p + c] = sums[c];
}

template <class T>
__device__ void write_terms(double t, std::size_t terms, std::size_t stride, T* out) {
  double before = t;
  double current = 1.0;
  for (std::size_t k = 0; k < terms; ++k) {
    out[k * stride] = static_cast<T>(current);
    const double next = 2.0 * t * current - before;
    before = current;
    current = next;
  }
}

// The arrays of expand_points for 32 points and one chunk per block (x, y). The terms T_k(t) follow
// from the three-term recurrence of the Chebyshev polynomials. With kRows, the warps share the
// repetitions m: of the eight folded sums of a pixel, those that contribute depend on m mod 4.
template <class T, bool kRows>
__global__ void __launch_bounds__(kPoints* kWarps)
    expand_kernel(PointTables tables, GroupShape group, const double* folded, T* terms, T* rows) {
  const PointChunk chunk = group.chunks[blockIdx.y];
  const std::uint32_t p = blockIdx.x * kPoints + threadIdx.x;
  const Point point = locate(tables, chunk, p);
  if (threadIdx.y == 0) {
    write_terms(point.t, group.terms, group.points,
                terms + blockIdx.y * group.terms * group.points + p);
  }
  if constexpr (kRows) {
    double sums[8];
    for (int q = 0; q < 8; ++q) {
      sums[q] = point.exists ? point.weight * folded[8 * point.pixel + q] : 0.0;
    }
    const Share share(group.repetitions);
    if (share.first >= share.last) return;
    const std::size_t first = group.first_repetition;
    PhaseFactor phase(point, first + share.first);
    T* out = rows + (blockIdx.y * 2 * group.repetitions + 2 * share.first) * group.points + p;
    for (std::size_t m = first + share.first; m < first + share.last; ++m) {
      double re = 0.0;
      double im = 0.0;
      if (m % 4 == 0) {
        re = sums[0] * phase.re;
        im = -sums[1] * phase.im;
      } else if (m % 4 == 2) {
        re = sums[2] * phase.re;
        im = -sums[3] * phase.im;
      } else {
        const double sign = m % 4 == 1 ? 1.0 : -1.0;
        re = sums[4] * phase.re + sign * sums[5] * phase.im;
        im = -(sums[6] * phase.im + sign * sums[7] * phase.re);
      }
      out[0] = static_cast<T>(re);
      out[group.points] = static_cast<T>(im);
      out += 2 * group.points;
      phase.next();
    }
  }
}

template <class T>
__global__ void add_chunks_kernel(const RingChunks* rings, std::size_t rows, std::size_t terms,
                                  std::size_t row_length, const T* parts, T* sums) {
  const RingChunks ring = rings[blockIdx.y];
  const std::size_t size = rows * terms;
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double sum = 0.0;
  for (std::uint32_t c = 0; c < ring.count; ++c) {
    sum += static_cast<double>(parts[(ring.first + c) * size + i]);
  }
  T& target = sums[i / terms * row_length + ring.ring * terms + i % terms];
  target = static_cast<T>(static_cast<double>(target) + sum);
}

// In pairs: whether a row is a sine (1), a cosine (-1), or neither (0). The other row of the pair
// is that many rows further.
__device__ int side_of_pair(const MomentPlaces& places, std::size_t row) {
  if (!places.in_pairs || row == 0) return 0;
  return row % 2 == 1 ? 1 : -1;
}

// kStored: writes the moments where `places` says, otherwise one after another.
template <class T, bool kStored>
__global__ void finish_kernel(const T* products, MomentPlaces places, std::size_t repetitions,
                              double* moments) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= places.rows * repetitions) return;
  const std::size_t row = i / repetitions;
  const T* real = products + 2 * (i % repetitions) * places.rows + row;
  const T* imaginary = real + places.rows;
  double re = static_cast<double>(*real);
  double im = static_cast<double>(*imaginary);
  const int side = side_of_pair(places, row);
  if (side == 1) {  // C - j S
    re = static_cast<double>(real[1]) + static_cast<double>(*imaginary);
    im = static_cast<double>(imaginary[1]) - static_cast<double>(*real);
  } else if (side == -1) {  // C + j S
    re -= static_cast<double>(imaginary[-1]);
    im += static_cast<double>(real[-1]);
  }
  const std::size_t at = kStored ? places.positions[i] : i;
  moments[2 * at] = places.norms[row] * re;
  moments[2 * at + 1] = places.norms[row] * im;
}

template <class T>
__global__ void spread_kernel(const double* moments, MomentPlaces places, T* coefficients) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= places.rows * places.repetitions) return;
  const std::size_t row = i / places.repetitions;
  const std::size_t m = i % places.repetitions;
  const std::size_t at = places.positions[i];
  double re = moments[2 * at];
  double im = moments[2 * at + 1];
  const int side = side_of_pair(places, row);
  if (side != 0) {
    const std::size_t pair = (side == 1 ? row + 1 : row - 1) * places.repetitions + m;
    const std::size_t other = places.positions[pair];
    if (side == 1) {  // j (E_n - E_{-n})
      const double difference = re - moments[2 * other];
      re = moments[2 * other + 1] - im;
      im = difference;
    } else {  // E_n + E_{-n}
      re += moments[2 * other];
      im += moments[2 * other + 1];
    }
  }
  coefficients[2 * m * places.rows + row] = static_cast<T>(re);
  coefficients[(2 * m + 1) * places.rows + row] = static_cast<T>(im);
}

// Computes pixels from the rows g_m of the rings: f = sum over m of Re(e^{j m theta} g_m(rho)), at
// a point and its seven mirror images at once. By the symmetries of the octant, eight partial sums
// by m mod 4 suffice; each pixel is a signed sum of them. Block (32 points, chunk). The warps share
// the repetitions, their sums are combined in shared memory, and the first warp writes the pixels.
template <class T>
__global__ void __launch_bounds__(kPoints* kWarps)
    unfold_kernel(PointTables tables, GroupShape group, const T* rows, double* image) {
  __shared__ double shared[kWarps][8][kPoints];
  const PointChunk chunk = group.chunks[blockIdx.y];
  const std::uint32_t p = blockIdx.x * kPoints + threadIdx.x;
  const Point point = locate(tables, chunk, p);
  double sums[8] = {};
  const Share share(group.repetitions);
  if (share.first < share.last) {
    PhaseFactor phase(point, share.first);
    const T* in = rows + (blockIdx.y * 2 * group.repetitions + 2 * share.first) * group.points + p;
    for (std::size_t m = share.first; m < share.last; ++m) {
      const auto re = static_cast<double>(in[0]);
      const auto im = static_cast<double>(in[group.points]);
      if (m % 4 == 0) {
        sums[0] += re * phase.re;
        sums[1] -= im * phase.im;
      } else if (m % 4 == 2) {
        sums[2] += re * phase.re;
        sums[3] -= im * phase.im;
      } else {
        const double sign = m % 4 == 1 ? 1.0 : -1.0;
        sums[4] += re * phase.re;
        sums[5] += sign * re * phase.im;
        sums[6] -= im * phase.im;
        sums[7] -= sign * im * phase.re;
      }
      in += 2 * group.points;
      phase.next();
    }
  }
  for (int q = 0; q < 8; ++q) shared[threadIdx.y][q][threadIdx.x] = sums[q];
  __syncthreads();
  if (threadIdx.y != 0 || !point.exists) return;
  for (int q = 0; q < 8; ++q) {
    sums[q] = 0.0;
    for (unsigned w = 0; w < kWarps; ++w) sums[q] += shared[w][q][threadIdx.x];
    sums[q] *= point.factor;
  }
  const std::int32_t* to = tables.images + 8 * static_cast<std::size_t>(point.pixel);
  const double even = sums[0] + sums[2];
  const double across = sums[0] - sums[2];
  const double odd = sums[1] + sums[3];
  const double odd_across = sums[3] - sums[1];
  image[to[0]] = even + odd + sums[4] + sums[6];
  image[to[1]] = across + odd_across + sums[5] + sums[7];
  image[to[2]] = across - odd_across - sums[5] + sums[7];
  image[to[3]] = even - odd - sums[4] + sums[6];
  image[to[4]] = even + odd - sums[4] - sums[6];
  image[to[5]] = across + odd_across - sums[5] - sums[7];
  image[to[6]] = across - odd_across + sums[5] - sums[7];
  image[to[7]] = even - odd + sums[4] - sums[6];
}

unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

dim3 group_grid(const GroupShape& group) {
  return {static_cast<unsigned>(group.points / kPoints), static_cast<unsigned>(group.count)};
}

// a_k of Hankel's expansion of J_1 (DLMF 10.17.3) with the signs of its two series: P has the even
// k, Q the odd ones.
constexpr int kHankelTerms = 18;
struct HankelSeries {
  double a[kHankelTerms];
};
constexpr HankelSeries hankel_series() {
  HankelSeries series{};
  double a = 1.0;
  for (int k = 0; k < kHankelTerms; ++k) {
    if (k > 0) a *= (4.0 - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k);
    series.a[k] = k / 2 % 2 == 0 ? a : -a;
  }
  return series;
}
__constant__ constexpr HankelSeries kHankel = hankel_series();

// From here on kHankelTerms terms leave less than 1e-17.
constexpr double kHankelFrom = 40.0;

// J_1(x), absolute error a few 1e-16; CUDA's j1 is less accurate at large arguments. Below 2 the
// power series, below kHankelFrom Miller's recurrence from high orders down (DLMF 3.6), above it
// Hankel's expansion.
__device__ double bessel_j1(double signed_x) {
  const double x = fabs(signed_x);
  double value = 0.0;
  if (x < 2.0) {
    const double square = -x * x / 4;
    double term = x / 2;
    for (int k = 1; k <= 14; ++k) {
      value += term;
      term *= square / (k * (k + 1));
    }
  } else if (x < kHankelFrom) {
    double above = 0.0;
    double current = 1e-200;
    double norm = 0.0;  // J_0 + 2 J_2 + 2 J_4 + ... = 1
    for (int order = static_cast<int>(x) / 2 * 2 + 60; order > 0; --order) {
      if (order % 2 == 0) norm += 2 * current;
      if (order == 1) value = current;
      const double below = 2 * order / x * current - above;
      above = current;
      current = below;
    }
    value /= norm + current;
  } else {
    const double inverse = 1 / x;
    const double square = inverse * inverse;
    double p = 0.0;
    double q = 0.0;
#pragma unroll
    for (int k = kHankelTerms - 2; k >= 0; k -= 2) {
      p = p * square + kHankel.a[k];
      q = q * square + kHankel.a[k + 1];
    }
    q *= inverse;
    double sine;
    double cosine;
    sincos(x, &sine, &cosine);
    // cos(x - 3 pi / 4) = (sin x - cos x) / sqrt(2), sin(x - 3 pi / 4) = -(sin x + cos x) / sqrt(2)
    constexpr double kPi = 3.14159265358979323846;
    value = sqrt(inverse / kPi) * (p * (sine - cosine) + q * (sine + cosine));
  }
  return signed_x < 0 ? -value : value;
}

// Block (ring, order).
template <class T>
__global__ void ring_table_kernel(RingSamples in, T* table) {
  extern __shared__ double values[];
  const std::size_t ring = blockIdx.x;
  const std::size_t order = blockIdx.y;
  const double centre = (static_cast<double>(ring) + 0.5) / static_cast<double>(in.rings);
  for (std::size_t i = threadIdx.x; i < in.terms; i += blockDim.x) {
    values[i] = bessel_j1(in.zeros[order] * (centre + in.samples[i] * in.half_width));
  }
  __syncthreads();
  for (std::size_t k = threadIdx.x; k < in.terms; k += blockDim.x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < in.terms; ++i) {
      sum += in.to_coefficients[i * in.terms + k] * values[i];
    }
    table[(order * in.rings + ring) * in.terms + k] = static_cast<T>(sum);
  }
}

}  // namespace

template <class T>
void fill_ring_table(const RingSamples& samples, T* table, const Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(samples.rings), static_cast<unsigned>(samples.orders));
  ring_table_kernel<<<blocks, 64, samples.terms * sizeof(double), stream.get()>>>(samples, table);
  CUDA_CHECK_LAUNCH("ring_table_kernel");
}

void fold_pixels(const PointTables& tables, const double* image, double* folded,
                 const Stream& stream) {
  if (tables.pixels == 0) return;
  fold_kernel<<<blocks_for(tables.pixels, 256), 256, 0, stream.get()>>>(tables, image, folded);
  CUDA_CHECK_LAUNCH("fold_kernel");
}

template <class T>
void expand_points(const PointTables& tables, const GroupShape& group, const double* folded,
                   T* terms, T* rows, const Stream& stream) {
  expand_kernel<T, true><<<group_grid(group), dim3(kPoints, kWarps), 0, stream.get()>>>(
      tables, group, folded, terms, rows);
  CUDA_CHECK_LAUNCH("expand_kernel");
}

template <class T>
void expand_terms(const PointTables& tables, const GroupShape& group, T* terms,
                  const Stream& stream) {
  expand_kernel<T, false><<<group_grid(group), dim3(kPoints, 1), 0, stream.get()>>>(
      tables, group, nullptr, terms, nullptr);
  CUDA_CHECK_LAUNCH("expand_kernel");
}

template <class T>
void add_chunks(const RingChunks* rings, std::size_t ring_count, std::size_t rows,
                std::size_t terms, std::size_t row_length, const T* parts, T* sums,
                const Stream& stream) {
  const dim3 grid(blocks_for(rows * terms, 256), static_cast<unsigned>(ring_count));
  add_chunks_kernel<T><<<grid, 256, 0, stream.get()>>>(rings, rows, terms, row_length, parts, sums);
  CUDA_CHECK_LAUNCH("add_chunks_kernel");
}

template <class T>
void finish_moments(const T* products, const MomentPlaces& places, double* moments,
                    const Stream& stream) {
  finish_kernel<T, true>
      <<<blocks_for(places.rows * places.repetitions, 256), 256, 0, stream.get()>>>(
          products, places, places.repetitions, moments);
  CUDA_CHECK_LAUNCH("finish_kernel");
}

template <class T>
void finish_some_moments(const T* products, const MomentPlaces& places, std::size_t repetitions,
                         double* moments, const Stream& stream) {
  finish_kernel<T, false><<<blocks_for(places.rows * repetitions, 256), 256, 0, stream.get()>>>(
      products, places, repetitions, moments);
  CUDA_CHECK_LAUNCH("finish_kernel");
}

template <class T>
void spread_moments(const double* moments, const MomentPlaces& places, T* coefficients,
                    const Stream& stream) {
  spread_kernel<T><<<blocks_for(places.rows * places.repetitions, 256), 256, 0, stream.get()>>>(
      moments, places, coefficients);
  CUDA_CHECK_LAUNCH("spread_kernel");
}

template <class T>
void unfold_points(const PointTables& tables, const GroupShape& group, const T* rows, double* image,
                   const Stream& stream) {
  unfold_kernel<T>
      <<<group_grid(group), dim3(kPoints, kWarps), 0, stream.get()>>>(tables, group, rows, image);
  CUDA_CHECK_LAUNCH("unfold_kernel");
}

#define LEAFGLYPH_INSTANTIATE(T)                                                               \
  template void fill_ring_table<T>(const RingSamples&, T*, const Stream&);                     \
  template void expand_points<T>(const PointTables&, const GroupShape&, const double*, T*, T*, \
                                 const Stream&);                                               \
  template void expand_terms<T>(const PointTables&, const GroupShape&, T*, const Stream&);     \
  template void add_chunks<T>(const RingChunks*, std::size_t, std::size_t, std::size_t,        \
                              std::size_t, const T*, T*, const Stream&);                       \
  template void finish_moments<T>(const T*, const MomentPlaces&, double*, const Stream&);      \
  template void finish_some_moments<T>(const T*, const MomentPlaces&, std::size_t, double*,    \
                                       const Stream&);                                         \
  template void spread_moments<T>(const double*, const MomentPlaces&, T*, const Stream&);      \
  template void unfold_points<T>(const PointTables&, const GroupShape&, const T*, double*,     \
                                 const Stream&);
LEAFGLYPH_INSTANTIATE(float)
LEAFGLYPH_INSTANTIATE(double)
#undef LEAFGLYPH_INSTANTIATE

}  // namespace leafglyph::gpu
