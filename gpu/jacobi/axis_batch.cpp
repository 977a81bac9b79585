#include "gpu/jacobi/axis_transform.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "features/jacobi/axis_transform.h"
#include "features/moments/axis_tables.h"
#include "gpu/cuda/convert.h"
#include "gpu/cuda/cublas.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"
#include "gpu/jacobi/jacobi_kernels.h"

namespace leafglyph::gpu {
namespace {

// Numbers in the largest array for a part of a batch: 256 MiB of doubles.
constexpr std::size_t kPartNumbers = std::size_t{1} << 25;

std::size_t largest_array(const MomentSpec& spec, const ArraySize& size) {
  const auto orders = static_cast<std::size_t>(spec.order) + 1;
  const auto height = static_cast<std::size_t>(size.height);
  return std::max({size.elements(), height * orders, orders * orders});
}

template <class T>
class AxisBatch final : public ForwardTransform, private TransformShape {
 public:
  AxisBatch(const MomentSpec& spec, const ArraySize& array, const GpuDevice& gpu)
      : TransformShape(spec, array),
        gpu_(gpu),
        width_(static_cast<std::size_t>(array.width)),
        height_(static_cast<std::size_t>(array.height)),
        orders_(static_cast<std::size_t>(spec.order) + 1),
        copies_(kPartNumbers * sizeof(T)),
        blas_(stream_) {
    const AxisTables x = axis_tables(spec, array, Axis::kX);
    const AxisTables y = axis_tables(spec, array, Axis::kY);
    const std::vector<T> x_table(x.integrals.begin(), x.integrals.end());
    const std::vector<T> y_table(y.integrals.begin(), y.integrals.end());
    x_ = copy_to_device(std::span<const T>(x_table));
    y_ = copy_to_device(std::span<const T>(y_table));
    std::vector<std::uint32_t> places;
    for (const MomentIndex& index : moment_indices(spec)) {
      places.push_back(static_cast<std::uint32_t>(index.n) * static_cast<std::uint32_t>(orders_) +
                       static_cast<std::uint32_t>(index.m));
    }
    places_ = copy_to_device(std::span<const std::uint32_t>(places));
    part_ = std::clamp<std::size_t>(kPartNumbers / largest_array(spec, array), 1, 65536);
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + " of " +
           leafglyph::describe(size()) + ", separable products of batches by cuBLAS in " +
           (std::is_same_v<T, float> ? "float" : "double");
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    run(images, reinterpret_cast<double*>(moments.data()), 2 * moment_count(), complex_);
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    run(images, magnitudes.data(), moment_count(), real_);
  }

 private:
  // Processes the batch in parts. Writes `width` numbers per image to `out`.
  template <class Out>
  void run(const ImageBatch& images, Out* out, std::size_t width, DeviceBuffer<Out>& results) {
    const DeviceScope scope(gpu_.index);
    const std::size_t part = std::min(part_, images.count);
    reserve(part, width, results);
    for (std::size_t first = 0; first < images.count; first += part) {
      const ImageBatch some = images.slice(first, std::min(part, images.count - first));
      load_values(some, copies_, room_, pixels_.data(), stream_);
      blas_.product<T>(Operand::kPlain, Operand::kTransposed,
                       {orders_, some.count * height_, width_}, {x_.data(), width_, 0},
                       {pixels_.data(), width_, 0}, T{0}, {half_.data(), some.count * height_, 0});
      // products_[n][m][image]: for each n, y integrals (m x row) times the half sums (image x
      // row).
      blas_.product<T>(Operand::kPlain, Operand::kTransposed,
                       {orders_, some.count, height_, orders_}, {y_.data(), height_, 0},
                       {half_.data(), height_, some.count * height_}, T{0},
                       {products_.data(), some.count, orders_ * some.count});
      pick_moments(products_.data(), places_.data(), moment_count(), some.count, results.data(),
                   stream_);
      copies_.receive(results.data(), some.count * width * sizeof(Out), out + first * width,
                      stream_);
    }
  }

  template <class Out>
  void reserve(std::size_t images, std::size_t width, DeviceBuffer<Out>& results) {
    if (pixels_.size() < images * size().elements()) {
      pixels_ = DeviceBuffer<T>(images * size().elements());
      half_ = DeviceBuffer<T>(images * orders_ * height_);
      products_ = DeviceBuffer<T>(images * orders_ * orders_);
    }
    if (results.size() < images * width) results = DeviceBuffer<Out>(images * width);
  }

  GpuDevice gpu_;
  std::size_t width_;
  std::size_t height_;
  std::size_t orders_;
  std::size_t part_ = 1;  // images at a time
  Stream stream_;
  StagedCopy copies_;
  Cublas blas_;
  DeviceBuffer<T> x_;
  DeviceBuffer<T> y_;
  DeviceBuffer<std::uint32_t> places_;  // n * orders + m of every stored moment
  DeviceBuffer<unsigned char> room_;
  DeviceBuffer<T> pixels_;
  DeviceBuffer<T> half_;
  DeviceBuffer<T> products_;
  DeviceBuffer<double> complex_;
  DeviceBuffer<float> real_;
};

bool serves_batches(const PlanRequest& request) {
  return has_axes(request) && !request.size.is_volume() &&
         largest_array(request.spec, request.size) <= kPartNumbers;
}

std::shared_ptr<ForwardTransform> make_axis_batch(const PlanRequest& request,
                                                  const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  if (request.precision == Precision::kFloat) {
    return std::make_shared<AxisBatch<float>>(request.spec, request.size, gpu);
  }
  return std::make_shared<AxisBatch<double>>(request.spec, request.size, gpu);
}

}  // namespace

constinit const Algorithm<GpuDevice> kAxisBatch = {
    .name = "axes-batch",
    .moments = {.supports = serves_batches,
                .make = make_axis_batch,
                .bytes = axis_work_bytes,
                .work = axis_work},
};

}  // namespace leafglyph::gpu
