#include "features/bessel_fourier_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "features/bessel.h"
#include "features/cpu_kernels.h"
#include "features/disk_grid.h"
#include "features/graded_quadrature.h"
#include "features/pixel_quadrature.h"
#include "features/product.h"
#include "features/radial_rings.h"
#include "features/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kTerms = RadialRings::kRingTerms;
constexpr std::size_t kFolds = 8;

// signs of the eight images in each folded sum, in the order of FoldOutputs
constexpr int kFoldSigns[kFolds][kFolds] = {
    {1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, -1, 1, 1, -1, -1, 1},
    {1, 1, -1, -1, 1, 1, -1, -1}, {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
    {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0},
};

// One octant pixel, where it is, and how far from the centre.
struct RingPixel {
  OctantPixel octant;
  double radius;
  std::size_t rule;  // number of its quadrature rule
};

// The points of one ring that are multiplied at a time.
template <class T>
struct PointBlock {
  std::size_t count = 0;
  std::array<double, kAngleRangePoints> cosines;
  std::array<double, kAngleRangePoints> sines;
  std::array<double, kAngleRangePoints> weights;
  std::array<const RingPixel*, kAngleRangePoints> pixels;
  std::vector<double> packed;  // folded sums, `count` apart
  std::vector<T> terms;        // T_k of point p at [p * kTerms + k]
  std::vector<T> rows;         // two rows for each m, `count` apart

  explicit PointBlock(std::size_t repetitions)
      : packed(kFolds * kAngleRangePoints),
        terms(kAngleRangePoints * kTerms),
        rows(2 * repetitions * kAngleRangePoints) {}

  AngleRange angles() const { return {count, cosines.data(), sines.data()}; }
};

PixelRules pixel_rules(const BesselFourierSpec& spec) {
  if (spec.method != Method::kAdaptive)
    return PixelRules(pixel_quadrature(spec.method, spec.points));
  return PixelRules::graded(spec.image_size, bessel_j1_zeros(spec.radial_order).back(),
                            spec.angular_order);
}

template <class T>
class CpuPlan final : public BesselFourier {
 public:
  explicit CpuPlan(const BesselFourierSpec& s)
      : BesselFourier(s),
        repetitions_(static_cast<std::size_t>(s.angular_order) + 1),
        rings_(s.radial_order),
        rules_(pixel_rules(s)),
        centres_(midpoint_rule(1)),
        kernels_(cpu_kernels()) {
    const DiskGrid grid(s.image_size, s.method, s.points);
    for (const OctantPixel& octant : grid.octant()) {
      const double radius = std::hypot(octant.x, octant.y);
      pixels_.push_back({octant, radius, rules_.rule_of(radius)});
    }
    std::sort(pixels_.begin(), pixels_.end(), [](const RingPixel& a, const RingPixel& b) {
      return a.radius != b.radius ? a.radius < b.radius : a.octant.images < b.octant.images;
    });
    table_.assign(rings_.table().begin(), rings_.table().end());
  }

  std::string describe() const override {
    return "CPU, N = " + std::to_string(spec().image_size) +
           ", n <= " + std::to_string(spec().radial_order) +
           ", |m| <= " + std::to_string(spec().angular_order) + ", ring products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::string(kernels_.name) +
           ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_moments(std::span<const double> image,
                       std::span<std::complex<double>> moments) override {
    // sums[(2 m + c) * row_length + ring * kTerms + k], c = 0 real, 1 imaginary
    std::vector<T> sums(2 * repetitions_ * rings_.row_length());
#pragma omp parallel
    {
      PointBlock<T> block(repetitions_);
#pragma omp for schedule(dynamic)
      for (std::size_t ring = 0; ring < rings_.rings(); ++ring) {
        for_each_point(ring, rules_, block, [&] { gather(image, ring, block, sums); });
      }
    }
    const auto orders = static_cast<std::size_t>(spec().radial_order);
    std::vector<T> products(2 * repetitions_ * orders);
    add_product_nt(2 * repetitions_, orders, rings_.row_length(), sums.data(), rings_.row_length(),
                   table_.data(), rings_.row_length(), products.data(), orders);
    for (std::size_t n = 0; n < orders; ++n) {
      for (std::size_t m = 0; m < repetitions_; ++m) {
        moments[n * repetitions_ + m] =
            rings_.norms()[n] *
            std::complex<double>(static_cast<double>(products[2 * m * orders + n]),
                                 static_cast<double>(products[(2 * m + 1) * orders + n]));
      }
    }
  }

  void compute_image(std::span<const std::complex<double>> moments,
                     std::span<double> image) override {
    const auto orders = static_cast<std::size_t>(spec().radial_order);
    std::vector<T> coefficients(2 * repetitions_ * orders);
    for (std::size_t n = 0; n < orders; ++n) {
      for (std::size_t m = 0; m < repetitions_; ++m) {
        // f is real, so m and -m together are twice the real part
        const std::complex<double> b = (m == 0 ? 1.0 : 2.0) * moments[n * repetitions_ + m];
        coefficients[2 * m * orders + n] = static_cast<T>(b.real());
        coefficients[(2 * m + 1) * orders + n] = static_cast<T>(b.imag());
      }
    }
    std::vector<T> sums(2 * repetitions_ * rings_.row_length());
    add_product_nn(2 * repetitions_, rings_.row_length(), orders, coefficients.data(), orders,
                   table_.data(), rings_.row_length(), sums.data(), rings_.row_length());
    std::fill(image.begin(), image.end(), 0.0);
#pragma omp parallel
    {
      PointBlock<T> block(repetitions_);
#pragma omp for schedule(dynamic)
      for (std::size_t ring = 0; ring < rings_.rings(); ++ring) {
        for_each_point(ring, centres_, block, [&] { scatter(sums, ring, block, image); });
      }
    }
  }

 private:
  // Fills `block` with the points of the ring, calling use() whenever it is full and at the end.
  template <class Use>
  void for_each_point(std::size_t ring, const PixelRules& rules, PointBlock<T>& block,
                      const Use& use) const {
    const auto rings = static_cast<double>(rings_.rings());
    const int size = spec().image_size;
    // The points of a pixel are within half its diagonal of its centre.
    const double reach = 1.42 / size;
    const auto below = [](const RingPixel& pixel, double radius) { return pixel.radius < radius; };
    const auto first = std::lower_bound(pixels_.begin(), pixels_.end(),
                                        static_cast<double>(ring) / rings - reach, below);
    const auto last = std::lower_bound(first, pixels_.end(),
                                       (static_cast<double>(ring) + 1.0) / rings + reach, below);
    block.count = 0;
    const auto place_and_use = [&](const RingPixel& pixel, double x, double y, double weight) {
      place(pixel, x, y, weight, ring, block);
      if (block.count < kAngleRangePoints) return;
      use();
      block.count = 0;
    };
    for (auto pixel = first; pixel != last; ++pixel) {
      if (!rules.serves_centre() && pixel->radius < 1.5 / size) {
        centre_points(*pixel, rules, place_and_use);
      } else {
        tensor_points(*pixel, rules.rule(rules.count() == 1 ? 0 : pixel->rule), place_and_use);
      }
    }
    if (block.count > 0) use();
  }

  template <class Place>
  void tensor_points(const RingPixel& pixel, const PixelQuadrature& rule,
                     const Place& place_point) const {
    const auto points = static_cast<std::size_t>(rule.points());
    const int size = spec().image_size;
    for (std::size_t sy = 0; sy < points; ++sy) {
      for (std::size_t sx = 0; sx < points; ++sx) {
        const auto area = static_cast<double>(rule.weights[sx] * rule.weights[sy]) / size / size;
        place_point(pixel, pixel.octant.x + static_cast<double>(rule.nodes[sx]) / size,
                    pixel.octant.y + static_cast<double>(rule.nodes[sy]) / size,
                    pixel.octant.weight * area);
      }
    }
  }

  template <class Place>
  void centre_points(const RingPixel& pixel, const PixelRules& rules,
                     const Place& place_point) const {
    const PixelQuadrature& across = rules.centre_across();
    const PixelQuadrature& along = rules.centre_along();
    const double half = rules.centre_side() / 2.0;
    for (std::size_t u = 0; u < across.nodes.size(); ++u) {
      const double x = half * (1.0 + static_cast<double>(across.nodes[u]));
      for (std::size_t v = 0; v < along.nodes.size(); ++v) {
        const double t = (1.0 + static_cast<double>(along.nodes[v])) / 2.0;
        place_point(pixel, x, t * x,
                    x * half / 2.0 * static_cast<double>(across.weights[u] * along.weights[v]));
      }
    }
  }

  // Appends the point (x, y) of the pixel to the block if it lies in the ring.
  void place(const RingPixel& pixel, double x, double y, double weight, std::size_t ring,
             PointBlock<T>& block) const {
    const double rho = std::sqrt(x * x + y * y);
    if (rings_.ring_of(rho) != ring) return;
    const std::size_t p = block.count++;
    block.cosines[p] = rho > 0 ? x / rho : 1.0;
    block.sines[p] = rho > 0 ? y / rho : 0.0;
    block.pixels[p] = &pixel;
    block.weights[p] = weight;
    const double t = rings_.coordinate(rho, ring);
    T* terms = block.terms.data() + p * kTerms;
    double before = t;  // T_{-1} = T_1
    double current = 1.0;
    for (std::size_t k = 0; k < kTerms; ++k) {
      terms[k] = static_cast<T>(current);
      const double next = 2.0 * t * current - before;
      before = current;
      current = next;
    }
  }

  void gather(std::span<const double> image, std::size_t ring, PointBlock<T>& block,
              std::vector<T>& sums) const {
    const std::size_t count = block.count;
    for (std::size_t p = 0; p < count; ++p) {
      const auto& images = block.pixels[p]->octant.images;
      const double weight = block.weights[p];
      for (std::size_t q = 0; q < kFolds; ++q) {
        double sum = 0.0;
        for (std::size_t i = 0; i < kFolds; ++i) {
          if (kFoldSigns[q][i] != 0) sum += kFoldSigns[q][i] * image[images[i]];
        }
        block.packed[q * count + p] = weight * sum;
      }
    }
    if constexpr (std::is_same_v<T, float>) {
      kernels_.angular_rows_float(block.angles(), repetitions_, block.packed.data(),
                                  block.rows.data());
    } else {
      kernels_.angular_rows_double(block.angles(), repetitions_, block.packed.data(),
                                   block.rows.data());
    }
    add_product_nn(2 * repetitions_, kTerms, count, block.rows.data(), count, block.terms.data(),
                   kTerms, sums.data() + ring * kTerms, rings_.row_length());
  }

  void scatter(const std::vector<T>& sums, std::size_t ring, PointBlock<T>& block,
               std::span<double> image) const {
    const std::size_t count = block.count;
    std::fill(block.rows.begin(), block.rows.end(), T{});
    add_product_nt(2 * repetitions_, count, kTerms, sums.data() + ring * kTerms,
                   rings_.row_length(), block.terms.data(), kTerms, block.rows.data(), count);
    if constexpr (std::is_same_v<T, float>) {
      kernels_.unfold_rows_float(block.angles(), repetitions_, block.rows.data(),
                                 block.packed.data());
    } else {
      kernels_.unfold_rows_double(block.angles(), repetitions_, block.rows.data(),
                                  block.packed.data());
    }
    for (std::size_t p = 0; p < count; ++p) {
      const auto& images = block.pixels[p]->octant.images;
      for (std::size_t i = 0; i < kFolds; ++i) {
        double value = 0.0;
        for (std::size_t q = 0; q < kFolds; ++q) {
          if (kFoldSigns[q][i] != 0) value += kFoldSigns[q][i] * block.packed[q * count + p];
        }
        image[images[i]] = value;
      }
    }
  }

  std::size_t repetitions_;
  RadialRings rings_;
  PixelRules rules_;
  PixelRules centres_;
  const CpuKernels& kernels_;
  std::vector<RingPixel> pixels_;  // by growing radius
  std::vector<T> table_;
};

}  // namespace

std::unique_ptr<BesselFourier> make_bessel_fourier_cpu(const BesselFourierSpec& spec,
                                                       Precision precision) {
  if (precision == Precision::kFast) return std::make_unique<CpuPlan<float>>(spec);
  return std::make_unique<CpuPlan<double>>(spec);
}

}  // namespace leafglyph
