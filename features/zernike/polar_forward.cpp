#include "features/zernike/polar_forward.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/matrix_product.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/kernels/fold_kernels.h"
#include "features/kernels/instruction_set.h"
#include "features/zernike/octant_points.h"
#include "features/zernike/polar_backward.h"
#include "features/zernike/polar_plan.h"

namespace leafglyph {
namespace {

// Intervals that one task fills. Tasks of one parity touch different cells, so that they run side
// by side without a copy of the grid each, and the sums do not depend on the number of threads.
constexpr int kTaskIntervals = 16;
static_assert(kTaskIntervals >= kSpreadWidth);

// One image folded into the octant: eight combinations for each pixel (see FoldOutputs).
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
        return [&, turns = AngularFactors(),
                factors = std::vector<double>(16 * PointGroup::kCapacity)](std::size_t i) mutable {
          const int first = (2 * static_cast<int>(i) + parity) * kTaskIntervals;
          const int last = std::min(first + kTaskIntervals, plan_.grid().intervals);
          points_.for_intervals(plan_, kernels_, first, last, [&](int interval, PointGroup& group) {
            spread_group(folded, interval, group, turns, factors);
          });
        };
      });
    }
  }

  void spread_group(const FoldedImage& folded, int interval, PointGroup& group,
                    AngularFactors& turns, std::vector<double>& factors) {
    turns.start(plan_, kernels_, group);
    for (std::size_t p = 0; p < group.count; ++p) {
      fill_factors(folded, group, p, factors.data() + 16 * p);
    }
    SpreadGroup spread = turns.group(group.count);
    spread.factors = factors.data();
    kernels_.spread(spread,
                    {cells_.data() + static_cast<std::size_t>(interval) * plan_.row(), plan_.row(),
                     static_cast<std::size_t>(plan_.last_repetition(interval)) / kSpreadBlock + 1});
  }

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

  // From the cells to the nodes by one product, and from the nodes to the moments.
  void finish(std::span<std::complex<double>> moments) const {
    const std::size_t blocks = plan_.padded_repetitions() / kTaskRepetitions;
    parallel_for(blocks, [&](std::size_t block) { finish_block(block, moments); });
  }

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
    .moments = {.serves = is_polar,
                .make =
                    [](const PlanRequest& request) {
                      return make_polar_forward(request.spec, request.image_size());
                    },
                .bytes = polar_moments_bytes},
    .images = {.serves = is_polar,
               .make =
                   [](const PlanRequest& request) {
                     return make_polar_backward(request.spec, request.image_size());
                   },
               .bytes = polar_images_bytes},
};

}  // namespace leafglyph
