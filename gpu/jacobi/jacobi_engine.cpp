#include "gpu/jacobi/jacobi_engine.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "features/jacobi/jacobi_engine.h"
#include "gpu/cuda/cublas.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/jacobi/jacobi_kernels.h"

namespace leafglyph {
namespace {

// Numbers in the largest array of a part of a batch: 256 MiB of double.
constexpr std::size_t kPartNumbers = std::size_t{1} << 25;

template <class T>
class GpuEngine final : public MomentEngine {
 public:
  GpuEngine(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : MomentEngine(spec, image_size),
        gpu_(gpu),
        size_(static_cast<std::size_t>(image_size)),
        orders_(static_cast<std::size_t>(spec.order) + 1),
        blas_(stream_) {
    const CartesianSpec plan = square_spec(spec, image_size);
    const JacobiAxis x(plan.weight, image_size, plan.order, plan.method, plan.points,
                       /*downwards=*/false);
    const JacobiAxis y(plan.weight, image_size, plan.order, plan.method, plan.points,
                       /*downwards=*/true);
    const std::vector<T> x_table(x.integrals.begin(), x.integrals.end());
    const std::vector<T> y_table(y.integrals.begin(), y.integrals.end());
    x_ = copy_to_device(std::span<const T>(x_table));
    y_ = copy_to_device(std::span<const T>(y_table));
    std::vector<std::uint32_t> places;
    for (const MomentIndex& index : indices()) {
      places.push_back(static_cast<std::uint32_t>(index.n) * static_cast<std::uint32_t>(orders_) +
                       static_cast<std::uint32_t>(index.m));
    }
    places_ = copy_to_device(std::span<const std::uint32_t>(places));
    const std::size_t numbers = std::max(size_ * std::max(size_, orders_), orders_ * orders_);
    part_ = std::clamp<std::size_t>(kPartNumbers / numbers, 1, 65536);
  }

  std::string describe() const override {
    return "GPU " + gpu_.name + ", " + leafglyph::describe(spec()) +
           ", separable products by cuBLAS in " + (std::is_same_v<T, float> ? "float" : "double");
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    run(images, reinterpret_cast<double*>(moments.data()), 2 * moment_count(), complex_);
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    run(images, magnitudes.data(), moment_count(), real_);
  }

 private:
  // The batch part by part; `width` numbers of an image go to `out`.
  template <class Out>
  void run(const ImageBatch& images, Out* out, std::size_t width, DeviceBuffer<Out>& results) {
    const DeviceScope scope(gpu_.index);
    const std::size_t part = std::min(part_, images.count);
    reserve(part, width, results);
    for (std::size_t first = 0; first < images.count; first += part) {
      const ImageBatch some = images.slice(first, std::min(part, images.count - first));
      load(some);
      blas_.product<T>(Operand::kPlain, Operand::kTransposed, {orders_, some.count * size_, size_},
                       {x_.data(), size_, 0}, {pixels_.data(), size_, 0}, T{0},
                       {half_.data(), some.count * size_, 0});
      // products_[n][m][image]: for each n, y integrals (m x row) times the half sums (image x row)
      blas_.product<T>(Operand::kPlain, Operand::kTransposed, {orders_, some.count, size_, orders_},
                       {y_.data(), size_, 0}, {half_.data(), size_, some.count * size_}, T{0},
                       {products_.data(), some.count, orders_ * some.count});
      pick_moments(products_.data(), places_.data(), moment_count(), some.count, results.data(),
                   stream_);
      CUDA_CHECK(cudaMemcpyAsync(out + first * width, results.data(),
                                 some.count * width * sizeof(Out), cudaMemcpyDeviceToHost,
                                 stream_.get()));
      stream_.wait();
    }
  }

  template <class Out>
  void reserve(std::size_t images, std::size_t width, DeviceBuffer<Out>& results) {
    if (pixels_.size() < images * size_ * size_) {
      pixels_ = DeviceBuffer<T>(images * size_ * size_);
      raw_ = DeviceBuffer<unsigned char>(images * size_ * size_ * sizeof(double));
      half_ = DeviceBuffer<T>(images * orders_ * size_);
      products_ = DeviceBuffer<T>(images * orders_ * orders_);
    }
    if (results.size() < images * width) results = DeviceBuffer<Out>(images * width);
  }

  // Copies the images to the GPU where they are not there yet, and converts them.
  void load(const ImageBatch& images) {
    const std::size_t count = images.count * images.pixels_per_image();
    const void* from = images.pixels;
    if (images.memory == MemoryKind::kHost) {
      CUDA_CHECK(cudaMemcpyAsync(raw_.data(), images.pixels, count * images.bytes_per_pixel(),
                                 cudaMemcpyHostToDevice, stream_.get()));
      from = raw_.data();
    }
    switch (images.type) {
      case PixelType::kUint8:
        return convert(static_cast<const unsigned char*>(from), count, pixels_.data(), stream_);
      case PixelType::kFloat:
        return convert(static_cast<const float*>(from), count, pixels_.data(), stream_);
      case PixelType::kDouble:
        return convert(static_cast<const double*>(from), count, pixels_.data(), stream_);
    }
  }

  GpuDevice gpu_;
  std::size_t size_;
  std::size_t orders_;
  std::size_t part_ = 1;  // images at a time
  Stream stream_;
  Cublas blas_;
  DeviceBuffer<T> x_;
  DeviceBuffer<T> y_;
  DeviceBuffer<std::uint32_t> places_;  // n * orders + m of every stored moment
  DeviceBuffer<unsigned char> raw_;
  DeviceBuffer<T> pixels_;
  DeviceBuffer<T> half_;
  DeviceBuffer<T> products_;
  DeviceBuffer<double> complex_;
  DeviceBuffer<float> real_;
};

}  // namespace

std::unique_ptr<MomentEngine> make_gpu_jacobi_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  if (precision == Precision::kFast) {
    return std::make_unique<GpuEngine<float>>(spec, image_size, gpu);
  }
  return std::make_unique<GpuEngine<double>>(spec, image_size, gpu);
}

}  // namespace leafglyph
