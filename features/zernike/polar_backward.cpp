#include "features/zernike/polar_backward.h"

#include <algorithm>
#include <array>

#include "features/base/matrix_product.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"
#include "features/zernike/octant_points.h"
#include "features/zernike/polar_plan.h"

namespace leafglyph {
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
      return [&, turns = AngularFactors(),
              sums = std::vector<double>(4 * kSpreadBlock * PointGroup::kCapacity)](
                 std::size_t round) mutable {
        const int first = static_cast<int>(round) * kSpreadWidth;
        const int last = std::min(first + kSpreadWidth, intervals);
        points_.for_intervals(plan_, kernels_, first, last, [&](int interval, PointGroup& group) {
          read_cells(interval, group, turns, sums, image);
        });
      };
    });
  }

 private:
  // The values of a block of repetitions in every cell.
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

  // Real and imaginary parts of the moments of one repetition, orders m, m + step, ...
  void gather_orders(int m, std::span<const std::complex<double>> weighted, int last_order,
                     std::vector<double>& radial) const {
    radial.clear();
    for (int n = m; n <= last_order; n += plan_.is_pseudo() ? 1 : 2) {
      const std::complex<double> z = weighted[moment_position(spec().family, n, m)];
      radial.push_back(z.real());
      radial.push_back(z.imag());
    }
  }

  void read_cells(int interval, PointGroup& group, AngularFactors& turns, std::vector<double>& sums,
                  std::span<double> image) {
    turns.start(plan_, kernels_, group);
    SpreadGroup spread = turns.group(group.count);
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

  // The eight mirror images' values. With h = h' + j h'' and an image at the angle i pi/2 +- theta,
  // Re(h e^{j m angle}) mixes h' cos, h' sin, h'' cos and h'' sin by m i mod 4.
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
