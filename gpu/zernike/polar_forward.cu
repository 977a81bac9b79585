#include <algorithm>
#include <cmath>

#include "features/plan/repetition_transform.h"
#include "features/zernike/octant_points.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/fold_pixel.cuh"
#include "gpu/cuda/single_image.h"
#include "gpu/cuda/strided_product.h"
#include "gpu/zernike/point_list.h"
#include "gpu/zernike/polar_device.cuh"
#include "gpu/zernike/polar_tables.h"
#include "gpu/zernike/polar_transform.h"

namespace leafglyph::gpu {
namespace {

// Points held on the GPU at a time.
constexpr std::size_t kPointsAtATime = std::size_t{1} << 24;
constexpr int kNodeThreads = 256;
constexpr int kGpuOrders = 8;  // orders that are summed over the nodes together

template <class In>
__global__ void fold_kernel(const In* image, const std::int32_t* numbers, int pixels,
                            double* folded) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= pixels) return;
  double f[8];
  for (int q = 0; q < 8; ++q) {
    f[q] = static_cast<double>(image[numbers[static_cast<std::size_t>(q) * pixels + p]]);
  }
  double outputs[8];
  fold_pixel(f, outputs);
  for (int c = 0; c < 8; ++c) folded[static_cast<std::size_t>(c) * pixels + p] = outputs[c];
}

struct SpreadTile {
  double weights[kTilePoints][kSpreadWidth];
  double real[kGpuRepetitions][kTilePoints + 1];
  double imaginary[kGpuRepetitions][kTilePoints + 1];
};

// Computes what point p of the tile contributes for half of the block's repetitions, starting at
// `first`.
__device__ void fill_tile(const SpreadingKernel& kernel, const PointArrays& points,
                          std::size_t point, const double* folded, int pixels, bool pseudo,
                          int first, int local, int half, int p, SpreadTile& tile) {
  enum { kEven0, kOdd0, kEven2, kOdd2, kReCos, kReSin, kImSin, kImCos };
  const double position = points.position[point];
  kernel_weights(kernel, position, half == 0 ? 0 : 4, half == 0 ? 4 : kSpreadWidth / 2,
                 tile.weights[p]);
  const double even = points.area[point];
  const double odd = pseudo ? even : even * points.radius[point];
  const std::size_t pixel = points.pixel[point];
  const auto value = [&](int c) { return folded[static_cast<std::size_t>(c) * pixels + pixel]; };
  const double re_cos = odd * value(kReCos);
  const double re_sin = odd * value(kReSin);
  const double im_sin = odd * value(kImSin);
  const double im_cos = odd * value(kImCos);
  const double cosine_even[2] = {even * value(kEven0), even * value(kEven2)};
  const double sine_even[2] = {even * value(kOdd0), even * value(kOdd2)};
  const double angle = points.angle[point];
  double c;
  double s;
  double c1;
  double s1;
  sincospi(angle * first, &s, &c);
  sincospi(angle, &s1, &c1);
#pragma unroll 4
  for (int j = 0; j < kGpuRepetitions / 2; ++j) {
    double real;
    double imaginary;
    if (j % 2 == 0) {
      real = cosine_even[j / 2 % 2] * c;
      imaginary = sine_even[j / 2 % 2] * s;
    } else {
      const double sign = j % 4 == 1 ? 1.0 : -1.0;
      real = re_cos * c + sign * re_sin * s;
      imaginary = im_sin * s + sign * im_cos * c;
    }
    tile.real[local + j][p] = real;
    tile.imaginary[local + j][p] = -imaginary;
    const double next = c * c1 - s * s1;
    s = s * c1 + c * s1;
    c = next;
  }
}

// For each of the w cells, the sum over the segment's points of their weight in the cell times
// their contribution. Block (segment, repetitions), one repetition per thread, with all sums in
// registers: partial[((segment * w + i) * 2 + part) * slice + repetition].
__global__ void __launch_bounds__(kGpuRepetitions)
    spread_kernel(const __grid_constant__ SpreadingKernel kernel, PointArrays points,
                  const PointSegment* segments, const double* folded, int pixels, bool pseudo,
                  int first_repetition, int slice, double* partial) {
  extern __shared__ double shared[];
  SpreadTile& tile = *reinterpret_cast<SpreadTile*>(shared);
  const PointSegment segment = segments[blockIdx.x];
  const int offset = static_cast<int>(blockIdx.y) * kGpuRepetitions;
  if (first_repetition + offset > segment.last_repetition) return;
  const int thread = static_cast<int>(threadIdx.x);
  const int p = thread % kTilePoints;
  const int half = thread / kTilePoints;
  double real[kSpreadWidth] = {};
  double imaginary[kSpreadWidth] = {};
  for (std::uint32_t start = 0; start < segment.count; start += kTilePoints) {
    const int count =
        static_cast<int>(min(segment.count - start, static_cast<std::uint32_t>(kTilePoints)));
    __syncthreads();
    if (p < count) {
      const int local = half * (kGpuRepetitions / 2);
      fill_tile(kernel, points, static_cast<std::size_t>(segment.first) + start + p, folded, pixels,
                pseudo, first_repetition + offset + local, local, half, p, tile);
    }
    __syncthreads();
    for (int point = 0; point < count; ++point) {
      const double a = tile.real[thread][point];
      const double b = tile.imaginary[thread][point];
#pragma unroll
      for (int i = 0; i < kSpreadWidth; ++i) {
        const double weight = tile.weights[point][i];
        real[i] += weight * a;
        imaginary[i] += weight * b;
      }
    }
  }
  double* out =
      partial + static_cast<std::size_t>(blockIdx.x) * 2 * kSpreadWidth * slice + offset + thread;
#pragma unroll
  for (int i = 0; i < kSpreadWidth; ++i) {
    out[static_cast<std::size_t>(2 * i) * slice] = real[i];
    out[static_cast<std::size_t>(2 * i + 1) * slice] = imaginary[i];
  }
}

// cells[(cell * 2 + part) * slice + repetition] += the sums of the segments.
__global__ void gather_partial_kernel(const double* partial, const PointSegment* segments,
                                      const std::uint32_t* interval_segments, int intervals,
                                      int first_repetition, int slice, double* cells) {
  const int repetition = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int cell = static_cast<int>(blockIdx.y) / 2;
  const int part = static_cast<int>(blockIdx.y) % 2;
  if (repetition >= slice) return;
  const int block_start = first_repetition + repetition / kGpuRepetitions * kGpuRepetitions;
  double sum = 0.0;
  for (int i = 0; i < kSpreadWidth; ++i) {
    const int interval = cell - i;
    if (interval < 0 || interval >= intervals) continue;
    for (std::uint32_t s = interval_segments[interval]; s < interval_segments[interval + 1]; ++s) {
      if (block_start > segments[s].last_repetition) break;
      sum += partial[((static_cast<std::size_t>(s) * kSpreadWidth + i) * 2 + part) * slice +
                     repetition];
    }
  }
  cells[(static_cast<std::size_t>(cell) * 2 + part) * slice + repetition] += sum;
}

// Adds kWidth pairs of values over lanes that differ in kBit. Each lane keeps half of the pairs.
template <int kWidth, int kBit>
__device__ void halve(double (&values)[2 * kGpuOrders]) {
  const bool upper = (threadIdx.x & kBit) != 0;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) {
    const double keep = upper ? values[k + kWidth] : values[k];
    const double give = upper ? values[k] : values[k + kWidth];
    values[k] = keep + __shfl_xor_sync(0xffffffffU, give, kBit);
  }
}

// Sums 16 values of each lane over the warp. Lane l ends with the sum of value l / 2.
__device__ double warp_sums(double (&values)[2 * kGpuOrders]) {
  halve<8, 16>(values);
  halve<4, 8>(values);
  halve<2, 4>(values);
  halve<1, 2>(values);
  return values[0] + __shfl_xor_sync(0xffffffffU, values[0], 1);
}

// Moments from the values at the nodes, at_nodes[(part * slice + repetition) * nodes + node]: the
// sum over the nodes of value times radial polynomial, computed by recurrence over the orders. One
// block per repetition.
__global__ void __launch_bounds__(kNodeThreads)
    node_sums_kernel(NodeTables tables, const double* at_nodes, int first_repetition, int slice,
                     double2* moments) {
  extern __shared__ double shared[];  // sums of all orders, then two buffers for the warps' sums
  const int m = first_repetition + static_cast<int>(blockIdx.x);
  const std::uint32_t first = tables.first_order[m];
  const int orders = static_cast<int>(tables.first_order[m + 1] - first);
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int kWarps = kNodeThreads / 32;
  constexpr int kValues = 2 * kGpuOrders;
  double* warps = shared + 2 * orders;
  for (int i = thread; i < 2 * orders; i += kNodeThreads) shared[i] = 0.0;
  __syncthreads();
  int buffer = 0;
  for (int base = 0; base < tables.node_counts[m]; base += kNodeThreads) {
    const int node = base + thread;
    const bool used = node < tables.node_counts[m];
    NodeState state(tables, m, used ? node : 0);
    const std::size_t row = static_cast<std::size_t>(blockIdx.x) * tables.nodes;
    const double a = used ? at_nodes[row + node] : 0.0;
    const double b =
        used ? at_nodes[static_cast<std::size_t>(slice) * tables.nodes + row + node] : 0.0;
    for (int i0 = 0; i0 < orders; i0 += kGpuOrders) {
      double values[kValues] = {};
#pragma unroll
      for (int i = 0; i < kGpuOrders; ++i) {
        if (i0 + i < orders) {
          const double r = state.next(tables.slope[first + i0 + i], tables.shift[first + i0 + i],
                                      tables.back[first + i0 + i]);
          values[2 * i] = r * a;
          values[2 * i + 1] = r * b;
        }
      }
      state.rescale();
      const double sum = warp_sums(values);
      double* own = warps + buffer * kWarps * kValues;
      if (thread % 2 == 0) own[thread / 32 * kValues + thread % 32 / 2] = sum;
      __syncthreads();
      if (thread < kValues && i0 + thread / 2 < orders) {
        double total = 0.0;
        for (int w = 0; w < kWarps; ++w) total += own[w * kValues + thread];
        shared[2 * i0 + thread] += total;
      }
      buffer = 1 - buffer;
    }
    __syncthreads();
  }
  constexpr double kPi = 3.14159265358979323846;
  for (int i = thread; i < orders; i += kNodeThreads) {
    const int n = m + i * (tables.pseudo ? 1 : 2);
    const double norm = (n + 1) / kPi;
    moments[stored_at(tables.pseudo, n, m)] = {norm * shared[2 * i], norm * shared[2 * i + 1]};
  }
}

class PolarForward final : public ForwardTransform,
                           public RepetitionTransform,
                           private TransformShape {
 public:
  PolarForward(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        gpu_(gpu),
        plan_(spec.family, spec.order),
        points_(spec, image_size),
        tables_(plan_),
        octant_(plan_, points_),
        numbers_(copy_to_device(std::span<const std::int32_t>(points_.numbers()))),
        image_(image_size, moment_count()),
        folded_(8 * points_.pixels()),
        slices_(interval_slices(plan_, points_, octant_, kPointsAtATime, stream_)) {
    const int repetitions = (spec.order + kGpuRepetitions) / kGpuRepetitions * kGpuRepetitions;
    slice_ = std::min(repetitions, kSliceRepetitions);
    const auto columns = static_cast<std::size_t>(2 * slice_);
    cells_ = DeviceBuffer<double>(static_cast<std::size_t>(plan_.grid().cells) * columns);
    at_nodes_ = DeviceBuffer<double>(plan_.nodes() * columns);
    if (slices_.size() == 1) hold(slices_[0]);
    allow_shared_memory(node_sums_kernel);
    allow_shared_memory(spread_kernel);
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + ", polar transform in double";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const DeviceScope scope(gpu_.index);
    for (std::size_t b = 0; b < images.count; ++b) {
      fold(images.slice(b, 1));
      compute_slices(0, spec().order + 1);
      image_.receive(moments.subspan(b * moment_count(), moment_count()), stream_);
    }
  }

  // Repetition m is negligible within a radius of about m / order, so that its work goes as
  // 1 - (m / order)^2, whose integral to 2 sin(asin(q) / 3) is q of the whole.
  std::vector<int> cuts(std::size_t shares) const override {
    const double all = spec().order + 1;
    std::vector<int> cuts{0};
    for (std::size_t s = 1; s < shares; ++s) {
      const double part = static_cast<double>(s) / static_cast<double>(shares);
      const double cut = all * 2 * std::sin(std::asin(part) / 3) / kGpuRepetitions;
      cuts.push_back(
          std::min(spec().order + 1, static_cast<int>(std::lround(cut)) * kGpuRepetitions));
    }
    cuts.push_back(spec().order + 1);
    return cuts;
  }

  void compute_repetitions(const ImageBatch& image, int first, int last,
                           std::span<std::complex<double>> moments) override {
    if (first >= last) return;
    const DeviceScope scope(gpu_.index);
    fold(image);
    compute_slices(first, last);
    std::vector<std::complex<double>> all(moment_count());
    image_.receive(all, stream_);
    const int step = plan_.is_pseudo() ? 1 : 2;
    for (int n = first; n <= spec().order; ++n) {
      for (int m = first + (n - first) % step; m < last && m <= n; m += step) {
        const std::size_t at = moment_position(spec().family, n, m);
        moments[at] = all[at];
      }
    }
  }

 private:
  // Shared memory for node_sums_kernel. m = 0 has the most orders.
  std::size_t node_bytes() const {
    const std::size_t orders =
        static_cast<std::size_t>(spec().order) / (plan_.is_pseudo() ? 1 : 2) + 1;
    return (2 * orders + 2 * kNodeThreads / 32 * 2 * kGpuOrders) * sizeof(double);
  }

  void hold(const std::pair<int, int>& slice) {
    list_ = std::make_unique<PointList>(plan_, points_, octant_, slice.first, slice.second,
                                        /*segment_points=*/0, stream_);
    const std::size_t partials =
        list_->segment_count() * 2 * kSpreadWidth * static_cast<std::size_t>(slice_);
    if (partial_.size() < partials) {
      partial_ = DeviceBuffer<double>();
      partial_ = DeviceBuffer<double>(partials);
    }
  }

  void fold(const ImageBatch& image) {
    image_.send(image, stream_);
    const int pixels = static_cast<int>(points_.pixels());
    if (pixels == 0) return;
    const int blocks = (pixels + 255) / 256;
    image_.with_pixels([&](const auto* typed) {
      fold_kernel<<<blocks, 256, 0, stream_.get()>>>(typed, numbers_.data(), pixels,
                                                     folded_.data());
      CUDA_CHECK_LAUNCH("fold_kernel");
    });
  }

  // Repetitions first to last - 1; `first` is a multiple of kGpuRepetitions.
  void compute_slices(int first, int last) {
    for (; first < last; first += slice_) compute_slice(first, std::min(last, first + slice_));
  }

  void compute_slice(int first, int last) {
    const int slice = (last - first + kGpuRepetitions - 1) / kGpuRepetitions * kGpuRepetitions;
    const auto columns = static_cast<std::size_t>(2 * slice);
    const auto cells = static_cast<std::size_t>(plan_.grid().cells);
    CUDA_CHECK(cudaMemsetAsync(cells_.data(), 0, cells * columns * sizeof(double), stream_.get()));
    for (const auto& points : slices_) {
      if (slices_.size() > 1) hold(points);
      if (list_->segment_count() > 0) spread(first, slice);
      if (slices_.size() > 1) stream_.wait();  // before the list is replaced
    }
    strided_product(columns, plan_.nodes(), cells, {cells_.data(), 1, columns},
                    {tables_.cells_to_nodes(), cells, 1}, at_nodes_.data(), plan_.nodes(),
                    stream_.get());
    node_sums_kernel<<<last - first, kNodeThreads, node_bytes(), stream_.get()>>>(
        tables_.nodes(), at_nodes_.data(), first, slice, image_.moments());
    CUDA_CHECK_LAUNCH("node_sums_kernel");
  }

  void spread(int first, int slice) {
    const dim3 blocks(static_cast<unsigned>(list_->segment_count()),
                      static_cast<unsigned>(slice / kGpuRepetitions));
    spread_kernel<<<blocks, kGpuRepetitions, sizeof(SpreadTile), stream_.get()>>>(
        plan_.kernel(), list_->arrays(), list_->segments(), folded_.data(),
        static_cast<int>(points_.pixels()), plan_.is_pseudo(), first, slice, partial_.data());
    CUDA_CHECK_LAUNCH("spread_kernel");
    const dim3 cell_blocks(static_cast<unsigned>((slice + 127) / 128),
                           static_cast<unsigned>(2 * plan_.grid().cells));
    gather_partial_kernel<<<cell_blocks, 128, 0, stream_.get()>>>(
        partial_.data(), list_->segments(), list_->interval_segments(), plan_.grid().intervals,
        first, slice, cells_.data());
    CUDA_CHECK_LAUNCH("gather_partial_kernel");
  }

  GpuDevice gpu_;
  PolarPlan plan_;
  OctantPoints points_;
  PolarTables tables_;
  OctantBuffers octant_;
  Stream stream_;
  DeviceBuffer<std::int32_t> numbers_;
  SingleImage image_;
  DeviceBuffer<double> folded_;
  std::vector<std::pair<int, int>> slices_;
  std::unique_ptr<PointList> list_;
  int slice_ = 0;
  DeviceBuffer<double> cells_;
  DeviceBuffer<double> at_nodes_;
  DeviceBuffer<double> partial_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec& spec, int image_size,
                                                     const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  return std::make_shared<PolarForward>(spec, image_size, gpu);
}

constinit const Algorithm<GpuDevice> kPolar = {
    .name = "polar",
    .moments = {.supports = has_polar_moments,
                .make =
                    [](const PlanRequest& request, const GpuDevice& gpu) {
                      return make_polar_forward(request.spec, request.image_size(), gpu);
                    },
                .bytes = polar_moments_bytes,
                .work = polar_moments_work},
    .images = {.supports = has_polar_images,
               .make =
                   [](const PlanRequest& request, const GpuDevice& gpu) {
                     return make_polar_backward(request.spec, request.image_size(), gpu);
                   },
               .bytes = polar_images_bytes,
               .work = polar_images_work},
};

}  // namespace leafglyph::gpu
