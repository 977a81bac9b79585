#include "features/jacobi/jacobi_cpu.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "features/base/matrix_product.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/jacobi/jacobi_slices.h"

namespace leafglyph {
namespace {

template <class T>
class CpuPlan final : public CartesianMoments {
 public:
  explicit CpuPlan(const CartesianSpec& s)
      : CartesianMoments(s), slices_(s), slice_count_(s.is_volume() ? s.depth : 1) {
    if (!s.is_volume()) return;
    const JacobiAxis z(s.weight, s.depth, s.order, s.method, s.points, /*downwards=*/false);
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
    const CartesianSpec& s = spec();
    return "CPU, " + std::to_string(s.width) + " x " + std::to_string(s.height) +
           (s.is_volume() ? " x " + std::to_string(s.depth) : "") + ", order " +
           std::to_string(s.order) + ", separable products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::to_string(thread_count()) +
           " threads";
  }

 protected:
  void compute_moments(std::span<const double> values, std::span<double> moments) override {
    const OrderStairs layout(spec().order);
    std::vector<T> stairs(slice_count_ * layout.size);
    for_each_slice(layout, [&](std::size_t k, std::vector<T>& half, std::vector<T>& slice) {
      const auto source = values.subspan(k * slices_.pixels(), slices_.pixels());
      std::copy(source.begin(), source.end(), slice.begin());
      slices_.moments(layout, slice.data(), half.data(), stairs.data() + k * layout.size);
    });
    if (!spec().is_volume()) {
      for (int m = 0; m <= spec().order; ++m) {
        const T* row = stairs.data() + layout.row_start(static_cast<std::size_t>(m));
        for (int n = 0; n <= spec().order - m; ++n) moments[cartesian_position(m, n)] = row[n];
      }
      return;
    }
    for_each_block(spec().order, [&](int m, int n0, int rows, int columns, std::vector<T>& block) {
      const auto top = static_cast<std::size_t>(spec().order) + 1;
      const T* start = stairs.data() + layout.row_start(static_cast<std::size_t>(m)) + n0;
      add_product_tn(rows, columns, slice_count_, start, layout.size, z_integrals_.data(), top,
                     block.data(), columns);
      for (int n = n0; n < n0 + rows; ++n) {
        const T* row = block.data() + static_cast<std::size_t>(n - n0) * columns;
        for (int o = 0; o <= spec().order - m - n; ++o) {
          moments[cartesian_position(m, n, o)] = row[o];
        }
      }
    });
  }

  void compute_values(std::span<const double> moments, int order,
                      std::span<double> values) override {
    const OrderStairs layout(order);
    std::vector<T> stairs(slice_count_ * layout.size);
    if (spec().is_volume()) {
      for_each_block(order, [&](int m, int n0, int rows, int columns, std::vector<T>& block) {
        for (int n = n0; n < n0 + rows; ++n) {
          T* row = block.data() + static_cast<std::size_t>(n - n0) * columns;
          for (int o = 0; o <= order - m - n; ++o) {
            row[o] = static_cast<T>(moments[cartesian_position(m, n, o)]);
          }
        }
        const auto top = static_cast<std::size_t>(spec().order) + 1;
        T* start = stairs.data() + layout.row_start(static_cast<std::size_t>(m)) + n0;
        add_product_nt(slice_count_, rows, columns, z_values_.data(), top, block.data(), columns,
                       start, layout.size);
      });
    } else {
      for (int m = 0; m <= order; ++m) {
        T* row = stairs.data() + layout.row_start(static_cast<std::size_t>(m));
        for (int n = 0; n <= order - m; ++n) {
          row[n] = static_cast<T>(moments[cartesian_position(m, n)]);
        }
      }
    }
    for_each_slice(layout, [&](std::size_t k, std::vector<T>& half, std::vector<T>& slice) {
      slices_.values(layout, stairs.data() + k * layout.size, half.data(), slice.data());
      std::copy(slice.begin(), slice.end(), values.begin() + k * slices_.pixels());
    });
  }

 private:
  // Calls use(slice, scratch, room for a slice) for every slice, spread over the threads.
  template <class Use>
  void for_each_slice(const OrderStairs& layout, const Use& use) const {
    parallel_for_with_scratch({slice_count_}, [&]() -> RoundJob {
      return [&, half = std::vector<T>(slices_.scratch(layout.order)),
              slice = std::vector<T>(slices_.pixels())](std::size_t k) mutable {
        use(k, half, slice);
      };
    });
  }

  // The triangle m + n <= order in blocks of one m and some n, spread over the threads: calls
  // use(m, first n, number of n, number of o, a zeroed matrix of n by o).
  template <class Use>
  void for_each_block(int order, const Use& use) const {
    constexpr int kRows = OrderStairs::kRows;
    const auto rounds = static_cast<std::size_t>(order) + 1;
    parallel_for_with_scratch({rounds}, [&]() -> RoundJob {
      return [&, block = std::vector<T>()](std::size_t round) mutable {
        const int m = static_cast<int>(round);
        for (int n0 = 0; n0 <= order - m; n0 += kRows) {
          const int columns = order - m - n0 + 1;
          const int rows = std::min(kRows, columns);
          block.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), T{});
          use(m, n0, rows, columns, block);
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

std::size_t cartesian_work_bytes(const CartesianSpec& spec, Precision precision) {
  const OrderStairs layout(spec.order);
  const auto slices = static_cast<std::size_t>(spec.is_volume() ? spec.depth : 1);
  const std::size_t axes = static_cast<std::size_t>(spec.width) +
                           static_cast<std::size_t>(spec.height) +
                           static_cast<std::size_t>(spec.depth);
  const std::size_t count = static_cast<std::size_t>(spec.order) + 1;
  const std::size_t in_a_thread =
      static_cast<std::size_t>(spec.height) * (static_cast<std::size_t>(spec.width) + count);
  return (slices * layout.size + 2 * count * axes +
          static_cast<std::size_t>(thread_count()) * in_a_thread) *
         (precision == Precision::kFast ? sizeof(float) : sizeof(double));
}

std::unique_ptr<CartesianMoments> make_cartesian_cpu(const CartesianSpec& spec,
                                                     Precision precision) {
  if (precision == Precision::kFast) return std::make_unique<CpuPlan<float>>(spec);
  return std::make_unique<CpuPlan<double>>(spec);
}

}  // namespace leafglyph
