#include "features/zernike/polar_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

int checked_degree(Family family, int order) {
  validate({family, order});
  if (family == Family::kZernike) return order / 2;
  if (family == Family::kPseudoZernike) return order;
  throw UsageError("the polar transform supports zernike and pseudo-zernike, not " +
                   std::string(family_name(family)));
}

// Bytes of the grid and the weights, with `copies` of the matrix between grid and nodes.
double polar_bytes(const MomentSpec& spec, double copies) {
  const double order = spec.order;
  const double degree = spec.family == Family::kZernike ? order / 2 : order;
  const double cells = 2 * (degree + 1) + 2 * kSpreadWidth;
  const double task = 4 * 8 * (cells + degree + 1) * thread_count();
  return sizeof(double) *
         (cells * 2 * (order + kSpreadBlock) + copies * (degree + 1) * cells + task);
}

// cos(2 pi i / period) for i = 0 .. period - 1.
std::vector<double> cosine_table(int period) {
  std::vector<double> table(static_cast<std::size_t>(period));
  for (int i = 0; i < period; ++i) {
    table[static_cast<std::size_t>(i)] =
        static_cast<double>(std::cos(2 * std::numbers::pi_v<long double> * i / period));
  }
  return table;
}

}  // namespace

bool has_polar_images(const PlanRequest& request) {
  const MomentSpec& spec = request.spec;
  return (spec.family == Family::kZernike || spec.family == Family::kPseudoZernike) &&
         is_inscribed_textbook(spec.convention);
}

bool has_polar_moments(const PlanRequest& request) {
  return has_polar_images(request) && request.spec.method != Method::kExact;
}

double polar_moments_bytes(const PlanRequest& request) {
  return disk_grid_bytes(request.image_size()) + polar_bytes(request.spec, /*copies=*/1);
}

double polar_images_bytes(const PlanRequest& request) {
  return disk_grid_bytes(request.image_size(), /*sums=*/0) +
         polar_bytes(request.spec, /*copies=*/2);
}

// The optimum s has sinh^2 s = (m^2 - n^2 rho^2) / (rho^2 (n^2 - m^2)). For m >= n the bound
// decreases up to s = infinity, where it is rho^m.
bool is_negligible(Family family, int order, int m, double rho) {
  if (rho >= 1.0) return false;
  if (rho <= 0.0) return m > 0;
  const bool pseudo = family == Family::kPseudoZernike;
  const double n = pseudo ? 2.0 * order + 1 : order;
  const double repetition = pseudo ? 2.0 * m + 1 : m;
  const double r = pseudo ? std::sqrt(rho) : rho;
  if (n * r >= repetition) return false;  // past the turning point: it oscillates here
  const double extra = pseudo ? -std::log(r) : 0.0;
  double exponent = repetition * std::log(r);  // the limit for large s
  if (repetition < n) {
    const double sinh_s = std::sqrt((repetition * repetition - n * n * r * r) /
                                    (r * r * (n * n - repetition * repetition)));
    exponent = n * std::asinh(r * sinh_s) - repetition * std::asinh(sinh_s);
  }
  return std::log(n + 1) + exponent + extra < -60 * std::numbers::ln2;
}

PolarPlan::PolarPlan(Family family, int order)
    : family_(family), order_(order), degree_(checked_degree(family, order)), grid_(degree_) {
  cells_per_radian_ = grid_.circle / (is_pseudo() ? 2 * std::numbers::pi : std::numbers::pi);
  place_nodes();
  fill_cells_to_nodes();
  find_cut_offs();
}

double PolarPlan::outer_radius(int interval) const {
  const double half = std::numbers::pi * std::clamp(interval, 0, grid_.circle / 2) / grid_.circle;
  const double radius = std::cos(half);
  return std::max(0.0, is_pseudo() ? radius * radius : radius);
}

void PolarPlan::place_nodes() {
  const int count = degree_ + 1;
  for (int g = 0; g < count; ++g) {
    const double radius = std::cos(std::numbers::pi * (2 * g + 1) / (4.0 * count));
    radius_.push_back(is_pseudo() ? radius * radius : radius);
  }
}

// M = sum over frequencies k of f_k cos(k phi_g) cos(k phi_c), where f_k is the interpolation
// factor of the Chebyshev nodes divided by the kernel's transform p_k (spreading_kernel.h). A
// product of cosines is half the sum of the cosines of k (phi_g + phi_c) and k (phi_g - phi_c), so
// that M needs F(x) = sum of f_k cos(k x) only at the multiples of 2 pi / period.
void PolarPlan::fill_cells_to_nodes() {
  const int count = degree_ + 1;
  const int period = std::lcm(4 * count, grid_.circle);
  const std::vector<double> transform = SpreadingKernel::transform(degree_, grid_.circle);
  const std::vector<double> cosine = cosine_table(period);
  std::vector<double> series(static_cast<std::size_t>(period / 2) + 1);
  const Rounds sums{.count = series.size(),
                    .at_a_time = 64,
                    .serial = 64,
                    .nanoseconds = 1.5 * static_cast<double>(transform.size())};
  parallel_for(sums, [&](std::size_t x) {
    double sum = 0.0;
    std::size_t at = 0;  // k x modulo the period
    for (std::size_t k = 0; k < transform.size(); ++k) {
      sum += (k == 0 ? 1.0 : 2.0) / (count * transform[k]) * cosine[at];
      at += x;
      if (at >= cosine.size()) at -= cosine.size();
    }
    series[x] = sum;
  });
  // F is even and periodic.
  const auto value = [&](int x) {
    const int turned = std::abs(x) % period;
    return series[static_cast<std::size_t>(std::min(turned, period - turned))];
  };
  const auto cells = static_cast<std::size_t>(grid_.cells);
  cells_to_nodes_.resize(static_cast<std::size_t>(count) * cells);
  parallel_for({.count = static_cast<std::size_t>(count),
                .at_a_time = 16,
                .serial = 16,
                .nanoseconds = 4.0 * static_cast<double>(cells)},
               [&](std::size_t g) {
                 const int node = period / (4 * count) * (2 * static_cast<int>(g) + 1);
                 for (std::size_t s = 0; s < cells; ++s) {
                   const int cell =
                       period / grid_.circle * HalfCircleGrid::number(static_cast<int>(s));
                   cells_to_nodes_[g * cells + s] = (value(node + cell) + value(node - cell)) / 2;
                 }
               });
}

void PolarPlan::find_cut_offs() {
  const auto orders = static_cast<std::size_t>(order_) + 1;
  for (int i = 0; i < grid_.intervals; ++i) {
    throw_if_interrupted();
    int low = 0;
    int high = order_ + 1;  // the first negligible repetition lies in (low, high]
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (is_negligible(family_, order_, middle, outer_radius(i)) ? high : low) = middle;
    }
    last_repetition_.push_back(low);
  }
  node_counts_.assign(orders, 0);
  for (std::size_t m = 0; m < orders; ++m) {
    node_counts_[m] = static_cast<std::size_t>(
        std::partition_point(
            radius_.begin(), radius_.end(),
            [&](double rho) { return !is_negligible(family_, order_, static_cast<int>(m), rho); }) -
        radius_.begin());
  }
}

NodeRecurrence::NodeRecurrence(const PolarPlan& plan, int m)
    : recurrence_(plan.family(), m, plan.order()) {
  const auto orders = static_cast<std::size_t>(recurrence_.count());
  passes_ = (orders + kOrderBlock - 1) / kOrderBlock;
  // Coefficient 0 reproduces the starting value. Coefficients beyond the last order yield 0.
  recurrence_.shift[0] = 1.0;
  for (auto* v : {&recurrence_.slope, &recurrence_.shift, &recurrence_.back}) {
    v->resize(passes_ * kOrderBlock, 0.0);
  }
  const std::size_t nodes = plan.node_count(m);
  variable_.assign((nodes + kSpreadBlock - 1) / kSpreadBlock * kSpreadBlock, 0.0);
  current_.assign(variable_.size(), 0.0);
  before_.assign(variable_.size(), 0.0);
  const int power = m - plan.taken_out(m);
  for (std::size_t g = 0; g < nodes; ++g) {
    const double rho = plan.node_radius()[g];
    variable_[g] = recurrence_.variable(rho);
    const double exponent = power * std::log2(rho);
    if (exponent > -900.0) {
      current_[g] = std::pow(rho, power);
      continue;
    }
    const int steps = static_cast<int>(std::ceil((-400.0 - exponent) / 512.0));
    current_[g] = static_cast<double>(
        std::ldexp(std::pow(static_cast<long double>(rho), power), 512 * steps));
    scaled_.push_back({g, steps, 0.0, 0.0});
  }
}

NodePass NodeRecurrence::pass(std::size_t number) {
  const std::size_t first = number * kOrderBlock;
  return {variable_.size(),
          variable_.data(),
          current_.data(),
          before_.data(),
          recurrence_.slope.data() + first,
          recurrence_.shift.data() + first,
          recurrence_.back.data() + first};
}

// A pass multiplies a value by at most (4 T)^8, for which 2^300 and 2^512 leave room.
void NodeRecurrence::rescale() {
  constexpr double kLarge = 0x1p300;
  for (Scaled& s : scaled_) {
    if (s.steps == 0 || std::abs(current_[s.node]) < kLarge) continue;
    current_[s.node] *= 0x1p-512;
    before_[s.node] *= 0x1p-512;
    --s.steps;
  }
}

void NodeRecurrence::sums(const SpreadKernels& kernels, std::vector<double>& a,
                          std::vector<double>& b, std::vector<double>& sums) {
  sums.resize(2 * passes_ * kOrderBlock);
  for (Scaled& s : scaled_) {
    s.a = std::exchange(a[s.node], 0.0);
    s.b = std::exchange(b[s.node], 0.0);
  }
  double real[kOrderBlock];
  double imaginary[kOrderBlock];
  for (std::size_t number = 0; number < passes_; ++number) {
    for (const Scaled& s : scaled_) {
      a[s.node] = s.steps == 0 ? s.a : 0.0;
      b[s.node] = s.steps == 0 ? s.b : 0.0;
    }
    kernels.node_sums(pass(number), a.data(), b.data(), real, imaginary);
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      sums[2 * (number * kOrderBlock + i)] = real[i];
      sums[2 * (number * kOrderBlock + i) + 1] = imaginary[i];
    }
    rescale();
  }
}

void NodeRecurrence::values(const SpreadKernels& kernels, const std::vector<double>& values,
                            std::vector<double>& a, std::vector<double>& b) {
  a.assign(padded_nodes(), 0.0);
  b.assign(padded_nodes(), 0.0);
  double real[kOrderBlock];
  double imaginary[kOrderBlock];
  for (std::size_t number = 0; number < passes_; ++number) {
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      const std::size_t at = 2 * (number * kOrderBlock + i);
      real[i] = at < values.size() ? values[at] : 0.0;
      imaginary[i] = at < values.size() ? values[at + 1] : 0.0;
    }
    for (Scaled& s : scaled_) {
      s.a = a[s.node];
      s.b = b[s.node];
    }
    kernels.node_values(pass(number), real, imaginary, a.data(), b.data());
    for (const Scaled& s : scaled_) {
      if (s.steps == 0) continue;
      a[s.node] = s.a;
      b[s.node] = s.b;
    }
    rescale();
  }
}

}  // namespace leafglyph
