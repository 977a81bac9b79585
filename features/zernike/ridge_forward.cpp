#include "features/zernike/ridge_forward.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"

namespace leafglyph {
namespace {

// Rows of a product that one thread works on.
constexpr std::size_t kProductRows = 32;

// The corners of one image whose values are not all 0, in blocks of kBlock.
struct CornerValues {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> values;  // [corner][8]
};

template <class T>
CornerValues corner_values(const RidgePlan& plan, const T* pixels) {
  CornerValues result;
  const auto pixel = [&](std::int32_t number) {
    return number < 0 ? 0.0 : static_cast<double>(pixels[number]);
  };
  for (const RidgePlan::Corner& corner : plan.corners()) {
    double values[8];
    bool any = false;
    for (int q = 0; q < 8; ++q) {
      const auto& around = corner.pixels[q];
      values[q] = corner.share *
                  ((pixel(around[0]) - pixel(around[1])) - (pixel(around[2]) - pixel(around[3])));
      any = any || values[q] != 0.0;
    }
    if (!any) continue;
    result.x.push_back(corner.x);
    result.y.push_back(corner.y);
    result.values.insert(result.values.end(), values, values + 8);
  }
  const std::size_t padded = (result.x.size() + kBlock - 1) / kBlock * kBlock;
  result.x.resize(padded, 0.0);
  result.y.resize(padded, 0.0);
  result.values.resize(8 * padded, 0.0);
  return result;
}

CornerValues corner_values(const RidgePlan& plan, const ImageBatch& image) {
  switch (image.type) {
    case PixelType::kUint8:
      return corner_values(plan, static_cast<const std::uint8_t*>(image.pixels));
    case PixelType::kFloat:
      return corner_values(plan, static_cast<const float*>(image.pixels));
    case PixelType::kDouble:
      break;
  }
  return corner_values(plan, static_cast<const double*>(image.pixels));
}

class RidgeForward final : public ForwardTransform, private TransformShape {
 public:
  RidgeForward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size),
        plan_(spec.order, image_size),
        kernels_(spread_kernels()) {
    const auto angles = static_cast<std::size_t>(plan_.angles());
    for (auto& sums : folded_) sums.resize(angles * plan_.quarter_cells());
    for (int parity = 0; parity < 2; ++parity) {
      transformed_[parity].resize(angles * plan_.cosine_rows(parity));
    }
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", ridge transform in double, " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    for (std::size_t b = 0; b < images.count; ++b) {
      spread(corner_values(plan_, images.slice(b, 1)));
      for (int parity = 0; parity < 2; ++parity) {
        take_cosine_sums(parity);
        take_angular_sums(parity, moments.subspan(b * moment_count(), moment_count()));
      }
    }
  }

 private:
  // Angles that mirror images take to each other are one task, so that no two tasks meet.
  void spread(const CornerValues& corners) {
    for (auto& sums : folded_) std::fill(sums.begin(), sums.end(), 0.0);
    const int tasks = (plan_.angles() / 2 + 1) / 2;
    const std::size_t scratch = kBlock * static_cast<std::size_t>(plan_.grid().cells);
    parallel_for_with_scratch({static_cast<std::size_t>(tasks)}, [&]() -> RoundJob {
      return [&, cells = std::vector<double>(scratch)](std::size_t task) mutable {
        std::set<int> orbit;
        for (int q = 0; q < 8; ++q) {
          orbit.insert(plan_.mirrored(static_cast<int>(task), q).angle);
        }
        for (const int l : orbit) {
          std::fill(cells.begin(), cells.end(), 0.0);
          kernels_.ridge(
              plan_.arcsine(), plan_.kernel(),
              {corners.x.size(), corners.x.data(), corners.y.data(), corners.values.data(),
               plan_.angle_cosine(l), plan_.angle_sine(l), plan_.cells_per_radian(), cells.data()});
          hand_out(l, cells);
        }
      };
    });
  }

  // The cells of the corners at angle l, image by image to the angles where those have them.
  void hand_out(int l, const std::vector<double>& cells) {
    const std::size_t quarter = plan_.quarter_cells();
    double* rows[2][8];
    int signs[8];
    for (int q = 0; q < 8; ++q) {
      const RidgePlan::MirroredAngle to = plan_.mirrored(l, q);
      signs[q] = to.sign;
      for (int parity = 0; parity < 2; ++parity) {
        rows[parity][q] = folded_[parity].data() + static_cast<std::size_t>(to.angle) * quarter;
      }
    }
    for (int s = 0; s < plan_.grid().cells; ++s) {
      const RidgePlan::FoldedCell to = plan_.folded(s);
      const double* values = cells.data() + kBlock * static_cast<std::size_t>(s);
      for (int q = 0; q < 8; ++q) {
        rows[0][q][to.cell] += values[q];
        rows[1][q][to.cell] += to.sign * signs[q] * values[q];
      }
    }
  }

  // C_n at every angle for n of one parity.
  void take_cosine_sums(int parity) {
    const auto angles = static_cast<std::size_t>(plan_.angles());
    const std::size_t quarter = plan_.quarter_cells();
    const std::size_t rows = plan_.cosine_rows(parity);
    auto& transformed = transformed_[parity];
    std::fill(transformed.begin(), transformed.end(), 0.0);
    parallel_for((angles + kProductRows - 1) / kProductRows, [&](std::size_t block) {
      const std::size_t l = block * kProductRows;
      add_product_nt(std::min(kProductRows, angles - l), rows, quarter,
                     folded_[parity].data() + l * quarter, quarter, plan_.cosines(parity).data(),
                     quarter, transformed.data() + l * rows, rows);
    });
  }

  // Q_n(phi_l) from C_n and C_{n+2}.
  double ridge_integral(int parity, std::size_t l, std::size_t i) const {
    const double* c = transformed_[parity].data() + l * plan_.cosine_rows(parity);
    const auto n = static_cast<double>(2 * i + static_cast<std::size_t>(parity));
    const double value = n == 0 ? c[1] / 4 : (c[i + 1] / (n + 2) - c[i] / n) / (2 * (n + 1));
    const int angle = static_cast<int>(l);
    return value / (plan_.angle_cosine(angle) * plan_.angle_sine(angle));
  }

  // Angles l and L - 1 - l are mirrored: cos m phi is the same there but for (-1)^m, sin m phi but
  // for -(-1)^m, so that sums and differences over half the angles serve.
  void take_angular_sums(int parity, std::span<std::complex<double>> moments) const {
    const std::size_t half = static_cast<std::size_t>(plan_.angles()) / 2;
    const int count = (spec().order - parity) / 2 + 1;
    if (spec().order < parity) return;
    const auto rows = static_cast<std::size_t>(count);
    const double mirror = parity == 0 ? 1.0 : -1.0;
    parallel_for((rows + kProductRows - 1) / kProductRows, [&](std::size_t number) {
      const std::size_t first = number * kProductRows;
      const std::size_t block = std::min(kProductRows, rows - first);
      // n of these rows is at most that of the last: repetitions up to there
      const std::size_t columns = first + block;
      std::vector<double> sums(block * half);
      std::vector<double> differences(block * half);
      for (std::size_t l = 0; l < half; ++l) {
        for (std::size_t i = 0; i < block; ++i) {
          const double near = ridge_integral(parity, l, first + i);
          const double far = mirror * ridge_integral(parity, 2 * half - 1 - l, first + i);
          sums[i * half + l] = near + far;
          differences[i * half + l] = near - far;
        }
      }
      std::vector<double> real(block * columns, 0.0);
      std::vector<double> imaginary(block * columns, 0.0);
      add_product_nt(block, columns, half, sums.data(), half, plan_.turn_cosine(parity).data(),
                     half, real.data(), columns);
      add_product_nt(block, columns, half, differences.data(), half, plan_.turn_sine(parity).data(),
                     half, imaginary.data(), columns);
      for (std::size_t i = 0; i < block; ++i) {
        const int n = 2 * static_cast<int>(first + i) + parity;
        const double norm = (n + 1) / (std::numbers::pi * plan_.angles());
        for (std::size_t k = 0; k <= first + i; ++k) {
          const int m = 2 * static_cast<int>(k) + parity;
          const std::size_t at = i * columns + k;
          moments[moment_position(Family::kZernike, n, m)] = {norm * real[at],
                                                              m == 0 ? 0.0 : -norm * imaginary[at]};
        }
      }
    });
  }

  RidgePlan plan_;
  const SpreadKernels& kernels_;
  std::vector<double> folded_[2];       // [angle][quarter cell], for even and for odd n
  std::vector<double> transformed_[2];  // C_n, [angle][n / 2]
};

}  // namespace

std::shared_ptr<ForwardTransform> make_ridge_forward(const MomentSpec& spec, int image_size) {
  if (spec.family != Family::kZernike || spec.method != Method::kExact) {
    throw UsageError("the exact engine serves exact Zernike moments, not " + describe(spec));
  }
  return std::make_shared<RidgeForward>(spec, image_size);
}

}  // namespace leafglyph
