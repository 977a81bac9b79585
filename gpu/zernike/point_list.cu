#include "gpu/zernike/point_list.h"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "features/moments/disk_grid.h"

namespace leafglyph::gpu {
namespace {

// Number of segments that occupies a large GPU.
constexpr std::size_t kWantedSegments = 1024;
constexpr std::size_t kShortestSegment = 64;
constexpr unsigned kThreads = 256;

struct Point {
  double x;
  double y;
  double area;
  std::uint32_t pixel;
};

// Point `number` by the formulas of OctantPoints::for_points, without fused operations: a point on
// the edge of the disk must not count on one back end alone.
__device__ Point point_of(const OctantOnGpu& octant, std::uint64_t number) {
  std::size_t low = 0;
  std::size_t high = octant.pixels;  // the pixel is in [low, high)
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (octant.first_point[middle] <= number ? low : high) = middle;
  }
  const std::uint32_t start = octant.rule_start[octant.rule[low]];
  const std::uint32_t side = octant.rule_start[octant.rule[low] + 1] - start;
  const auto place = static_cast<std::uint32_t>(number - octant.first_point[low]);
  const std::uint32_t sy = place / side;
  const std::uint32_t sx = place % side;
  const double node_y = octant.nodes[start + sy];
  const double node_x = octant.nodes[start + sx];
  const double weight = octant.weights[start + sy] * octant.weights[start + sx];
  if (low == 0 && octant.triangle_side > 0) {
    const double u = (1 + node_y) / 2;
    const double x = u * octant.triangle_side;
    return {x, x * ((1 + node_x) / 2), weight / 4 * x * octant.triangle_side, 0};
  }
  return {__dadd_rn(octant.x[low], __dmul_rn(octant.half_side, node_x)),
          __dadd_rn(octant.y[low], __dmul_rn(octant.half_side, node_y)),
          octant.weight[low] * octant.half_side * octant.half_side * weight,
          static_cast<std::uint32_t>(low)};
}

// Where the point lies on the grid of the plan, in cells (SpreadKernels::polar).
__device__ double position_of(const OctantOnGpu& octant, double radius) {
  const double s = octant.pseudo ? 2 * radius - 1 : radius;
  return acos(fmin(s, 1.0)) * octant.cells_per_radian;
}

// The interval of a point; that after the last one for a point outside of the disk.
__device__ int interval_of(const OctantOnGpu& octant, const Point& point) {
  const double square = __dadd_rn(__dmul_rn(point.x, point.x), __dmul_rn(point.y, point.y));
  if (square > kDiskSquare) return octant.intervals;
  const double position = position_of(octant, sqrt(fma(point.x, point.x, point.y * point.y)));
  return min(static_cast<int>(position), octant.intervals - 1);
}

// keys[i] = the interval of point first + i, numbers[i] = i. Points that are not in the intervals
// [begin, end) get the key of points outside of the disk.
__global__ void key_kernel(OctantOnGpu octant, std::uint64_t first, std::uint32_t count, int begin,
                           int end, std::uint32_t* keys, std::uint32_t* numbers) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int interval = interval_of(octant, point_of(octant, first + i));
  const bool is_used = interval >= begin && interval < end;
  keys[i] = static_cast<std::uint32_t>(is_used ? interval : octant.intervals);
  numbers[i] = i;
}

// starts[i] = the first place of sorted keys whose key is at least i.
__global__ void start_kernel(const std::uint32_t* keys, std::uint32_t count, int intervals,
                             std::uint32_t* starts) {
  const std::uint32_t interval = blockIdx.x * blockDim.x + threadIdx.x;
  if (interval > static_cast<std::uint32_t>(intervals)) return;
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] < interval) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  starts[interval] = low;
}

struct FilledArrays {
  double* position;
  double* angle;
  double* radius;
  double* area;
  std::uint32_t* pixel;
};

__global__ void fill_kernel(OctantOnGpu octant, std::uint64_t first, const std::uint32_t* numbers,
                            std::uint32_t count, FilledArrays arrays) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Point point = point_of(octant, first + numbers[i]);
  const double radius = sqrt(fma(point.x, point.x, point.y * point.y));
  constexpr double kPi = 3.14159265358979323846;
  arrays.position[i] = position_of(octant, radius);
  arrays.angle[i] = atan2(point.y, point.x) / kPi;
  arrays.radius[i] = radius;
  arrays.area[i] = point.area;
  arrays.pixel[i] = point.pixel;
}

__global__ void count_kernel(OctantOnGpu octant, std::uint64_t points, unsigned long long* counts) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= points) return;
  const int interval = interval_of(octant, point_of(octant, i));
  if (interval < octant.intervals) atomicAdd(counts + interval, 1ULL);
}

unsigned blocks_for(std::uint64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <class T>
std::vector<T> copied_to_host(const DeviceBuffer<T>& buffer, const Stream& stream) {
  std::vector<T> values(buffer.size());
  CUDA_CHECK(cudaMemcpyAsync(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost,
                             stream.get()));
  stream.wait();
  return values;
}

// The numbers of points sorted by their keys. Equal keys keep their order.
class SortedKeys {
 public:
  SortedKeys(const OctantOnGpu& octant, std::uint64_t first, std::uint32_t count, int begin,
             int end, const Stream& stream)
      : keys_(count), sorted_keys_(count), numbers_(count), sorted_numbers_(count) {
    if (count == 0) return;
    key_kernel<<<blocks_for(count), kThreads, 0, stream.get()>>>(octant, first, count, begin, end,
                                                                 keys_.data(), numbers_.data());
    CUDA_CHECK_LAUNCH("key_kernel");
    int bits = 1;
    while (octant.intervals >> bits != 0) ++bits;
    std::size_t bytes = 0;
    const auto sort = [&](void* room) {
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(room, bytes, keys_.data(), sorted_keys_.data(),
                                                 numbers_.data(), sorted_numbers_.data(), count, 0,
                                                 bits, stream.get()));
    };
    sort(nullptr);
    room_ = DeviceBuffer<unsigned char>(bytes);
    sort(room_.data());
  }

  // The first place of every interval, and after them that of the points that are not used.
  std::vector<std::uint32_t> starts(int intervals, const Stream& stream) const {
    DeviceBuffer<std::uint32_t> starts(static_cast<std::size_t>(intervals) + 1);
    start_kernel<<<blocks_for(starts.size()), kThreads, 0, stream.get()>>>(
        sorted_keys_.data(), static_cast<std::uint32_t>(sorted_keys_.size()), intervals,
        starts.data());
    CUDA_CHECK_LAUNCH("start_kernel");
    return copied_to_host(starts, stream);
  }

  const std::uint32_t* numbers() const { return sorted_numbers_.data(); }

 private:
  DeviceBuffer<std::uint32_t> keys_;
  DeviceBuffer<std::uint32_t> sorted_keys_;
  DeviceBuffer<std::uint32_t> numbers_;
  DeviceBuffer<std::uint32_t> sorted_numbers_;
  DeviceBuffer<unsigned char> room_;
};

}  // namespace

OctantBuffers::OctantBuffers(const PolarPlan& plan, const OctantPoints& points) {
  std::vector<double> nodes;
  std::vector<double> weights;
  std::vector<std::uint32_t> rule_start{0};
  for (const OctantPoints::Rule& rule : points.rules()) {
    nodes.insert(nodes.end(), rule.nodes.begin(), rule.nodes.end());
    weights.insert(weights.end(), rule.weights.begin(), rule.weights.end());
    rule_start.push_back(static_cast<std::uint32_t>(nodes.size()));
  }
  starts_.reserve(points.pixels() + 1);
  starts_.push_back(0);
  for (const std::uint16_t rule : points.rule_of()) {
    const std::uint64_t side = points.rules()[rule].nodes.size();
    starts_.push_back(starts_.back() + side * side);
  }
  x_ = copy_to_device(std::span<const double>(points.x()));
  y_ = copy_to_device(std::span<const double>(points.y()));
  weight_ = copy_to_device(std::span<const double>(points.weight()));
  rule_ = copy_to_device(std::span<const std::uint16_t>(points.rule_of()));
  first_point_ = copy_to_device(std::span<const std::uint64_t>(starts_));
  nodes_ = copy_to_device(std::span<const double>(nodes));
  weights_ = copy_to_device(std::span<const double>(weights));
  rule_start_ = copy_to_device(std::span<const std::uint32_t>(rule_start));
  octant_ = {x_.data(),
             y_.data(),
             weight_.data(),
             rule_.data(),
             first_point_.data(),
             points.pixels(),
             nodes_.data(),
             weights_.data(),
             rule_start_.data(),
             1.0 / points.image_size(),
             points.triangle_side(),
             plan.is_pseudo(),
             plan.cells_per_radian(),
             plan.grid().intervals};
}

PointList::PointList(const PolarPlan& plan, const OctantPoints& points,
                     const OctantBuffers& buffers, int first, int last, std::size_t segment_points,
                     const Stream& stream) {
  const OctantOnGpu& octant = buffers.octant();
  const auto [first_pixel, last_pixel] = points.pixels_near(plan, first, last);
  const std::uint64_t first_point = buffers.first_point(first_pixel);
  const auto count = static_cast<std::uint32_t>(buffers.first_point(last_pixel) - first_point);
  const SortedKeys sorted(octant, first_point, count, first, last, stream);
  const std::vector<std::uint32_t> starts = sorted.starts(octant.intervals, stream);
  points_ = starts.back();
  position_ = DeviceBuffer<double>(points_);
  angle_ = DeviceBuffer<double>(points_);
  radius_ = DeviceBuffer<double>(points_);
  area_ = DeviceBuffer<double>(points_);
  pixel_ = DeviceBuffer<std::uint32_t>(points_);
  if (points_ > 0) {
    fill_kernel<<<blocks_for(points_), kThreads, 0, stream.get()>>>(
        octant, first_point, sorted.numbers(), starts.back(),
        {position_.data(), angle_.data(), radius_.data(), area_.data(), pixel_.data()});
    CUDA_CHECK_LAUNCH("fill_kernel");
  }
  divide(plan, starts, segment_points);
  stream.wait();
}

void PointList::divide(const PolarPlan& plan, const std::vector<std::uint32_t>& starts,
                       std::size_t segment_points) {
  const auto length = static_cast<std::uint32_t>(
      segment_points > 0 ? segment_points : std::max(kShortestSegment, points_ / kWantedSegments));
  std::vector<PointSegment> segments;
  std::vector<std::uint32_t> interval_segments;
  for (int interval = 0; interval < plan.grid().intervals; ++interval) {
    interval_segments.push_back(static_cast<std::uint32_t>(segments.size()));
    const std::uint32_t end = starts[static_cast<std::size_t>(interval) + 1];
    for (std::uint32_t begin = starts[static_cast<std::size_t>(interval)]; begin < end;
         begin += length) {
      segments.push_back(
          {interval, begin, std::min(length, end - begin), plan.last_repetition(interval)});
    }
  }
  interval_segments.push_back(static_cast<std::uint32_t>(segments.size()));
  segments_ = copy_to_device(std::span<const PointSegment>(segments));
  interval_segments_ = copy_to_device(std::span<const std::uint32_t>(interval_segments));
}

PointArrays PointList::arrays() const {
  return {position_.data(), angle_.data(), radius_.data(), area_.data(), pixel_.data()};
}

std::vector<std::pair<int, int>> interval_slices(const PolarPlan& plan, const OctantPoints& points,
                                                 const OctantBuffers& buffers, std::size_t limit,
                                                 const Stream& stream) {
  const int intervals = plan.grid().intervals;
  const std::uint64_t total = buffers.first_point(points.pixels());
  if (total <= limit) return {{0, intervals}};
  DeviceBuffer<unsigned long long> on_gpu(static_cast<std::size_t>(intervals));
  CUDA_CHECK(cudaMemsetAsync(on_gpu.data(), 0, on_gpu.bytes(), stream.get()));
  count_kernel<<<blocks_for(total), kThreads, 0, stream.get()>>>(buffers.octant(), total,
                                                                 on_gpu.data());
  CUDA_CHECK_LAUNCH("count_kernel");
  const std::vector<unsigned long long> counts = copied_to_host(on_gpu, stream);
  std::vector<std::pair<int, int>> slices;
  int begin = 0;
  std::size_t held = 0;
  for (int i = 0; i < intervals; ++i) {
    const std::size_t count = counts[static_cast<std::size_t>(i)];
    if (held > 0 && held + count > limit) {
      slices.emplace_back(begin, i);
      begin = i;
      held = 0;
    }
    held += count;
  }
  slices.emplace_back(begin, intervals);
  return slices;
}

}  // namespace leafglyph::gpu
