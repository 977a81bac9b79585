#include <algorithm>

#include "features/zernike/octant_points.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"
#include "gpu/cuda/strided_product.h"
#include "gpu/zernike/point_list.h"
#include "gpu/zernike/polar_device.cuh"
#include "gpu/zernike/polar_tables.h"
#include "gpu/zernike/polar_transform.h"

namespace leafglyph::gpu {
namespace {

constexpr int kNodeThreads = 128;
constexpr int kSums = 16;  // four kinds of sums (see SpreadGroup::sums) for each m mod 4

// One thread per node and repetition: at_nodes[(part * slice + repetition) * nodes + node] is the
// sum over the orders of moment times radial polynomial.
__global__ void __launch_bounds__(kNodeThreads)
    node_values_kernel(NodeTables tables, const double2* weighted, int first_repetition, int slice,
                       int last_order, double* at_nodes) {
  const int node = static_cast<int>(blockIdx.x * kNodeThreads + threadIdx.x);
  const int m = first_repetition + static_cast<int>(blockIdx.y);
  if (node >= tables.nodes) return;
  double real = 0.0;
  double imaginary = 0.0;
  if (m <= last_order && node < tables.node_counts[m]) {
    NodeState state(tables, m, node);
    const int step = tables.pseudo ? 1 : 2;
    const std::uint32_t first = tables.first_order[m];
    int i = 0;
    for (int n = m; n <= last_order; n += step, ++i) {
      const double r =
          state.next(tables.slope[first + i], tables.shift[first + i], tables.back[first + i]);
      const double2 z = weighted[stored_at(tables.pseudo, n, m)];
      real += r * z.x;
      imaginary += r * z.y;
      if (i % 8 == 7) state.rescale();
    }
  }
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * tables.nodes + node;
  at_nodes[row] = real;
  at_nodes[static_cast<std::size_t>(slice) * tables.nodes + row] = imaginary;
}

struct ReadTile {
  double weights[kTilePoints][kSpreadWidth];
  double cosine[kGpuRepetitions][kTilePoints + 1];
  double sine[kGpuRepetitions][kTilePoints + 1];
  double sums[2][kTilePoints][kSums];  // one per warp
};

// Computes e^{j m theta} of point p for half of the block's repetitions, starting at `first`.
__device__ void fill_angles(double angle, int first, int local, int p, ReadTile& tile) {
  double c;
  double s;
  double c1;
  double s1;
  sincospi(angle * first, &s, &c);
  sincospi(angle, &s1, &c1);
  for (int j = 0; j < kGpuRepetitions / 2; ++j) {
    tile.cosine[local + j][p] = c;
    tile.sine[local + j][p] = s;
    const double next = c * c1 - s * s1;
    s = s * c1 + c * s1;
    c = next;
  }
}

// Adds the four sums of a point over the repetitions of a warp that are equal mod 4. Lane l ends
// with the sum of kind (l / 8) % 4 (bits 16 and 8) and residue l % 4.
__device__ double sum_residues(const double (&values)[4]) {
  const bool upper16 = (threadIdx.x & 16U) != 0;
  const bool upper8 = (threadIdx.x & 8U) != 0;
  const double a = upper16 ? values[2] : values[0];
  const double b = upper16 ? values[3] : values[1];
  const double c = a + __shfl_xor_sync(0xffffffffU, upper16 ? values[0] : values[2], 16);
  const double d = b + __shfl_xor_sync(0xffffffffU, upper16 ? values[1] : values[3], 16);
  const double e = (upper8 ? d : c) + __shfl_xor_sync(0xffffffffU, upper8 ? c : d, 8);
  return e + __shfl_xor_sync(0xffffffffU, e, 4);
}

// Reads the cells at the points of a segment with at most kTilePoints points. One block per
// segment, one repetition per thread: sums[point * kSums + kind * 4 + m mod 4] += ...
__global__ void __launch_bounds__(kGpuRepetitions)
    read_kernel(const __grid_constant__ SpreadingKernel kernel, PointArrays points,
                const PointSegment* segments, const double* cells, int first_repetition, int slice,
                double* sums) {
  extern __shared__ double shared[];
  ReadTile& tile = *reinterpret_cast<ReadTile*>(shared);
  const PointSegment segment = segments[blockIdx.x];
  if (first_repetition > segment.last_repetition) return;
  const int count = static_cast<int>(segment.count);
  const int thread = static_cast<int>(threadIdx.x);
  const int p = thread % kTilePoints;
  const int half = thread / kTilePoints;
  if (p < count) {
    kernel_weights(kernel, points.position[segment.first + p], half == 0 ? 0 : 4,
                   half == 0 ? 4 : kSpreadWidth / 2, tile.weights[p]);
  }
  for (int i = 0; i < kSums; ++i) tile.sums[half][p][i] = 0.0;
  const int last = min(slice, segment.last_repetition - first_repetition + 1);
  for (int offset = 0; offset < last; offset += kGpuRepetitions) {
    double real[kSpreadWidth];
    double imaginary[kSpreadWidth];
#pragma unroll
    for (int i = 0; i < kSpreadWidth; ++i) {
      const double* row =
          cells + (static_cast<std::size_t>(segment.interval) + i) * 2 * slice + offset + thread;
      real[i] = row[0];
      imaginary[i] = row[slice];
    }
    __syncthreads();
    if (p < count) {
      const int local = half * (kGpuRepetitions / 2);
      fill_angles(points.angle[segment.first + p], first_repetition + offset + local, local, p,
                  tile);
    }
    __syncthreads();
    for (int point = 0; point < count; ++point) {
      double a = 0.0;
      double b = 0.0;
#pragma unroll
      for (int i = 0; i < kSpreadWidth; ++i) {
        const double weight = tile.weights[point][i];
        a += weight * real[i];
        b += weight * imaginary[i];
      }
      const double c = tile.cosine[thread][point];
      const double s = tile.sine[thread][point];
      const double values[4] = {a * c, a * s, b * c, b * s};
      const double sum = sum_residues(values);
      const unsigned lane = threadIdx.x % 32;
      if ((lane & 4U) == 0) tile.sums[half][point][lane / 8 * 4 + lane % 4] += sum;
    }
  }
  __syncthreads();
  if (p < count) {
    double* out = sums + static_cast<std::size_t>(segment.first + p) * kSums;
    for (int i = half * kSums / 2; i < (half + 1) * kSums / 2; ++i) {
      out[i] += tile.sums[0][p][i] + tile.sums[1][p][i];
    }
  }
}

// Writes the values at the eight mirror images of every point, as write_images on the CPU.
__global__ void write_kernel(PointArrays points, int count, const double* sums,
                             const std::int32_t* numbers, int pixels, bool pseudo, double* image) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= count) return;
  const double* part = sums + static_cast<std::size_t>(p) * kSums;
  const double odd = pseudo ? 1.0 : points.radius[p];
  for (int q = 0; q < 8; ++q) {
    const int turns = (q + 1) / 2;
    const double sign = q % 2 == 0 ? 1.0 : -1.0;
    double value = 0.0;
    for (int r = 0; r < 4; ++r) {
      const int quarter = r * turns % 4;
      const double c = quarter == 0 ? 1.0 : quarter == 2 ? -1.0 : 0.0;
      const double s = quarter == 1 ? 1.0 : quarter == 3 ? -1.0 : 0.0;
      const double term =
          c * part[r] - sign * s * part[4 + r] - s * part[8 + r] - sign * c * part[12 + r];
      value += r % 2 == 1 ? odd * term : term;
    }
    image[numbers[static_cast<std::size_t>(q) * pixels + points.pixel[p]]] = value;
  }
}

class PolarBackward final : public BackwardTransform, private TransformShape {
 public:
  PolarBackward(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        gpu_(gpu),
        plan_(spec.family, spec.order),
        points_(OctantPoints::centres(spec, image_size)),
        tables_(plan_),
        list_(plan_, points_, OctantBuffers(plan_, points_), 0, plan_.grid().intervals, kTilePoints,
              stream_),
        numbers_(copy_to_device(std::span<const std::int32_t>(points_.numbers()))),
        weighted_(leafglyph::moment_count(spec.family, spec.order)),
        sums_(kSums * list_.points()),
        image_(static_cast<std::size_t>(image_size) * image_size),
        sent_(weighted_.bytes()),
        received_(image_.bytes()) {
    const int repetitions = (spec.order + kGpuRepetitions) / kGpuRepetitions * kGpuRepetitions;
    slice_ = std::min(repetitions, kSliceRepetitions);
    const auto columns = static_cast<std::size_t>(2 * slice_);
    cells_ = DeviceBuffer<double>(static_cast<std::size_t>(plan_.grid().cells) * columns);
    at_nodes_ = DeviceBuffer<double>(plan_.nodes() * columns);
    allow_shared_memory(read_kernel);
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + ", polar transform in double";
  }

 protected:
  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> image) override {
    const DeviceScope scope(gpu_.index);
    sent_.send(weighted.data(), /*on_host=*/true, weighted.size_bytes(), weighted_.data(), stream_);
    CUDA_CHECK(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), stream_.get()));
    CUDA_CHECK(cudaMemsetAsync(image_.data(), 0, image_.bytes(), stream_.get()));
    for (int first = 0; first <= last_order; first += slice_) {
      add_slice(first, last_order);
    }
    const int count = static_cast<int>(list_.points());
    if (count > 0) {
      write_kernel<<<(count + 127) / 128, 128, 0, stream_.get()>>>(
          list_.arrays(), count, sums_.data(), numbers_.data(), static_cast<int>(points_.pixels()),
          plan_.is_pseudo(), image_.data());
      CUDA_CHECK_LAUNCH("write_kernel");
    }
    received_.receive(image_.data(), image_.bytes(), image.data(), stream_);
  }

 private:
  void add_slice(int first, int last_order) {
    const auto columns = static_cast<std::size_t>(2 * slice_);
    const auto cells = static_cast<std::size_t>(plan_.grid().cells);
    const dim3 node_blocks(static_cast<unsigned>((plan_.nodes() + kNodeThreads - 1) / kNodeThreads),
                           static_cast<unsigned>(slice_));
    node_values_kernel<<<node_blocks, kNodeThreads, 0, stream_.get()>>>(
        tables_.nodes(), weighted_.data(), first, slice_, last_order, at_nodes_.data());
    CUDA_CHECK_LAUNCH("node_values_kernel");
    strided_product(cells, columns, plan_.nodes(), {tables_.cells_to_nodes(), 1, cells},
                    {at_nodes_.data(), plan_.nodes(), 1}, cells_.data(), columns, stream_.get());
    if (list_.segment_count() == 0) return;
    read_kernel<<<static_cast<unsigned>(list_.segment_count()), kGpuRepetitions, sizeof(ReadTile),
                  stream_.get()>>>(plan_.kernel(), list_.arrays(), list_.segments(), cells_.data(),
                                   first, slice_, sums_.data());
    CUDA_CHECK_LAUNCH("read_kernel");
  }

  GpuDevice gpu_;
  PolarPlan plan_;
  OctantPoints points_;
  PolarTables tables_;
  Stream stream_;
  PointList list_;
  DeviceBuffer<std::int32_t> numbers_;
  DeviceBuffer<double2> weighted_;
  DeviceBuffer<double> sums_;
  DeviceBuffer<double> image_;
  StagedCopy sent_;
  StagedCopy received_;
  int slice_ = 0;
  DeviceBuffer<double> cells_;
  DeviceBuffer<double> at_nodes_;
};

}  // namespace

std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size,
                                                       const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  return std::make_shared<PolarBackward>(spec, image_size, gpu);
}

}  // namespace leafglyph::gpu
