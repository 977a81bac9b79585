#include "features/ball/ball_transform.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "features/ball/ball_lines.h"
#include "features/ball/ball_products.h"
#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/moments/turns.h"

namespace leafglyph {
namespace {

// Tables of slices are kept up to this size, and otherwise made again for each group of volumes:
// one volume uses each number eight times.
constexpr double kKeptBytes = 1024.0 * (1 << 20);
// Folded voxels of a slice, of a group of volumes, that stay in the second-level cache.
constexpr std::size_t kSliceNumbers = std::size_t{1} << 17;
constexpr std::size_t kMostVolumes = 16;
// Products below this many multiply-adds take longer in BLAS than in a loop.
constexpr std::size_t kFewMultiplies = 2048;

// The volumes that are transformed together.
std::size_t group_size(const BallCounts& counts) {
  const auto slice = static_cast<std::size_t>(counts.largest_slice);
  return std::clamp<std::size_t>(kSliceNumbers / slice, 1, kMostVolumes);
}

template <class T>
struct Stage {
  explicit Stage(const BallStage& stage)
      : columns(stage.columns),
        products(stage.products),
        table(stage.table.begin(), stage.table.end()) {}

  std::size_t columns;
  std::vector<BallProduct> products;
  std::vector<T> table;
};

// The sums of a product, for V volumes.
template <class T>
void multiply(const Stage<T>& stage, const BallProduct& p, const T* in, T* out, std::size_t v) {
  const std::size_t columns = stage.columns * v;
  const std::size_t in_step = p.in_step * v;
  const std::size_t out_step = p.out_step * v;
  const T* table = stage.table.data() + p.table;
  in += p.in * v;
  out += p.out * v;
  for (std::size_t r = 0; r < p.rows; ++r) std::fill_n(out + r * out_step, columns, T{});
  if (p.rows * p.depth * columns >= kFewMultiplies) {
    add_product_nn(p.rows, columns, p.depth, table, p.depth, in, in_step, out, out_step);
    return;
  }
  for (std::size_t r = 0; r < p.rows; ++r) {
    T* sums = out + r * out_step;
    for (std::size_t h = 0; h < p.depth; ++h) {
      const T factor = table[r * p.depth + h];
      const T* row = in + h * in_step;
      for (std::size_t c = 0; c < columns; ++c) sums[c] += factor * row[c];
    }
  }
}

// The transposed product: from `out` to `in`.
template <class T>
void spread(const Stage<T>& stage, const BallProduct& p, const T* out, T* in, std::size_t v) {
  const std::size_t columns = stage.columns * v;
  const std::size_t in_step = p.in_step * v;
  const std::size_t out_step = p.out_step * v;
  const T* table = stage.table.data() + p.table;
  in += p.in * v;
  out += p.out * v;
  for (std::size_t h = 0; h < p.depth; ++h) std::fill_n(in + h * in_step, columns, T{});
  if (p.rows * p.depth * columns >= kFewMultiplies) {
    add_product_tn(p.depth, columns, p.rows, table, p.depth, out, out_step, in, in_step);
    return;
  }
  for (std::size_t r = 0; r < p.rows; ++r) {
    const T* row = out + r * out_step;
    for (std::size_t h = 0; h < p.depth; ++h) {
      const T factor = table[r * p.depth + h];
      T* sums = in + h * in_step;
      for (std::size_t c = 0; c < columns; ++c) sums[c] += factor * row[c];
    }
  }
}

// Calls use(product) for all products of a stage, in parallel.
template <class T, class Use>
void for_products(const Stage<T>& stage, std::size_t volumes, const Use& use) {
  const std::size_t count = stage.products.size();
  const double nanoseconds = 100 + 0.1 * static_cast<double>(stage.table.size() * volumes) /
                                       static_cast<double>(std::max<std::size_t>(1, count));
  constexpr std::size_t kTogether = 16;
  parallel_for({.count = count, .at_a_time = kTogether, .nanoseconds = nanoseconds},
               [&](std::size_t i) { use(stage.products[i]); });
}

template <class T>
class CpuBall final : public TwoWayTransform, private TransformShape {
 public:
  CpuBall(const MomentSpec& s, const ArraySize& array)
      : TransformShape(s, array),
        products_(BallGrid(array), s.order),
        group_(group_size(BallCounts(array, s.order))),
        z_(products_.z_stage()),
        plane_(products_.plane_stage()),
        space_(products_.space_stage()),
        places_(products_.places()) {
    for (int m = 0; m <= s.order; ++m) {
      forward_scale_.push_back(products_.forward_scale(m));
      backward_scale_.push_back(products_.backward_scale(m));
    }
    if (BallCounts(array, s.order).slice_tables * sizeof(T) > kKeptBytes) return;
    kept_.resize(slices());
    parallel_for(slices(), [&](std::size_t slice) { kept_[slice] = slice_stages(slice); });
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + " of " + leafglyph::describe(size()) +
           ", products along lines of the ball in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::to_string(thread_count()) +
           " threads";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    for_groups(images, [&](std::size_t first, std::size_t volumes, const std::vector<T>& parts) {
      gather(parts, volumes, moments.subspan(first * moment_count(), volumes * moment_count()));
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    std::vector<std::complex<double>> moments(group_ * moment_count());
    for_groups(images, [&](std::size_t first, std::size_t volumes, const std::vector<T>& parts) {
      gather(parts, volumes, moments);
      for (std::size_t c = 0; c < volumes * moment_count(); ++c) {
        magnitudes[first * moment_count() + c] = static_cast<float>(std::abs(moments[c]));
      }
    });
  }

  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> image) override {
    compute_images(weighted, 1, last_order, image);
  }

  void compute_images(std::span<const std::complex<double>> weighted, std::size_t count,
                      int /*last_order*/, std::span<double> images) override {
    const std::size_t voxels = size().elements();
    for (std::size_t b = 0; b < count; b += group_) {
      const std::size_t volumes = std::min(group_, count - b);
      group_images(weighted.subspan(b * moment_count(), volumes * moment_count()), volumes,
                   images.subspan(b * voxels, volumes * voxels));
    }
  }

 private:
  struct SliceStages {
    std::vector<Stage<T>> x_and_y;
    const Stage<T>& x() const { return x_and_y[0]; }
    const Stage<T>& y() const { return x_and_y[1]; }
  };

  std::size_t slices() const { return static_cast<std::size_t>(products_.grid().z().count()); }

  SliceStages slice_stages(std::size_t slice) const {
    const int at = static_cast<int>(slice);
    return {{Stage<T>(products_.x_stage(at)), Stage<T>(products_.y_stage(at))}};
  }

  // Calls use(slice, stages, room for its folded voxels and for its sums along x) for the slices of
  // the folded z axis, in parallel.
  template <class Use>
  void for_slices(std::size_t volumes, const Use& use) const {
    parallel_for_with_scratch({slices()}, [&]() -> RoundJob {
      return [&, folded = std::vector<T>(), lines = std::vector<T>()](std::size_t slice) mutable {
        folded.resize(products_.folded_length(static_cast<int>(slice)) * volumes);
        lines.resize(products_.lines_length(static_cast<int>(slice)) * volumes);
        if (kept_.empty()) {
          use(static_cast<int>(slice), slice_stages(slice), folded, lines);
        } else {
          use(static_cast<int>(slice), kept_[slice], folded, lines);
        }
      };
    });
  }

  // Calls use(first volume, number of volumes, parts of their moments) for groups of a batch.
  template <class Use>
  void for_groups(const ImageBatch& images, const Use& use) const {
    if (images.memory != MemoryKind::kHost) {
      throw UsageError("the batch is in GPU memory, but the plan runs on the CPU");
    }
    for (std::size_t b = 0; b < images.count; b += group_) {
      const ImageBatch group = images.slice(b, std::min(group_, images.count - b));
      use(b, group.count, with_pixels(group.type, group.pixels, [&](const auto* voxels) {
            return parts_of(voxels, group.count);
          }));
    }
  }

  template <class Voxel>
  std::vector<T> parts_of(const Voxel* voxels, std::size_t v) const {
    std::vector<T> along_y(products_.slices_length() * v);
    for_slices(v, [&](int slice, const SliceStages& stages, std::vector<T>& folded,
                      std::vector<T>& lines) {
      fold(voxels, v, slice, folded);
      for (const BallProduct& p : stages.x().products) {
        multiply(stages.x(), p, folded.data(), lines.data(), v);
      }
      for (const BallProduct& p : stages.y().products) {
        multiply(stages.y(), p, lines.data(), along_y.data(), v);
      }
    });
    std::vector<T> degrees(products_.degrees_length() * v);
    std::vector<T> repetitions(products_.repetitions_length() * v);
    std::vector<T> parts(products_.parts_length() * v);
    run(z_, along_y, degrees, v);
    run(plane_, degrees, repetitions, v);
    run(space_, repetitions, parts, v);
    return parts;
  }

  static void run(const Stage<T>& stage, const std::vector<T>& in, std::vector<T>& out,
                  std::size_t v) {
    for_products(stage, v,
                 [&](const BallProduct& p) { multiply(stage, p, in.data(), out.data(), v); });
  }
  static void run_back(const Stage<T>& stage, const std::vector<T>& out, std::vector<T>& in,
                       std::size_t v) {
    for_products(stage, v,
                 [&](const BallProduct& p) { spread(stage, p, out.data(), in.data(), v); });
  }

  void group_images(std::span<const std::complex<double>> weighted, std::size_t v,
                    std::span<double> images) {
    std::vector<T> along_y(products_.slices_length() * v);
    std::vector<T> degrees(products_.degrees_length() * v);
    std::vector<T> repetitions(products_.repetitions_length() * v);
    std::vector<T> parts(products_.parts_length() * v);
    scatter(weighted, v, parts);
    run_back(space_, parts, repetitions, v);
    run_back(plane_, repetitions, degrees, v);
    run_back(z_, degrees, along_y, v);
    std::ranges::fill(images, 0.0);
    for_slices(v, [&](int slice, const SliceStages& stages, std::vector<T>& folded,
                      std::vector<T>& lines) {
      for (const BallProduct& p : stages.y().products) {
        spread(stages.y(), p, along_y.data(), lines.data(), v);
      }
      for (const BallProduct& p : stages.x().products) {
        spread(stages.x(), p, lines.data(), folded.data(), v);
      }
      unfold(folded, v, slice, images.data());
    });
  }

  // Volume by volume, since lines of many volumes in turn are too far apart for the processor's
  // memory of addresses. Sums and differences of the voxels at +-x, +-y, +-z of a slice:
  // [line][parity of x][x][parity of y][parity of z][volume].
  template <class Voxel>
  void fold(const Voxel* voxels, std::size_t v, int slice, std::vector<T>& folded) const {
    const BallGrid& grid = products_.grid();
    for (std::size_t b = 0; b < v; ++b) {
      const Voxel* volume = voxels + b * size().elements();
      T* out = folded.data() + b;
      for (std::size_t q = grid.first_line(slice); q < grid.first_line(slice + 1); ++q) {
        const FoldedLine line(grid, size(), grid.lines()[q]);
        fold_line(volume, line, out, v);
        out += 8 * line.voxels * v;
      }
    }
  }

  // At a middle, the mirror image counts as 0. What the differences then hold there meets odd
  // polynomials, which are 0.
  template <class Voxel>
  static void fold_line(const Voxel* voxels, const FoldedLine& line, T* out, std::size_t v) {
    for (std::size_t h = 0; h < line.voxels; ++h) {
      std::array<T, 4> sum{};
      std::array<T, 4> difference{};
      for (std::size_t c = 0; c < 4; ++c) {
        if ((line.z_middle && c % 2 == 1) || (line.y_middle && c / 2 == 1)) continue;
        const T right = static_cast<T>(voxels[line.right[c] + h]);
        const T left = line.x_middle && h == 0 ? T{} : static_cast<T>(voxels[line.left[c] - h]);
        sum[c] = right + left;
        difference[c] = right - left;
      }
      put(sum, out + 4 * h * v, v);
      put(difference, out + 4 * (line.voxels + h) * v, v);
    }
  }

  // From the values at (y, z) = (+, +), (+, -), (-, +), (-, -) to those of each parity.
  static void put(const std::array<T, 4>& at, T* out, std::size_t v) {
    const T even_above = at[0] + at[1];
    const T even_below = at[2] + at[3];
    const T odd_above = at[0] - at[1];
    const T odd_below = at[2] - at[3];
    out[0] = even_above + even_below;
    out[v] = odd_above + odd_below;
    out[2 * v] = even_above - even_below;
    out[3 * v] = odd_above - odd_below;
  }

  void unfold(const std::vector<T>& folded, std::size_t v, int slice, double* images) const {
    const BallGrid& grid = products_.grid();
    for (std::size_t b = 0; b < v; ++b) {
      double* image = images + b * size().elements();
      const T* in = folded.data() + b;
      for (std::size_t q = grid.first_line(slice); q < grid.first_line(slice + 1); ++q) {
        const FoldedLine line(grid, size(), grid.lines()[q]);
        unfold_line(in, line, image, v);
        in += 8 * line.voxels * v;
      }
    }
  }

  // At a middle, the odd functions are 0, and both voxels get the same value.
  static void unfold_line(const T* in, const FoldedLine& line, double* image, std::size_t v) {
    for (std::size_t h = 0; h < line.voxels; ++h) {
      const std::array<T, 4> even = values_of(in + 4 * h * v, v);
      const std::array<T, 4> odd = values_of(in + 4 * (line.voxels + h) * v, v);
      for (std::size_t c = 0; c < 4; ++c) {
        image[line.left[c] - h] = static_cast<double>(even[c] - odd[c]);
        image[line.right[c] + h] = static_cast<double>(even[c] + odd[c]);
      }
    }
  }

  // The inverse of put(): the values at (+, +), (+, -), (-, +), (-, -) from those of each parity.
  static std::array<T, 4> values_of(const T* in, std::size_t v) {
    const T even_above = in[0] + in[2 * v];
    const T even_below = in[0] - in[2 * v];
    const T odd_above = in[v] + in[3 * v];
    const T odd_below = in[v] - in[3 * v];
    return {even_above + odd_above, even_above - odd_above, even_below + odd_below,
            even_below - odd_below};
  }

  void gather(const std::vector<T>& parts, std::size_t v,
              std::span<std::complex<double>> moments) const {
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const BallPlace& place = places_[c];
      const double scale = forward_scale_[static_cast<std::size_t>(place.m)];
      for (std::size_t b = 0; b < v; ++b) {
        const double cosine = scale * static_cast<double>(parts[place.cosine * v + b]);
        const double sine =
            place.m == 0 ? 0.0 : scale * static_cast<double>(parts[place.sine * v + b]);
        moments[b * moment_count() + c] = turned_back(cosine, sine, place.m);
      }
    }
  }

  void scatter(std::span<const std::complex<double>> weighted, std::size_t v,
               std::vector<T>& parts) const {
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const BallPlace& place = places_[c];
      const double scale = backward_scale_[static_cast<std::size_t>(place.m)];
      for (std::size_t b = 0; b < v; ++b) {
        const std::complex<double> z = weighted[b * moment_count() + c];
        const std::complex<double> part = scale * turned_back(z.real(), z.imag(), -place.m);
        parts[place.cosine * v + b] = static_cast<T>(part.real());
        if (place.m > 0) parts[place.sine * v + b] = static_cast<T>(part.imag());
      }
    }
  }

  BallProducts products_;
  std::size_t group_;
  Stage<T> z_;
  Stage<T> plane_;
  Stage<T> space_;
  std::vector<BallPlace> places_;
  std::vector<double> forward_scale_;
  std::vector<double> backward_scale_;
  std::vector<SliceStages> kept_;  // by slice; none if too large
};

}  // namespace

std::shared_ptr<TwoWayTransform> make_ball_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision) {
  if (precision == Precision::kFloat) return std::make_shared<CpuBall<float>>(spec, size);
  return std::make_shared<CpuBall<double>>(spec, size);
}

bool has_ball(const PlanRequest& request) { return is_spherical(request.spec.family); }

double ball_bytes(const PlanRequest& request) {
  const BallCounts counts(request.size, request.spec.order);
  const double scalar = scalar_bytes(request.precision);
  const auto group = static_cast<double>(group_size(counts));
  const double kept = counts.slice_tables * scalar;
  // A thread has the folded voxels of a slice, its sums along x, and its tables while they are
  // made.
  const double in_a_thread =
      (counts.largest_slice + counts.largest_lines) * group * scalar + 4 * kept / counts.slices;
  return counts.other_tables * (scalar + sizeof(double)) + counts.arrays * group * scalar +
         thread_count() * in_a_thread + (kept > kKeptBytes ? 0.0 : kept);
}

// The tables take what one volume takes for each of its eight parities; a volume, the products
// along x, y and z and two rotations.
TransformWork ball_work(const PlanRequest& request) {
  const BallCounts counts(request.size, request.spec.order);
  return {{1.0, counts.slice_tables + counts.other_tables},
          {1.0, static_cast<double>(request.size.elements()),
           4 * counts.slice_tables + 2 * counts.other_tables}};
}

constinit const CpuAlgorithm kBall = {
    .name = "ball",
    .moments = {.supports = has_ball, .bytes = ball_bytes, .work = ball_work},
    .images = {.supports = has_ball, .bytes = ball_bytes, .work = ball_work},
    .make_both =
        [](const PlanRequest& request) {
          return make_ball_transform(request.spec, request.size, request.precision);
        },
};

}  // namespace leafglyph
