#include "gpu/jacobi/axis_transform.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/jacobi/axis_transform.h"
#include "features/moments/axis_tables.h"
#include "gpu/cuda/convert.h"
#include "gpu/cuda/cublas.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"
#include "gpu/jacobi/jacobi_kernels.h"

namespace leafglyph::gpu {
namespace {

// A block of kRowsM values of m shares a batch of products, and a block of kRowsN values of n
// shares one limit of o. 16 keeps the middle array of a block in the second-level cache, and 128 is
// the tile of a product.
constexpr std::size_t kRowsM = 16;
constexpr std::size_t kRowsN = 128;

struct Sizes {
  Sizes(const MomentSpec& spec, const ArraySize& size)
      : width(static_cast<std::size_t>(size.width)),
        height(static_cast<std::size_t>(size.height)),
        depth(static_cast<std::size_t>(size.slices())),
        orders(static_cast<std::size_t>(spec.order) + 1) {}
  std::size_t lines() const { return height * depth; }
  std::size_t cube(bool volume) const { return orders * orders * (volume ? orders : 1); }

  std::size_t width;
  std::size_t height;
  std::size_t depth;
  std::size_t orders;
};

// Bytes for the arrays of a plan. The largest are the values, their half-transformed copy and the
// cube of orders.
std::size_t wanted_bytes(const MomentSpec& spec, const ArraySize& size, std::size_t scalar) {
  const Sizes n(spec, size);
  const std::size_t numbers = size.elements() + n.orders * n.lines() + n.cube(size.is_volume()) +
                              kRowsM * n.orders * n.depth +
                              2 * n.orders * (n.width + n.height + n.depth);
  const std::size_t transfer = scalar == sizeof(double) ? 0 : size.elements();
  return numbers * scalar + (transfer + moment_count(spec, size)) * sizeof(double);
}

void check_memory(const MomentSpec& spec, const ArraySize& size, std::size_t scalar) {
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::size_t usable = free - std::min(free, std::size_t{256} << 20);  // reserve for cuBLAS
  if (wanted_bytes(spec, size, scalar) <= usable) return;
  ArraySize smaller = size;
  while (wanted_bytes(spec, smaller, scalar) > usable && smaller.width > 1) {
    smaller.width = std::max(1, smaller.width * 19 / 20);
    smaller.height = std::max(1, smaller.height * 19 / 20);
    if (size.is_volume()) smaller.depth = std::max(1, smaller.depth * 19 / 20);
  }
  throw InputError("order " + std::to_string(spec.order) + " of " + describe(size) +
                   " values needs " + bytes_text(wanted_bytes(spec, size, scalar)) +
                   " of GPU memory and " + bytes_text(usable) + " are free; " + describe(smaller) +
                   " values would fit, or use --device cpu");
}

// Calls use(c) for c < count, on a few threads.
template <class Use>
void by_shares(std::size_t count, const Use& use) {
  constexpr std::size_t kShare = std::size_t{1} << 14;
  parallel_for({.count = (count + kShare - 1) / kShare, .serial = 2}, [&](std::size_t share) {
    const std::size_t last = std::min(count, (share + 1) * kShare);
    for (std::size_t c = share * kShare; c < last; ++c) use(c);
  });
}

template <class T>
class GpuAxes final : public AxisTransform, private TransformShape {
 public:
  GpuAxes(const MomentSpec& s, const ArraySize& array, const GpuDevice& gpu)
      : TransformShape(s, array),
        gpu_(gpu),
        sizes_(s, array),
        copies_(array.elements() * sizeof(double)),
        blas_(stream_) {
    check_memory(s, array, sizeof(T));
    upload(axis_tables(s, array, leafglyph::Axis::kX), x_);
    upload(axis_tables(s, array, leafglyph::Axis::kY), y_);
    if (array.is_volume()) {
      upload(axis_tables(s, array, leafglyph::Axis::kZ), z_);
      block_ = DeviceBuffer<T>(kRowsM * sizes_.orders * sizes_.depth);
    }
    values_ = DeviceBuffer<T>(array.elements());
    half_ = DeviceBuffer<T>(sizes_.orders * sizes_.lines());
    cube_ = DeviceBuffer<T>(sizes_.cube(array.is_volume()));
    list_ = DeviceBuffer<double>(moment_count());
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + " of " +
           leafglyph::describe(size()) + ", separable products by cuBLAS in " +
           (std::is_same_v<T, float> ? "float" : "double");
  }

  double device_milliseconds() const override { return milliseconds_between(start_, end_); }

  double multiplies() const override {
    const auto lines = static_cast<double>(sizes_.lines());
    double sum = static_cast<double>(sizes_.orders) * lines * static_cast<double>(sizes_.width);
    for_each_block(spec().order, [&](std::size_t, std::size_t rows, std::size_t columns) {
      sum += static_cast<double>(rows * columns) * lines;
      if (!size().is_volume()) return;
      for (std::size_t n = 0; n < columns; n += kRowsN) {
        sum += static_cast<double>(rows * std::min(kRowsN, columns - n) * (columns - n)) *
               static_cast<double>(sizes_.depth);
      }
    });
    return sum;
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const DeviceScope scope(gpu_.index);
    for (std::size_t b = 0; b < images.count; ++b) {
      load_values(images.slice(b, 1), copies_, room_, values_.data(), stream_);
      start_.record(stream_);
      transform_forward();
      gather_orders(cube_.data(), dimensions(), spec().order, list_.data(), stream_);
      end_.record(stream_);
      receive_moments(moments.subspan(b * moment_count(), moment_count()));
    }
  }

  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> values) override {
    const DeviceScope scope(gpu_.index);
    const std::size_t count = moment_count_to(spec(), size(), last_order);
    send_moments(weighted.first(count));
    start_.record(stream_);
    const std::size_t side = static_cast<std::size_t>(last_order) + 1;
    const std::size_t cube = side * side * (size().is_volume() ? side : 1);
    CUDA_CHECK(cudaMemsetAsync(cube_.data(), 0, cube * sizeof(T), stream_.get()));
    scatter_orders(list_.data(), dimensions(), last_order, cube_.data(), stream_);
    transform_back(last_order);
    end_.record(stream_);
    const double* result = nullptr;
    if constexpr (std::is_same_v<T, float>) {
      if (transfer_.size() == 0) transfer_ = DeviceBuffer<double>(values.size());
      convert(values_.data(), values.size(), transfer_.data(), stream_);
      result = transfer_.data();
    } else {
      result = values_.data();
    }
    copies_.receive(result, values.size_bytes(), values.data(), stream_);
  }

 private:
  struct Axis {
    DeviceBuffer<T> integrals;  // [order, element], the same for values
    DeviceBuffer<T> values;
  };

  // Moments of real polynomials are real, so only the real parts are transferred.
  void send_moments(std::span<const std::complex<double>> moments) {
    const auto fill = [moments](std::byte* piece, std::size_t at, std::size_t bytes) {
      auto* real = reinterpret_cast<double*>(piece);
      const auto some = moments.subspan(at / sizeof(double), bytes / sizeof(double));
      by_shares(some.size(), [&](std::size_t c) { real[c] = some[c].real(); });
    };
    copies_.send(fill, moments.size() * sizeof(double), list_.data(), stream_);
  }
  void receive_moments(std::span<std::complex<double>> moments) {
    const auto take = [moments](const std::byte* piece, std::size_t at, std::size_t bytes) {
      const auto* real = reinterpret_cast<const double*>(piece);
      const auto some = moments.subspan(at / sizeof(double), bytes / sizeof(double));
      by_shares(some.size(), [&](std::size_t c) { some[c] = real[c]; });
    };
    copies_.receive(list_.data(), list_.bytes(), take, stream_);
  }

  int dimensions() const { return size().is_volume() ? 3 : 2; }

  static void upload(const AxisTables& table, Axis& axis) {
    const std::vector<T> integrals(table.integrals.begin(), table.integrals.end());
    const std::vector<T> values(table.values.begin(), table.values.end());
    axis.integrals = copy_to_device(std::span<const T>(integrals));
    axis.values = copy_to_device(std::span<const T>(values));
  }

  // Calls use(first m, number of m, number of n for the first m) for the blocks of the triangle.
  template <class Use>
  static void for_each_block(int order, const Use& use) {
    const auto orders = static_cast<std::size_t>(order) + 1;
    for (std::size_t m = 0; m < orders; m += kRowsM) {
      use(m, std::min(kRowsM, orders - m), orders - m);
    }
  }

  static GpuMatrix<const T> matrix(const T* data, std::size_t ld, std::size_t stride = 0) {
    return {data, ld, stride};
  }

  // half[m, line] = sum over x, block[m, n, z] = sum over y, cube[m, n, o] = sum over z.
  void transform_forward() {
    const std::size_t lines = sizes_.lines();
    const std::size_t side = sizes_.orders;
    blas_.product<T>(Operand::kPlain, Operand::kTransposed, {side, lines, sizes_.width},
                     matrix(x_.integrals.data(), sizes_.width),
                     matrix(values_.data(), sizes_.width), T{0}, {half_.data(), lines});
    for_each_block(spec().order, [&](std::size_t m, std::size_t rows, std::size_t columns) {
      const std::size_t height = sizes_.height;
      const std::size_t depth = sizes_.depth;
      if (!size().is_volume()) {
        blas_.product<T>(Operand::kPlain, Operand::kTransposed, {rows, columns, height},
                         matrix(half_.data() + m * height, height),
                         matrix(y_.integrals.data(), height), T{0},
                         {cube_.data() + m * side, side});
        return;
      }
      blas_.product<T>(Operand::kPlain, Operand::kTransposed, {columns, depth, height, rows},
                       matrix(y_.integrals.data(), height),
                       matrix(half_.data() + m * lines, height, lines), T{0},
                       {block_.data(), depth, columns * depth});
      for (std::size_t n = 0; n < columns; n += kRowsN) {
        blas_.product<T>(Operand::kPlain, Operand::kTransposed,
                         {std::min(kRowsN, columns - n), columns - n, depth, rows},
                         matrix(block_.data() + n * depth, depth, columns * depth),
                         matrix(z_.integrals.data(), depth), T{0},
                         {cube_.data() + (m * side + n) * side, side, side * side});
      }
    });
  }

  // The way back, with values of the polynomials: block[m, n, z] = sum over o of the cube,
  // half[m, line] = sum over n, values = sum over m.
  void transform_back(int order) {
    const std::size_t lines = sizes_.lines();
    const std::size_t side = static_cast<std::size_t>(order) + 1;
    for_each_block(order, [&](std::size_t m, std::size_t rows, std::size_t columns) {
      const std::size_t height = sizes_.height;
      const std::size_t depth = sizes_.depth;
      if (!size().is_volume()) {
        blas_.product<T>(Operand::kPlain, Operand::kPlain, {rows, height, columns},
                         matrix(cube_.data() + m * side, side), matrix(y_.values.data(), height),
                         T{0}, {half_.data() + m * height, height});
        return;
      }
      for (std::size_t n = 0; n < columns; n += kRowsN) {
        blas_.product<T>(Operand::kPlain, Operand::kPlain,
                         {std::min(kRowsN, columns - n), depth, columns - n, rows},
                         matrix(cube_.data() + (m * side + n) * side, side, side * side),
                         matrix(z_.values.data(), depth), T{0},
                         {block_.data() + n * depth, depth, columns * depth});
      }
      blas_.product<T>(Operand::kTransposed, Operand::kPlain, {depth, height, columns, rows},
                       matrix(block_.data(), depth, columns * depth),
                       matrix(y_.values.data(), height), T{0},
                       {half_.data() + m * lines, height, lines});
    });
    blas_.product<T>(Operand::kTransposed, Operand::kPlain, {lines, sizes_.width, side},
                     matrix(half_.data(), lines), matrix(x_.values.data(), sizes_.width), T{0},
                     {values_.data(), sizes_.width});
  }

  GpuDevice gpu_;
  Sizes sizes_;
  Stream stream_;
  Event start_;
  Event end_;
  StagedCopy copies_;
  Cublas blas_;
  Axis x_;
  Axis y_;
  Axis z_;
  DeviceBuffer<T> values_;
  DeviceBuffer<unsigned char> room_;  // values as received, if not of type T
  DeviceBuffer<double> transfer_;     // values to be sent, if T is float
  DeviceBuffer<T> half_;
  DeviceBuffer<T> block_;
  DeviceBuffer<T> cube_;
  DeviceBuffer<double> list_;
};

}  // namespace

std::shared_ptr<AxisTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                   Precision precision, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  if (precision == Precision::kFloat) return std::make_shared<GpuAxes<float>>(spec, size, gpu);
  return std::make_shared<GpuAxes<double>>(spec, size, gpu);
}

constinit const Algorithm<GpuDevice> kAxes = {
    .name = "axes",
    .moments = {.supports = has_axes, .bytes = axis_work_bytes, .work = axis_work},
    .images = {.supports = has_axes, .bytes = axis_work_bytes, .work = axis_work},
    .make_both = [](const PlanRequest& request,
                    const GpuDevice& gpu) -> std::shared_ptr<TwoWayTransform> {
      return make_axis_transform(request.spec, request.size, request.precision, gpu);
    },
};

}  // namespace leafglyph::gpu
