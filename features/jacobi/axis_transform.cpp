#include "features/jacobi/axis_transform.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/jacobi/jacobi_slices.h"

namespace leafglyph {
namespace {

template <class T>
class CpuAxes final : public TwoWayTransform, private TransformShape {
 public:
  CpuAxes(const MomentSpec& s, const ArraySize& array)
      : TransformShape(s, array),
        slices_(s, array),
        slice_count_(static_cast<std::size_t>(array.slices())) {
    if (!array.is_volume()) return;
    const AxisTables z = axis_tables(s, array, Axis::kZ);
    const auto count = static_cast<std::size_t>(s.order) + 1;
    z_integrals_.resize(z.integrals.size());
    z_values_.resize(z.values.size());
    for (std::size_t o = 0; o < count; ++o) {
      for (std::size_t k = 0; k < slice_count_; ++k) {
        z_integrals_[k * count + o] = static_cast<T>(z.integrals[o * slice_count_ + k]);
        z_values_[k * count + o] = static_cast<T>(z.values[o * slice_count_ + k]);
      }
    }
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + " of " + leafglyph::describe(size()) +
           ", separable products in " + (std::is_same_v<T, float> ? "float" : "double") + ", " +
           std::to_string(thread_count()) + " threads";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    if (size().is_volume()) {
      for (std::size_t b = 0; b < images.count; ++b) {
        compute_volume(images.slice(b, 1), moments.subspan(b * moment_count(), moment_count()));
      }
      return;
    }
    for_each_image(images, [&](std::size_t image, std::size_t c, T value) {
      moments[image * moment_count() + c] = static_cast<double>(value);
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    if (size().is_volume()) return ForwardTransform::compute_magnitudes(images, magnitudes);
    for_each_image(images, [&](std::size_t image, std::size_t c, T value) {
      magnitudes[image * moment_count() + c] = static_cast<float>(std::abs(value));
    });
  }

  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> values) override {
    const TriangularLayout layout(last_order);
    std::vector<T> stairs(slice_count_ * layout.size);
    if (size().is_volume()) {
      spread_volume(layout, weighted, stairs);
    } else {
      for_each_place(layout, [&](std::size_t c, std::size_t place) {
        stairs[place] = static_cast<T>(weighted[c].real());
      });
    }
    for_each_slice(slice_count_, layout, [&](std::size_t k, Scratch& scratch) {
      slices_.values(layout, stairs.data() + k * layout.size, scratch.half.data(),
                     scratch.slice.data());
      std::copy(scratch.slice.begin(), scratch.slice.end(), values.begin() + k * slices_.pixels());
    });
  }

 private:
  struct Scratch {
    std::vector<T> half;
    std::vector<T> slice;
    std::vector<T> stairs;
  };

  // Copies slice k, counted over the whole batch.
  void copy_slice(const ImageBatch& images, std::size_t k, std::vector<T>& out) const {
    const void* pixels =
        static_cast<const char*>(images.pixels) + k * slices_.pixels() * images.bytes_per_pixel();
    with_pixels(images.type, pixels, [&](const auto* in) {
      for (std::size_t p = 0; p < out.size(); ++p) out[p] = static_cast<T>(in[p]);
    });
  }

  // Calls use(c, place) for every stored moment c of an image, `place` being its position in the
  // stairs.
  template <class Use>
  static void for_each_place(const TriangularLayout& layout, const Use& use) {
    std::size_t c = 0;
    for (std::size_t total = 0; total <= layout.order; ++total) {
      for (std::size_t m = 0; m <= total; ++m) use(c++, layout.row_start(total - m) + m);
    }
  }

  // Calls write(image number, moment number, moment) for every image, in parallel.
  template <class Write>
  void for_each_image(const ImageBatch& images, const Write& write) const {
    if (images.memory != MemoryKind::kHost) {
      throw UsageError("the batch is in GPU memory, but the plan runs on the CPU");
    }
    const TriangularLayout layout(spec().order);
    for_each_slice(images.count, layout, [&](std::size_t b, Scratch& scratch) {
      copy_slice(images, b, scratch.slice);
      scratch.stairs.resize(layout.size);
      slices_.moments(layout, scratch.slice.data(), scratch.half.data(), scratch.stairs.data());
      for_each_place(layout,
                     [&](std::size_t c, std::size_t place) { write(b, c, scratch.stairs[place]); });
    });
  }

  // The two products of every slice, then one along z for each block of n and m.
  void compute_volume(const ImageBatch& volume, std::span<std::complex<double>> moments) const {
    if (volume.memory != MemoryKind::kHost) {
      throw UsageError("the batch is in GPU memory, but the plan runs on the CPU");
    }
    const TriangularLayout layout(spec().order);
    std::vector<T> stairs(slice_count_ * layout.size);
    for_each_slice(slice_count_, layout, [&](std::size_t k, Scratch& scratch) {
      copy_slice(volume, k, scratch.slice);
      slices_.moments(layout, scratch.slice.data(), scratch.half.data(),
                      stairs.data() + k * layout.size);
    });
    for_each_block(spec().order, [&](int n, int m0, int rows, int columns, std::vector<T>& block) {
      const auto top = static_cast<std::size_t>(spec().order) + 1;
      const T* start = stairs.data() + layout.row_start(static_cast<std::size_t>(n)) + m0;
      add_product_tn(rows, columns, slice_count_, start, layout.size, z_integrals_.data(), top,
                     block.data(), columns);
      for (int m = m0; m < m0 + rows; ++m) {
        const T* row = block.data() + static_cast<std::size_t>(m - m0) * columns;
        for (int o = 0; o <= spec().order - n - m; ++o) {
          moments[volume_moment_position(n, m, o)] = static_cast<double>(row[o]);
        }
      }
    });
  }

  // Expands the moments of a volume into the stairs of its slices.
  void spread_volume(const TriangularLayout& layout, std::span<const std::complex<double>> weighted,
                     std::vector<T>& stairs) const {
    const int order = static_cast<int>(layout.order);
    for_each_block(order, [&](int n, int m0, int rows, int columns, std::vector<T>& block) {
      for (int m = m0; m < m0 + rows; ++m) {
        T* row = block.data() + static_cast<std::size_t>(m - m0) * columns;
        for (int o = 0; o <= order - n - m; ++o) {
          row[o] = static_cast<T>(weighted[volume_moment_position(n, m, o)].real());
        }
      }
      const auto top = static_cast<std::size_t>(spec().order) + 1;
      T* start = stairs.data() + layout.row_start(static_cast<std::size_t>(n)) + m0;
      add_product_nt(slice_count_, rows, columns, z_values_.data(), top, block.data(), columns,
                     start, layout.size);
    });
  }

  // Calls use(number, scratch) for `count` slices or images, in parallel.
  template <class Use>
  void for_each_slice(std::size_t count, const TriangularLayout& layout, const Use& use) const {
    parallel_for_with_scratch({count}, [&]() -> RoundJob {
      return [&, scratch = Scratch{std::vector<T>(slices_.scratch(layout.order)),
                                   std::vector<T>(slices_.pixels()),
                                   {}}](std::size_t k) mutable { use(k, scratch); };
    });
  }

  // Divides the triangle n + m <= order into blocks of one n and some m. Calls use(n, first m,
  // number of m, number of o, a zeroed matrix of m by o) for each, in parallel.
  template <class Use>
  void for_each_block(int order, const Use& use) const {
    constexpr int kRows = TriangularLayout::kRows;
    const auto rounds = static_cast<std::size_t>(order) + 1;
    parallel_for_with_scratch({rounds}, [&]() -> RoundJob {
      return [&, block = std::vector<T>()](std::size_t round) mutable {
        const int n = static_cast<int>(round);
        for (int m0 = 0; m0 <= order - n; m0 += kRows) {
          const int columns = order - n - m0 + 1;
          const int rows = std::min(kRows, columns);
          block.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), T{});
          use(n, m0, rows, columns, block);
        }
      };
    });
  }

  SlicePlan<T> slices_;
  std::size_t slice_count_;
  std::vector<T> z_integrals_;  // [slice, o], as is z_values_
  std::vector<T> z_values_;
};

}  // namespace

bool has_axes(const PlanRequest& request) { return request.spec.family.row().axis != nullptr; }

double axis_work_bytes(const PlanRequest& request) {
  const ArraySize& size = request.size;
  const TriangularLayout layout(request.spec.order);
  const auto slices = static_cast<std::size_t>(size.slices());
  const std::size_t axes = static_cast<std::size_t>(size.width) +
                           static_cast<std::size_t>(size.height) +
                           static_cast<std::size_t>(size.depth);
  const std::size_t count = static_cast<std::size_t>(request.spec.order) + 1;
  const std::size_t in_a_thread =
      static_cast<std::size_t>(size.height) * (static_cast<std::size_t>(size.width) + count);
  return static_cast<double>(slices * layout.size + 2 * count * axes +
                             static_cast<std::size_t>(thread_count()) * in_a_thread) *
         scalar_bytes(request.precision);
}

// The tables take the polynomials of each axis. An image takes one axis after another: along x, y,
// z, up to the total order.
TransformWork axis_work(const PlanRequest& request) {
  const double height = request.size.height;
  const double slices = request.size.slices();
  const double terms = request.spec.order + 1.0;
  const double in_plane = terms * terms / 2;
  return {{1.0, terms * (request.size.width + height + request.size.depth)},
          {1.0, static_cast<double>(request.size.elements()),
           static_cast<double>(request.size.elements()) * terms, slices * height * in_plane,
           request.size.is_volume() ? slices * in_plane * terms / 3 : 0.0}};
}

std::shared_ptr<TwoWayTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision) {
  if (precision == Precision::kFloat) return std::make_shared<CpuAxes<float>>(spec, size);
  return std::make_shared<CpuAxes<double>>(spec, size);
}

constinit const CpuAlgorithm kAxes = {
    .name = "axes",
    .moments = {.supports = has_axes, .bytes = axis_work_bytes, .work = axis_work},
    .images = {.supports = has_axes, .bytes = axis_work_bytes, .work = axis_work},
    .make_both =
        [](const PlanRequest& request) {
          return make_axis_transform(request.spec, request.size, request.precision);
        },
};

}  // namespace leafglyph
