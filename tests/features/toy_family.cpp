#include "tests/features/toy_family.h"

#include <cmath>
#include <numbers>

#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {
namespace {

// The radial function: P_n^{(0, 1)}(t), t = 2 rho - 1, by its recurrence (DLMF 18.9.2).
double fourier_mellin(int n, double rho) {
  const double t = 2 * rho - 1;
  double before = 0.0;
  double value = 1.0;
  for (int i = 0; i < n; ++i) {
    const double odd = 2.0 * i + 1;
    const double next = ((odd + 2) * t - 1 / odd) * value - i * (odd + 2) / odd * before;
    before = value;
    value = next / (i + 2);
  }
  return value;
}

std::vector<MomentIndex> indices(int order) {
  std::vector<MomentIndex> all;
  for (int total = 0; total <= order; ++total) {
    for (int m = 0; m <= total; ++m) all.push_back({total - m, m});
  }
  return all;
}
std::size_t count(int order) { return indices(order).size(); }

class FourierMellinImages final : public BackwardTransform {
 public:
  explicit FourierMellinImages(const PlanRequest& request) : request_(request) {}

  std::string describe() const override { return "CPU, sums of Fourier-Mellin terms"; }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    const int size = request_.image_size();
    const DiskGrid grid(size, request_.spec);
    const auto all = indices(request_.spec.order);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        double value = 0.0;
        const double x = (2.0 * i + 1 - size) / size;
        const double y = (size - 1 - 2.0 * j) / size;
        for (std::size_t c = 0; c < all.size() && grid.mask().at(j, i) != 0; ++c) {
          const auto kernel = fourier_mellin(all[c].n, std::hypot(x, y)) *
                              std::polar(1.0, all[c].m * std::atan2(y, x));
          value += (weighted[c] * kernel).real();
        }
        image[static_cast<std::size_t>(j) * static_cast<std::size_t>(size) +
              static_cast<std::size_t>(i)] = value;
      }
    }
  }

 private:
  PlanRequest request_;
};

}  // namespace

const FamilyRow kFourierMellinRow = {
    .name = "toy-fourier-mellin",
    .letter = "M",
    .circular = true,
    .highest_order = 100,
    .has = [](int n, int m) { return n >= 0 && m >= 0; },
    .count = count,
    .indices = indices,
    .position =
        [](int n, int m) {
          return (n + m == 0 ? 0 : count(n + m - 1)) + static_cast<std::size_t>(m);
        },
    .order_of = [](const MomentIndex& index) { return index.n + index.m; },
    .norms =
        [](int order) {
          std::vector<double> norms;
          for (int n = 0; n <= order; ++n) norms.push_back((n + 1) / std::numbers::pi);
          return norms;
        },
    .radial = [](const JacobiWeight&, int n, int) -> std::function<double(double)> {
      return [n](double rho) { return fourier_mellin(n, rho); };
    },
    .radials = [](const JacobiWeight&, int order) -> RadialFunctions {
      return [all = indices(order)](double rho, std::span<double> values) {
        for (std::size_t c = 0; c < all.size(); ++c) values[c] = fourier_mellin(all[c].n, rho);
      };
    },
};

const CpuAlgorithm kFourierMellinImages = {
    .name = "sums of terms",
    .images = {.supports =
                   [](const PlanRequest& request) { return request.spec.family == kFourierMellin; },
               .make = [](const PlanRequest& request) -> std::shared_ptr<BackwardTransform> {
                 return std::make_shared<FourierMellinImages>(request);
               },
               .bytes =
                   [](const PlanRequest& request) {
                     return disk_grid_bytes(request.image_size(), /*sums=*/0);
                   }},
};

}  // namespace leafglyph
