#include "features/bessel_fourier/ring_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/ring_tables.h"
#include "features/kernels/fold_kernels.h"
#include "features/kernels/instruction_set.h"

namespace leafglyph {
namespace {

constexpr std::size_t kFolds = 8;

// Signs of the eight mirror images in each folded sum, in the order of FoldOutputs.
constexpr int kFoldSigns[kFolds][kFolds] = {
    {1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, -1, 1, 1, -1, -1, 1},
    {1, 1, -1, -1, 1, 1, -1, -1}, {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
    {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0},
};

// Points of one run that are multiplied at a time.
template <class T>
struct PointBlock {
  std::size_t count = 0;
  std::array<double, kAngleRangePoints> cosines;
  std::array<double, kAngleRangePoints> sines;
  std::array<double, kAngleRangePoints> weights;
  std::array<const OctantPixel*, kAngleRangePoints> pixels;
  std::vector<double> packed;  // folded sums, `count` apart
  std::vector<T> terms;        // T_k of point p at [p * number of terms + k]
  std::vector<T> rows;         // two rows for each m, `count` apart

  PointBlock(std::size_t repetitions, std::size_t number_of_terms)
      : packed(kFolds * kAngleRangePoints),
        terms(kAngleRangePoints * number_of_terms),
        rows(2 * repetitions * kAngleRangePoints) {}

  AngleRange angles() const { return {count, cosines.data(), sines.data()}; }
};

template <class T>
class CpuRings final : public TwoWayTransform, private TransformShape {
 public:
  CpuRings(const MomentSpec& s, int image_size)
      : TransformShape(s, image_size),
        repetitions_(static_cast<std::size_t>(angular_order_of(s)) + 1),
        tables_(s, image_size),
        orders_(tables_.rings.functions().rows),
        terms_(tables_.rings.terms()),
        kernels_(fold_kernels()) {
    const std::vector<double> table = tables_.rings.table();
    table_.assign(table.begin(), table.end());
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", ring products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    std::vector<double> converted;
    for (std::size_t b = 0; b < images.count; ++b) {
      compute_one(host_doubles(images.slice(b, 1), converted),
                  moments.subspan(b * moment_count(), moment_count()));
    }
  }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    std::fill(image.begin(), image.end(), 0.0);
    std::vector<T> coefficients(2 * repetitions_ * orders_);
    for_each_moment([&](std::size_t row, std::size_t m, std::size_t at, std::size_t other) {
      std::complex<double> value = weighted[at];
      if (is_sine(row)) value = std::complex<double>(0.0, 1.0) * (weighted[at] - weighted[other]);
      if (is_cosine(row)) value = weighted[other] + weighted[at];
      coefficients[2 * m * orders_ + row] = static_cast<T>(value.real());
      coefficients[(2 * m + 1) * orders_ + row] = static_cast<T>(value.imag());
    });
    const std::size_t row_length = tables_.rings.row_length();
    std::vector<T> sums(2 * repetitions_ * row_length);
    add_product_nn(2 * repetitions_, row_length, orders_, coefficients.data(), orders_,
                   table_.data(), row_length, sums.data(), row_length);
    const auto scatter_run = [&](const Run& run, PointBlock<T>& block) {
      for (std::size_t p = 0; p < run.count; ++p) {
        const OctantPixel& pixel = tables_.pixels[run.first + p];
        place(pixel, pixel.x, pixel.y, 1.0, run.ring, block);
        if (block.count == kAngleRangePoints || p + 1 == run.count) {
          scatter(sums, run.ring, block, image);
          block.count = 0;
        }
      }
    };
    for_each_ring(scatter_run);
  }

 private:
  using Run = RingTables::Run;

  // Gathers all points on the Chebyshev polynomials of their rings, then multiplies these sums by
  // the table of the functions (radial_rings.h).
  void compute_one(std::span<const double> image, std::span<std::complex<double>> moments) const {
    // sums[(2 m + c) * row_length + ring * terms + k], c = 0 real, 1 imaginary
    const std::size_t row_length = tables_.rings.row_length();
    std::vector<T> sums(2 * repetitions_ * row_length);
    const auto gather_run = [&](const Run& run, PointBlock<T>& block) {
      for_each_block(run, block, [&] { gather(image, run.ring, block, sums); });
    };
    for_each_ring(gather_run);
    std::vector<T> products(2 * repetitions_ * orders_);
    add_product_nt(2 * repetitions_, orders_, row_length, sums.data(), row_length, table_.data(),
                   row_length, products.data(), orders_);
    const auto product = [&](std::size_t row, std::size_t m) {
      return std::complex<double>(static_cast<double>(products[2 * m * orders_ + row]),
                                  static_cast<double>(products[(2 * m + 1) * orders_ + row]));
    };
    for_each_moment([&](std::size_t row, std::size_t m, std::size_t at, std::size_t) {
      std::complex<double> value = product(row, m);
      const std::complex<double> j(0.0, 1.0);
      if (is_sine(row)) value = product(row + 1, m) - j * product(row, m);
      if (is_cosine(row)) value = product(row, m) + j * product(row - 1, m);
      moments[at] = tables_.rings.functions().norms[row] * value;
    });
  }

  bool is_sine(std::size_t row) const { return tables_.rings.functions().in_pairs && row % 2 == 1; }
  bool is_cosine(std::size_t row) const {
    return tables_.rings.functions().in_pairs && row % 2 == 0 && row > 0;
  }

  // Calls use(row, m, position of its moment, position of the other moment of its pair).
  template <class Use>
  void for_each_moment(const Use& use) const {
    for (std::size_t row = 0; row < orders_; ++row) {
      const std::size_t other = is_sine(row) ? row + 1 : is_cosine(row) ? row - 1 : row;
      for (std::size_t m = 0; m < repetitions_; ++m) {
        use(row, m, tables_.positions[row * repetitions_ + m],
            tables_.positions[other * repetitions_ + m]);
      }
    }
  }

  // Calls use(run, block) for every run. All runs of a ring go to the same thread.
  template <class Use>
  void for_each_ring(const Use& use) const {
    const auto& runs = tables_.runs;
    parallel_for_with_scratch({tables_.rings.rings()}, [&]() -> RoundJob {
      return [&, block = std::make_shared<PointBlock<T>>(repetitions_, terms_)](std::size_t ring) {
        const auto first =
            std::lower_bound(runs.begin(), runs.end(), ring,
                             [](const Run& run, std::size_t number) { return run.ring < number; });
        for (auto run = first; run != runs.end() && run->ring == ring; ++run) use(*run, *block);
      };
    });
  }

  // Fills `block` with the points of the run. Calls use() whenever it is full, and at the end.
  template <class Use>
  void for_each_block(const Run& run, PointBlock<T>& block, const Use& use) const {
    const auto place_and_use = [&](const OctantPixel& pixel, double x, double y, double weight) {
      place(pixel, x, y, weight, run.ring, block);
      if (block.count < kAngleRangePoints) return;
      throw_if_interrupted();
      use();
      block.count = 0;
    };
    for (std::size_t p = run.first; p < run.first + run.count; ++p) {
      if (run.is_centre) {
        centre_points(tables_.pixels[p], place_and_use);
      } else {
        tensor_points(tables_.pixels[p], tables_.rules.rule(run.rule), place_and_use);
      }
    }
    if (block.count > 0) use();
    block.count = 0;
  }

  template <class Place>
  void tensor_points(const OctantPixel& pixel, const PixelQuadrature& rule,
                     const Place& place_point) const {
    const auto points = static_cast<std::size_t>(rule.points());
    const int size = image_size();
    for (std::size_t sy = 0; sy < points; ++sy) {
      for (std::size_t sx = 0; sx < points; ++sx) {
        const auto area = static_cast<double>(rule.weights[sx] * rule.weights[sy]) / size / size;
        const double x = pixel.x + static_cast<double>(rule.nodes[sx]) / size;
        const double y = pixel.y + static_cast<double>(rule.nodes[sy]) / size;
        if (x * x + y * y <= kDiskSquare) place_point(pixel, x, y, pixel.weight * area);
      }
    }
  }

  template <class Place>
  void centre_points(const OctantPixel& pixel, const Place& place_point) const {
    const PixelQuadrature& across = tables_.rules.centre_across();
    const PixelQuadrature& along = tables_.rules.centre_along();
    const double half = tables_.rules.centre_side() / 2.0;
    for (std::size_t u = 0; u < across.nodes.size(); ++u) {
      const double x = half * (1.0 + static_cast<double>(across.nodes[u]));
      for (std::size_t v = 0; v < along.nodes.size(); ++v) {
        const double t = (1.0 + static_cast<double>(along.nodes[v])) / 2.0;
        place_point(pixel, x, t * x,
                    x * half / 2.0 * static_cast<double>(across.weights[u] * along.weights[v]));
      }
    }
  }

  // Appends the point (x, y) of the pixel to the block, with the values of all T_k and its weight
  // times the common factor, unless it belongs to another ring.
  void place(const OctantPixel& pixel, double x, double y, double weight, std::size_t ring,
             PointBlock<T>& block) const {
    const double rho = std::sqrt(x * x + y * y);
    const RingFunctions& functions = tables_.rings.functions();
    const double u = functions.coordinate(rho);
    if (functions.by_point && tables_.rings.ring_of(u) != ring) return;
    const std::size_t p = block.count++;
    block.cosines[p] = rho > 0 ? x / rho : 1.0;
    block.sines[p] = rho > 0 ? y / rho : 0.0;
    block.pixels[p] = &pixel;
    block.weights[p] = weight * functions.factor(rho);
    const double t = tables_.rings.place(u, ring);
    T* terms = block.terms.data() + p * terms_;
    double before = t;  // T_{-1} = T_1
    double current = 1.0;
    for (std::size_t k = 0; k < terms_; ++k) {
      terms[k] = static_cast<T>(current);
      const double next = 2.0 * t * current - before;
      before = current;
      current = next;
    }
  }

  // Folds the image values of the block's points, expands them into their angular rows and adds
  // rows x T_k to the sums of the ring.
  void gather(std::span<const double> image, std::size_t ring, PointBlock<T>& block,
              std::vector<T>& sums) const {
    const std::size_t count = block.count;
    for (std::size_t p = 0; p < count; ++p) {
      const auto& images = block.pixels[p]->images;
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
    add_product_nn(2 * repetitions_, terms_, count, block.rows.data(), count, block.terms.data(),
                   terms_, sums.data() + ring * terms_, tables_.rings.row_length());
  }

  // The adjoint of gather: evaluates the sums of the ring at the block's points and writes the
  // values of their mirror images.
  void scatter(const std::vector<T>& sums, std::size_t ring, PointBlock<T>& block,
               std::span<double> image) const {
    const std::size_t count = block.count;
    if (count == 0) return;
    std::fill(block.rows.begin(), block.rows.end(), T{});
    add_product_nt(2 * repetitions_, count, terms_, sums.data() + ring * terms_,
                   tables_.rings.row_length(), block.terms.data(), terms_, block.rows.data(),
                   count);
    if constexpr (std::is_same_v<T, float>) {
      kernels_.unfold_rows_float(block.angles(), repetitions_, block.rows.data(),
                                 block.packed.data());
    } else {
      kernels_.unfold_rows_double(block.angles(), repetitions_, block.rows.data(),
                                  block.packed.data());
    }
    for (std::size_t p = 0; p < count; ++p) {
      const auto& images = block.pixels[p]->images;
      for (std::size_t i = 0; i < kFolds; ++i) {
        double value = 0.0;
        for (std::size_t q = 0; q < kFolds; ++q) {
          if (kFoldSigns[q][i] != 0) value += kFoldSigns[q][i] * block.packed[q * count + p];
        }
        image[images[i]] = block.weights[p] * value;
      }
    }
  }

  std::size_t repetitions_;
  RingTables tables_;
  std::size_t orders_;  // rows of the tables
  std::size_t terms_;
  const FoldKernels& kernels_;
  std::vector<T> table_;  // of the rings
};

}  // namespace

std::shared_ptr<TwoWayTransform> make_ring_transform(const MomentSpec& spec, int image_size,
                                                     Precision precision) {
  if (precision == Precision::kFloat) return std::make_shared<CpuRings<float>>(spec, image_size);
  return std::make_shared<CpuRings<double>>(spec, image_size);
}

constinit const CpuAlgorithm kRings = {
    .name = "rings",
    .moments = {.supports = has_rings, .bytes = ring_bytes, .work = ring_moments_work},
    .images = {.supports = has_rings, .bytes = ring_bytes, .work = ring_images_work},
    .make_both =
        [](const PlanRequest& request) {
          return make_ring_transform(request.spec, request.image_size(), request.precision);
        },
};

}  // namespace leafglyph
