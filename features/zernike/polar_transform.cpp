#include "features/zernike/polar_transform.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/kernels/fold_kernels.h"
#include "features/kernels/instruction_set.h"
#include "features/zernike/octant_points.h"
#include "features/zernike/polar_plan.h"

namespace leafglyph {
namespace {

// Intervals per task. Tasks of the same parity touch different cells, so they run in parallel on
// one grid, and the sums do not depend on the number of threads.
constexpr int kTaskIntervals = 16;
static_assert(kTaskIntervals >= kSpreadWidth);

// One image folded into the octant: eight combinations per pixel (see FoldOutputs).
struct FoldedImage {
  explicit FoldedImage(std::size_t pixel_count) : pixels(pixel_count), values(8 * pixel_count) {}
  FoldOutputs<double> outputs() {
    double* v = values.data();
    return {v,
            v + pixels,
            v + 2 * pixels,
            v + 3 * pixels,
            v + 4 * pixels,
            v + 5 * pixels,
            v + 6 * pixels,
            v + 7 * pixels};
  }
  double at(std::size_t combination, std::size_t pixel) const {
    return values[combination * pixels + pixel];
  }

  std::size_t pixels;
  std::vector<double> values;
};

class PolarForward final : public ForwardTransform, private TransformShape {
 public:
  PolarForward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size),
        plan_(spec.family, spec.order),
        points_(spec, image_size),
        kernels_(spread_kernels()),
        cells_(static_cast<std::size_t>(plan_.grid().cells) * plan_.row()) {}

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", polar transform in double, " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    FoldedImage folded(points_.pixels());
    for (std::size_t b = 0; b < images.count; ++b) {
      fold(images.slice(b, 1), folded.outputs());
      std::fill(cells_.begin(), cells_.end(), 0.0);
      spread(folded);
      finish(moments.subspan(b * moment_count(), moment_count()));
    }
  }

 private:
  void fold(const ImageBatch& image, const FoldOutputs<double>& outputs) const {
    const FoldRange range{points_.numbers().data(), points_.pixels(), 0, points_.pixels()};
    with_pixels(image.type, image.pixels,
                [&](const auto* pixels) { fold_kernels().fold(pixels, range, outputs); });
  }

  void spread(const FoldedImage& folded) {
    const int tasks = (plan_.grid().intervals + kTaskIntervals - 1) / kTaskIntervals;
    for (int parity = 0; parity < 2; ++parity) {
      const auto rounds = static_cast<std::size_t>((tasks - parity + 1) / 2);
      parallel_for_with_scratch({rounds}, [&]() -> RoundJob {
        return [&, angular = AngularFactors(),
                factors = std::vector<double>(16 * PointGroup::kCapacity)](std::size_t i) mutable {
          const int first = (2 * static_cast<int>(i) + parity) * kTaskIntervals;
          const int last = std::min(first + kTaskIntervals, plan_.grid().intervals);
          points_.for_intervals(plan_, kernels_, first, last, [&](int interval, PointGroup& group) {
            spread_group(folded, interval, group, angular, factors);
          });
        };
      });
    }
  }

  void spread_group(const FoldedImage& folded, int interval, PointGroup& group,
                    AngularFactors& angular, std::vector<double>& factors) {
    angular.start(plan_, kernels_, group);
    for (std::size_t p = 0; p < group.count; ++p) {
      fill_factors(folded, group, p, factors.data() + 16 * p);
    }
    SpreadGroup spread = angular.group(group.count);
    spread.factors = factors.data();
    kernels_.spread(spread,
                    {cells_.data() + static_cast<std::size_t>(interval) * plan_.row(), plan_.row(),
                     static_cast<std::size_t>(plan_.last_repetition(interval)) / kSpreadBlock + 1});
  }

  // The 16 factors of point p (SpreadGroup::factors): P, Q, U and V for m mod 4 = 0 .. 3. For
  // Zernike, those of odd m contain the rho that was factored out of R_nm.
  void fill_factors(const FoldedImage& folded, const PointGroup& group, std::size_t p,
                    double* factors) const {
    enum { kEven0, kOdd0, kEven2, kOdd2, kReCos, kReSin, kImSin, kImCos };
    const std::size_t pixel = group.pixel[p];
    const double even = group.area[p];
    const double odd = plan_.taken_out(1) == 1 ? even * group.radius[p] : even;
    const double re_cos = odd * folded.at(kReCos, pixel);
    const double re_sin = odd * folded.at(kReSin, pixel);
    const double im_sin = odd * folded.at(kImSin, pixel);
    const double im_cos = odd * folded.at(kImCos, pixel);
    const double by_residue[16] = {even * folded.at(kEven0, pixel),
                                   re_cos,
                                   even * folded.at(kEven2, pixel),
                                   re_cos,
                                   0.0,
                                   re_sin,
                                   0.0,
                                   -re_sin,
                                   even * folded.at(kOdd0, pixel),
                                   im_sin,
                                   even * folded.at(kOdd2, pixel),
                                   im_sin,
                                   0.0,
                                   im_cos,
                                   0.0,
                                   -im_cos};
    std::copy(by_residue, by_residue + 16, factors);
  }

  // From the cells to the moments.
  void finish(std::span<std::complex<double>> moments) const {
    const std::size_t blocks = plan_.padded_repetitions() / kTaskRepetitions;
    parallel_for(blocks, [&](std::size_t block) { finish_block(block, moments); });
  }

  // One block of repetitions: transposes its cells, multiplies them by M to get the values at the
  // nodes, and sums these against the radial polynomials of each m by recurrence.
  void finish_block(std::size_t block, std::span<std::complex<double>> moments) const {
    const std::size_t first = block * kTaskRepetitions;
    const auto orders = static_cast<std::size_t>(spec().order) + 1;
    const std::size_t last = std::min(first + kTaskRepetitions, orders);
    const auto cells = static_cast<std::size_t>(plan_.grid().cells);
    const std::size_t nodes = plan_.node_count(static_cast<int>(first));
    std::vector<double> turned(2 * kTaskRepetitions * cells);
    for (std::size_t s = 0; s < cells; ++s) {
      const double* row = cells_.data() + s * plan_.row();
      for (std::size_t i = 0; i < kTaskRepetitions; ++i) {
        turned[i * cells + s] = row[first + i];
        turned[(kTaskRepetitions + i) * cells + s] = row[plan_.row() / 2 + first + i];
      }
    }
    std::vector<double> at_nodes(2 * kTaskRepetitions * nodes, 0.0);
    add_product_nt(2 * kTaskRepetitions, nodes, cells, turned.data(), cells,
                   plan_.cells_to_nodes().data(), cells, at_nodes.data(), nodes);
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> sums;
    for (std::size_t m = first; m < last; ++m) {
      NodeRecurrence recurrence(plan_, static_cast<int>(m));
      const auto count = static_cast<std::ptrdiff_t>(plan_.node_count(static_cast<int>(m)));
      const auto real = at_nodes.begin() + static_cast<std::ptrdiff_t>((m - first) * nodes);
      const auto imaginary =
          at_nodes.begin() + static_cast<std::ptrdiff_t>((kTaskRepetitions + m - first) * nodes);
      a.assign(real, real + count);
      b.assign(imaginary, imaginary + count);
      a.resize(recurrence.padded_nodes(), 0.0);
      b.resize(recurrence.padded_nodes(), 0.0);
      recurrence.sums(kernels_, a, b, sums);
      write(static_cast<int>(m), sums, moments);
    }
  }

  void write(int m, const std::vector<double>& sums,
             std::span<std::complex<double>> moments) const {
    const int step = plan_.is_pseudo() ? 1 : 2;
    std::size_t i = 0;
    for (int n = m; n <= spec().order; n += step, ++i) {
      const double norm = (n + 1) / std::numbers::pi;
      moments[moment_position(spec().family, n, m)] = {norm * sums[2 * i], norm * sums[2 * i + 1]};
    }
  }

  PolarPlan plan_;
  OctantPoints points_;
  const SpreadKernels& kernels_;
  std::vector<double> cells_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec& spec, int image_size) {
  return std::make_shared<PolarForward>(spec, image_size);
}

constinit const CpuAlgorithm kPolar = {
    .name = "polar",
    .moments = {.supports = has_polar_moments,
                .make =
                    [](const PlanRequest& request) {
                      return make_polar_forward(request.spec, request.image_size());
                    },
                .bytes = polar_moments_bytes,
                .work = polar_moments_work},
    .images = {.supports = has_polar_images,
               .make =
                   [](const PlanRequest& request) {
                     return make_polar_backward(request.spec, request.image_size());
                   },
               .bytes = polar_images_bytes,
               .work = polar_images_work},
};

namespace {

class PolarBackward final : public BackwardTransform, private TransformShape {
 public:
  PolarBackward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size),
        plan_(spec.family, spec.order),
        points_(OctantPoints::centres(spec, image_size)),
        kernels_(spread_kernels()),
        nodes_to_cells_(plan_.cells_to_nodes().size()),
        cells_(static_cast<std::size_t>(plan_.grid().cells) * plan_.row()) {
    const auto cells = static_cast<std::size_t>(plan_.grid().cells);
    for (std::size_t g = 0; g < plan_.nodes(); ++g) {
      for (std::size_t s = 0; s < cells; ++s) {
        nodes_to_cells_[s * plan_.nodes() + g] = plan_.cells_to_nodes()[g * cells + s];
      }
    }
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", polar transform in double, " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> image) override {
    std::fill(image.begin(), image.end(), 0.0);
    const std::size_t blocks = plan_.padded_repetitions() / kTaskRepetitions;
    parallel_for(blocks, [&](std::size_t block) { fill_cells(block, weighted, last_order); });
    const int intervals = plan_.grid().intervals;
    const auto rounds = static_cast<std::size_t>((intervals + kSpreadWidth - 1) / kSpreadWidth);
    parallel_for_with_scratch({rounds}, [&]() -> RoundJob {
      return [&, angular = AngularFactors(),
              sums = std::vector<double>(4 * kSpreadBlock * PointGroup::kCapacity)](
                 std::size_t round) mutable {
        const int first = static_cast<int>(round) * kSpreadWidth;
        const int last = std::min(first + kSpreadWidth, intervals);
        points_.for_intervals(plan_, kernels_, first, last, [&](int interval, PointGroup& group) {
          read_cells(interval, group, angular, sums, image);
        });
      };
    });
  }

 private:
  // Fills every cell with the values of a block of repetitions: the adjoint of
  // PolarForward::finish_block.
  void fill_cells(std::size_t block, std::span<const std::complex<double>> weighted,
                  int last_order) {
    const std::size_t first = block * kTaskRepetitions;
    const auto cells = static_cast<std::size_t>(plan_.grid().cells);
    const std::size_t nodes = plan_.node_count(static_cast<int>(first));
    std::vector<double> at_nodes(2 * kTaskRepetitions * nodes, 0.0);
    std::vector<double> radial;
    std::vector<double> a;
    std::vector<double> b;
    const auto end = std::min(first + kTaskRepetitions, static_cast<std::size_t>(last_order) + 1);
    for (std::size_t m = first; m < end; ++m) {
      gather_orders(static_cast<int>(m), weighted, last_order, radial);
      NodeRecurrence(plan_, static_cast<int>(m)).values(kernels_, radial, a, b);
      const auto count = static_cast<std::ptrdiff_t>(plan_.node_count(static_cast<int>(m)));
      std::copy(a.begin(), a.begin() + count,
                at_nodes.begin() + static_cast<std::ptrdiff_t>((m - first) * nodes));
      std::copy(
          b.begin(), b.begin() + count,
          at_nodes.begin() + static_cast<std::ptrdiff_t>((kTaskRepetitions + m - first) * nodes));
    }
    std::vector<double> at_cells(2 * kTaskRepetitions * cells, 0.0);
    add_product_nt(2 * kTaskRepetitions, cells, nodes, at_nodes.data(), nodes,
                   nodes_to_cells_.data(), plan_.nodes(), at_cells.data(), cells);
    for (std::size_t s = 0; s < cells; ++s) {
      double* row = cells_.data() + s * plan_.row();
      for (std::size_t i = 0; i < kTaskRepetitions; ++i) {
        row[first + i] = at_cells[i * cells + s];
        row[plan_.row() / 2 + first + i] = at_cells[(kTaskRepetitions + i) * cells + s];
      }
    }
  }

  // Real and imaginary parts of the moments of one repetition, for orders m, m + step, ...
  void gather_orders(int m, std::span<const std::complex<double>> weighted, int last_order,
                     std::vector<double>& radial) const {
    radial.clear();
    for (int n = m; n <= last_order; n += plan_.is_pseudo() ? 1 : 2) {
      const std::complex<double> z = weighted[moment_position(spec().family, n, m)];
      radial.push_back(z.real());
      radial.push_back(z.imag());
    }
  }

  void read_cells(int interval, PointGroup& group, AngularFactors& angular,
                  std::vector<double>& sums, std::span<double> image) {
    angular.start(plan_, kernels_, group);
    SpreadGroup spread = angular.group(group.count);
    spread.sums = sums.data();
    const std::size_t first_cell = static_cast<std::size_t>(interval) * plan_.row();
    kernels_.gather(spread,
                    {cells_.data() + first_cell, plan_.row(),
                     static_cast<std::size_t>(plan_.last_repetition(interval)) / kSpreadBlock + 1});
    for (std::size_t p = 0; p < group.count; ++p) {
      const double odd = plan_.taken_out(1) == 1 ? group.radius[p] : 1.0;
      write_images(sums.data() + 4 * kSpreadBlock * p, odd, group.pixel[p], image);
    }
  }

  // Writes the values of the eight mirror images. With h = h' + j h'' and an image at the angle i
  // pi/2 +- theta, Re(h e^{j m angle}) mixes h' cos, h' sin, h'' cos and h'' sin depending on m i
  // mod 4.
  void write_images(const double* sums, double odd, std::size_t pixel,
                    std::span<double> image) const {
    constexpr std::array<double, 4> kCosine = {1, 0, -1, 0};
    constexpr std::array<double, 4> kSine = {0, 1, 0, -1};
    for (std::size_t q = 0; q < 8; ++q) {
      const std::size_t turns = (q + 1) / 2;
      const double sign = q % 2 == 0 ? 1.0 : -1.0;
      double value = 0.0;
      for (std::size_t r = 0; r < 4; ++r) {
        const double c = kCosine[r * turns % 4];
        const double s = kSine[r * turns % 4];
        const auto part = [&](std::size_t kind) {
          return sums[kind * kSpreadBlock + r] + sums[kind * kSpreadBlock + r + 4];
        };
        const double term = c * part(0) - sign * s * part(1) - s * part(2) - sign * c * part(3);
        value += r % 2 == 1 ? odd * term : term;
      }
      image[static_cast<std::size_t>(points_.numbers()[q * points_.pixels() + pixel])] = value;
    }
  }

  PolarPlan plan_;
  OctantPoints points_;
  const SpreadKernels& kernels_;
  std::vector<double> nodes_to_cells_;
  std::vector<double> cells_;
};

}  // namespace

std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size) {
  return std::make_shared<PolarBackward>(spec, image_size);
}

}  // namespace leafglyph
