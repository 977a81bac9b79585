#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "features/zernike/ridge_forward.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/strided_product.h"
#include "gpu/zernike/polar_device.cuh"
#include "gpu/zernike/ridge_forward.h"
#include "gpu/cuda/single_image.h"

namespace leafglyph::gpu {
namespace {

// Corners whose weights stand in shared memory at a time, for each warp of a block.
constexpr int kWarpCorners = 32;
// Lanes that serve one image: the smallest power of two that holds the w cells of a corner.
constexpr int kLanes = 16;
static_assert(kLanes >= kSpreadWidth);
// Weights of a corner in shared memory: an odd length keeps threads that write them apart.
constexpr int kWeightRow = kLanes + 1;
// Shared memory that leaves room for several blocks on a multiprocessor.
constexpr std::size_t kGoodBytes = std::size_t{72} << 10;

// The values D_c of the corners' images: values[corner * 8 + q].
template <class In>
__global__ void corner_kernel(const In* image, const std::int32_t* around, const double* share,
                              int corners, double* values) {
  const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (e >= 8 * corners) return;
  const auto pixel = [&](int i) {
    const std::int32_t number = around[static_cast<std::size_t>(e) * 4 + i];
    return number < 0 ? 0.0 : static_cast<double>(image[number]);
  };
  values[e] = share[e / 8] * ((pixel(0) - pixel(1)) - (pixel(2) - pixel(3)));
}

struct RidgeArrays {
  const double* x;
  const double* y;
  const double* values;
  int corners;
  const double* angle_cosine;
  const double* angle_sine;
  const std::int32_t* angle_cell;  ///< first cell that a corner touches at each angle
  double cells_per_radian;
  int cells;
  int width;  ///< cells that corners touch at any angle, at most
};

// Block (angle, group of images): spreads all corners. Each warp owns the cells of kSets pairs of
// images in shared memory, 16 lanes for the cells of either, so that no two threads ever add to one
// place at a time. What is added is loaded for four corners together, so that only the additions
// themselves wait for each other. Only `width` cells from the angle's first on are ever touched.
// spread[(angle * 8 + image) * cells + cell].
template <int kWarps, int kSets>
__global__ void __launch_bounds__(32 * kWarps)
    ridge_kernel(const __grid_constant__ SpreadingKernel kernel, RidgeArrays in, double* spread) {
  constexpr int kCorners = kWarpCorners * kWarps;
  constexpr int kImages = 2 * kWarps * kSets;
  extern __shared__ double shared[];
  double* weights = shared;                          // [corner][lane], 0 beyond the w-th
  double* values = weights + kCorners * kWeightRow;  // [image][corner]
  int* first_cell = reinterpret_cast<int*>(values + kImages * kCorners);  // [corner]
  double* grid = values + kImages * kCorners + kCorners / 2;              // [image][width]
  const int thread = static_cast<int>(threadIdx.x);
  const int first_image = static_cast<int>(blockIdx.y) * kImages;
  const double cosine = in.angle_cosine[blockIdx.x];
  const double sine = in.angle_sine[blockIdx.x];
  const int origin = in.angle_cell[blockIdx.x];
  for (int i = thread; i < kImages * in.width; i += 32 * kWarps) grid[i] = 0.0;
  for (int i = kSpreadWidth; i < kLanes; ++i) weights[thread * kWeightRow + i] = 0.0;
  const int image = 2 * kSets * (thread / 32) + thread % 32 / kLanes;
  const int lane = thread % kLanes;
  double* own = grid + static_cast<std::size_t>(image) * in.width + lane;
  const double* own_values = values + image * kCorners;
  for (int base = 0; base < in.corners; base += kCorners) {
    __syncthreads();
    const bool used = base + thread < in.corners;
    const int corner = used ? base + thread : 0;
    const double s = in.x[corner] * cosine + in.y[corner] * sine;
    const double position = acos(fmin(1.0, fmax(-1.0, s))) * in.cells_per_radian;
    first_cell[thread] = static_cast<int>(position) - origin;
    kernel_weights(kernel, position, 0, kSpreadWidth / 2, weights + thread * kWeightRow);
    for (int q = 0; q < kImages; ++q) {
      values[q * kCorners + thread] =
          used ? in.values[static_cast<std::size_t>(corner) * 8 + first_image + q] : 0.0;
    }
    __syncthreads();
    for (int c = 0; c < kCorners; c += 4) {
      const int4 first = *reinterpret_cast<const int4*>(first_cell + c);
      const int cells[4] = {first.x, first.y, first.z, first.w};
      double add[4][kSets];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const double weight = weights[(c + k) * kWeightRow + lane];
#pragma unroll
        for (int set = 0; set < kSets; ++set) {
          add[k][set] = weight * own_values[2 * set * kCorners + c + k];
        }
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        double sums[kSets];
#pragma unroll
        for (int set = 0; set < kSets; ++set) sums[set] = own[2 * set * in.width + cells[k]];
#pragma unroll
        for (int set = 0; set < kSets; ++set) {
          own[2 * set * in.width + cells[k]] = sums[set] + add[k][set];
        }
        __syncwarp();
      }
    }
  }
  __syncthreads();
  for (int q = 0; q < kImages; ++q) {
    double* out = spread + (static_cast<std::size_t>(blockIdx.x) * 8 + first_image + q) * in.cells;
    for (int i = thread; i < in.cells; i += 32 * kWarps) {
      const int at = i - origin;
      out[i] = at >= 0 && at < in.width ? grid[q * in.width + at] : 0.0;
    }
  }
}

// Where the images' sums at an angle come from: for image q of angle l, source[8 l + q] is twice
// the angle at which the corners themselves were spread, plus 1 when s changes its sign.
// folded[parity][angle * quarter + cell] for cells of the quarter circle.
__global__ void fold_circle_kernel(const double* spread, const std::int32_t* source, int angles,
                                   int cells, int circle, double* even, double* odd) {
  const int quarter = circle / 4 + 1;
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int angle = static_cast<int>(blockIdx.y);
  if (cell >= quarter) return;
  double sum = 0.0;
  double difference = 0.0;
  for (int q = 0; q < 8; ++q) {
    const std::int32_t from = source[8 * angle + q];
    const double* row = spread + (static_cast<std::size_t>(from / 2) * 8 + q) * cells;
    const auto at = [&](int number) {
      const int s = number + kSpreadMargin;
      return s >= 0 && s < cells ? row[s] : 0.0;
    };
    const double near = at(cell) + (cell > 0 ? at(-cell) : 0.0);
    const int mirror = circle / 2 - cell;
    const double far =
        (mirror == cell ? 0.0 : at(mirror)) + (cell > 0 ? at(circle / 2 + cell) : 0.0);
    sum += near + far;
    difference += from % 2 == 0 ? near - far : far - near;
  }
  even[static_cast<std::size_t>(angle) * quarter + cell] = sum;
  odd[static_cast<std::size_t>(angle) * quarter + cell] = difference;
}

// Q_n at angles l and L - 1 - l, their sum and difference (with the sign of the parity):
// sums[i * half + l] for n = 2 i + parity.
__global__ void integral_kernel(const double* transformed, int rows, int parity, int order,
                                int angles, const double* angle_cosine, const double* angle_sine,
                                double* sums, double* differences) {
  const int half = angles / 2;
  const int l = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = static_cast<int>(blockIdx.y);
  const int n = 2 * i + parity;
  if (l >= half || n > order) return;
  const auto integral = [&](int angle) {
    const double* c = transformed + static_cast<std::size_t>(angle) * rows;
    const double value = n == 0 ? c[1] / 4 : (c[i + 1] / (n + 2) - c[i] / n) / (2.0 * (n + 1));
    return value / (angle_cosine[angle] * angle_sine[angle]);
  };
  const double near = integral(l);
  const double far = parity == 0 ? integral(angles - 1 - l) : -integral(angles - 1 - l);
  sums[static_cast<std::size_t>(i) * half + l] = near + far;
  differences[static_cast<std::size_t>(i) * half + l] = near - far;
}

__global__ void pack_kernel(const double* real, const double* imaginary, int count, int parity,
                            int angles, double2* moments) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = static_cast<int>(blockIdx.y);
  if (k > i) return;
  const int n = 2 * i + parity;
  const int m = 2 * k + parity;
  constexpr double kPi = 3.14159265358979323846;
  const double norm = (n + 1) / (kPi * angles);
  const std::size_t at = static_cast<std::size_t>(i) * count + k;
  moments[stored_at(false, n, m)] = {norm * real[at], m == 0 ? 0.0 : -norm * imaginary[at]};
}

using RidgeKernel = void (*)(SpreadingKernel, RidgeArrays, double*);

// Warps of a block, and pairs of images that each serves.
struct Group {
  int warps = 2;
  int sets = 2;
};

int blocks_of(int count, int threads) { return (count + threads - 1) / threads; }

class RidgeForward final : public ForwardTransform, private TransformShape {
 public:
  RidgeForward(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        gpu_(gpu),
        plan_(spec.order, image_size),
        image_(image_size, moment_count()) {
    send_corners();
    send_angles();
    choose_group();
    const auto angles = static_cast<std::size_t>(plan_.angles());
    const auto orders = static_cast<std::size_t>(spec.order / 2 + 1);
    spread_ = DeviceBuffer<double>(angles * 8 * static_cast<std::size_t>(plan_.grid().cells));
    for (int parity = 0; parity < 2; ++parity) {
      folded_[parity] = DeviceBuffer<double>(angles * plan_.quarter_cells());
      cosines_[parity] = copy_to_device(std::span<const double>(plan_.cosines(parity)));
      turn_cosine_[parity] = copy_to_device(std::span<const double>(plan_.turn_cosine(parity)));
      turn_sine_[parity] = copy_to_device(std::span<const double>(plan_.turn_sine(parity)));
    }
    transformed_ = DeviceBuffer<double>(angles * plan_.cosine_rows(0));
    sums_ = DeviceBuffer<double>(orders * angles / 2);
    differences_ = DeviceBuffer<double>(orders * angles / 2);
    real_ = DeviceBuffer<double>(orders * orders);
    imaginary_ = DeviceBuffer<double>(orders * orders);
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + ", ridge transform in double";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const DeviceScope scope(gpu_.index);
    for (std::size_t b = 0; b < images.count; ++b) {
      fill_values(images.slice(b, 1));
      spread();
      fold_circle();
      for (int parity = 0; parity < 2; ++parity) finish(parity);
      image_.receive(moments.subspan(b * moment_count(), moment_count()), stream_);
    }
  }

 private:
  std::size_t ridge_bytes(const Group& group) const {
    const auto corners = static_cast<std::size_t>(kWarpCorners * group.warps);
    const auto images = static_cast<std::size_t>(2 * group.warps * group.sets);
    return (images * static_cast<std::size_t>(width_) + corners * (kWeightRow + images)) *
               sizeof(double) +
           corners * sizeof(int);
  }

  // As many images in a block as leaves room for other blocks; failing that, as few as fit.
  void choose_group() {
    int limit = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu_.index));
    const auto bytes = static_cast<std::size_t>(limit);
    group_ = {2, 2};
    if (ridge_bytes(group_) > std::min(bytes, kGoodBytes)) group_ = {2, 1};
    if (ridge_bytes(group_) > bytes) group_ = {1, 1};
    if (ridge_bytes(group_) > bytes) {
      throw Error("exact moments of order " + std::to_string(spec().order) + " need " +
                  std::to_string(ridge_bytes(group_)) + " bytes of shared memory, but " +
                  gpu_.name + " has " + std::to_string(limit) + "; use --device cpu");
    }
    const auto kernel = group_.warps == 1  ? ridge_kernel<1, 1>
                        : group_.sets == 1 ? ridge_kernel<2, 1>
                                           : ridge_kernel<2, 2>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(ridge_bytes(group_))));
    kernel_ = kernel;
  }

  void send_corners() {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> share;
    std::vector<std::int32_t> around;
    for (const RidgePlan::Corner& corner : plan_.corners()) {
      x.push_back(corner.x);
      y.push_back(corner.y);
      share.push_back(corner.share);
      for (const auto& image : corner.pixels) around.insert(around.end(), image, image + 4);
    }
    x_ = copy_to_device(std::span<const double>(x));
    y_ = copy_to_device(std::span<const double>(y));
    share_ = copy_to_device(std::span<const double>(share));
    around_ = copy_to_device(std::span<const std::int32_t>(around));
    values_ = DeviceBuffer<double>(8 * x.size());
  }

  // The corners stand at angles 0 to pi/4, so that s lies between the cosines of their distances
  // from phi, and 0; half of the circle's half is more than any angle needs.
  std::pair<int, int> touched_cells(int l) const {
    constexpr double kPi = std::numbers::pi;
    const double phi = (l + 0.5) * kPi / plan_.angles();
    const double near = phi > kPi / 4 ? phi - kPi / 4 : 0.0;
    const double first = std::min(near, kPi / 2);
    const double last = std::max(phi, kPi / 2);
    // one cell to spare for rounding on either side
    const int low = std::max(0, static_cast<int>(first * plan_.cells_per_radian()) - 1);
    const int high = static_cast<int>(last * plan_.cells_per_radian()) + 1;
    return {low, high - low + 1 + kLanes};
  }

  void send_angles() {
    std::vector<double> cosine;
    std::vector<double> sine;
    std::vector<std::int32_t> cell;
    std::vector<std::int32_t> source(8 * static_cast<std::size_t>(plan_.angles()));
    for (int l = 0; l < plan_.angles(); ++l) {
      cosine.push_back(plan_.angle_cosine(l));
      sine.push_back(plan_.angle_sine(l));
      const auto [first, width] = touched_cells(l);
      cell.push_back(first);
      width_ = std::max(width_, width);
      for (int q = 0; q < 8; ++q) {
        const RidgePlan::MirroredAngle to = plan_.mirrored(l, q);
        source[8 * static_cast<std::size_t>(to.angle) + q] = 2 * l + (to.sign < 0 ? 1 : 0);
      }
    }
    angle_cosine_ = copy_to_device(std::span<const double>(cosine));
    angle_sine_ = copy_to_device(std::span<const double>(sine));
    angle_cell_ = copy_to_device(std::span<const std::int32_t>(cell));
    source_ = copy_to_device(std::span<const std::int32_t>(source));
  }

  void fill_values(const ImageBatch& image) {
    image_.send(image, stream_);
    const int corners = static_cast<int>(x_.size());
    if (corners == 0) return;
    image_.with_pixels([&](const auto* typed) {
      corner_kernel<<<blocks_of(8 * corners, 256), 256, 0, stream_.get()>>>(
          typed, around_.data(), share_.data(), corners, values_.data());
      CUDA_CHECK_LAUNCH("corner_kernel");
    });
  }

  void spread() {
    const dim3 blocks(static_cast<unsigned>(plan_.angles()),
                      static_cast<unsigned>(4 / (group_.warps * group_.sets)));
    kernel_<<<blocks, 32 * group_.warps, ridge_bytes(group_), stream_.get()>>>(
        plan_.kernel(),
        {x_.data(), y_.data(), values_.data(), static_cast<int>(x_.size()), angle_cosine_.data(),
         angle_sine_.data(), angle_cell_.data(), plan_.cells_per_radian(), plan_.grid().cells,
         width_},
        spread_.data());
    CUDA_CHECK_LAUNCH("ridge_kernel");
  }

  void fold_circle() {
    const dim3 blocks(
        static_cast<unsigned>(blocks_of(static_cast<int>(plan_.quarter_cells()), 128)),
        static_cast<unsigned>(plan_.angles()));
    fold_circle_kernel<<<blocks, 128, 0, stream_.get()>>>(
        spread_.data(), source_.data(), plan_.angles(), plan_.grid().cells, plan_.grid().circle,
        folded_[0].data(), folded_[1].data());
    CUDA_CHECK_LAUNCH("fold_circle_kernel");
  }

  void finish(int parity) {
    if (spec().order < parity) return;
    const std::size_t quarter = plan_.quarter_cells();
    const std::size_t rows = plan_.cosine_rows(parity);
    const auto angles = static_cast<std::size_t>(plan_.angles());
    const std::size_t half = angles / 2;
    const int count = (spec().order - parity) / 2 + 1;
    const auto orders = static_cast<std::size_t>(count);
    strided_product(angles, rows, quarter, {folded_[parity].data(), quarter, 1},
                    {cosines_[parity].data(), quarter, 1}, transformed_.data(), rows,
                    stream_.get());
    const dim3 integral_blocks(static_cast<unsigned>(blocks_of(static_cast<int>(half), 128)),
                               static_cast<unsigned>(count));
    integral_kernel<<<integral_blocks, 128, 0, stream_.get()>>>(
        transformed_.data(), static_cast<int>(rows), parity, spec().order, plan_.angles(),
        angle_cosine_.data(), angle_sine_.data(), sums_.data(), differences_.data());
    CUDA_CHECK_LAUNCH("integral_kernel");
    strided_product(orders, orders, half, {sums_.data(), half, 1},
                    {turn_cosine_[parity].data(), half, 1}, real_.data(), orders, stream_.get());
    strided_product(orders, orders, half, {differences_.data(), half, 1},
                    {turn_sine_[parity].data(), half, 1}, imaginary_.data(), orders, stream_.get());
    const dim3 pack_blocks(static_cast<unsigned>(blocks_of(count, 128)),
                           static_cast<unsigned>(count));
    pack_kernel<<<pack_blocks, 128, 0, stream_.get()>>>(real_.data(), imaginary_.data(), count,
                                                        parity, plan_.angles(), image_.moments());
    CUDA_CHECK_LAUNCH("pack_kernel");
  }

  GpuDevice gpu_;
  RidgePlan plan_;
  Group group_;
  RidgeKernel kernel_ = nullptr;
  int width_ = 0;  // cells that corners touch at any angle
  Stream stream_;
  SingleImage image_;
  DeviceBuffer<double> x_;
  DeviceBuffer<double> y_;
  DeviceBuffer<double> share_;
  DeviceBuffer<std::int32_t> around_;
  DeviceBuffer<double> values_;
  DeviceBuffer<double> angle_cosine_;
  DeviceBuffer<double> angle_sine_;
  DeviceBuffer<std::int32_t> source_;
  DeviceBuffer<std::int32_t> angle_cell_;
  DeviceBuffer<double> spread_;
  DeviceBuffer<double> folded_[2];
  DeviceBuffer<double> cosines_[2];
  DeviceBuffer<double> turn_cosine_[2];
  DeviceBuffer<double> turn_sine_[2];
  DeviceBuffer<double> transformed_;
  DeviceBuffer<double> sums_;
  DeviceBuffer<double> differences_;
  DeviceBuffer<double> real_;
  DeviceBuffer<double> imaginary_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_ridge_forward(const MomentSpec& spec, int image_size,
                                                     const GpuDevice& gpu) {
  if (spec.family != Family::kZernike || spec.method != Method::kExact) {
    throw UsageError("the exact engine serves exact Zernike moments, not " + describe(spec));
  }
  const DeviceScope scope(gpu.index);
  return std::make_shared<RidgeForward>(spec, image_size, gpu);
}

}  // namespace leafglyph::gpu
