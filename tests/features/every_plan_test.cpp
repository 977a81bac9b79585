// Every family, method and mask, on every device and in every precision, through the one interface:
// the same claims for all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/bessel_fourier/ring_functions.h"
#include "features/moments/disk_grid.h"
#include "features/moments/jacobi_polynomials.h"
#include "tests/features/toy_family.h"
#include "tests/support/discrete_definition.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

constexpr unsigned kEveryPlanSeed = 20261121;

struct AskedPlan {
  std::string name;
  MomentSpec spec;
  ArraySize size;
  std::vector<const CpuAlgorithm*> algorithms = {};  ///< custom ones, for the CPU
};

const std::vector<AskedPlan> kAsked = {
    {"zernike", {Family::kZernike, 14}, 17},
    {"zernike_k3", {Family::kZernike, 11, Method::kSubregion, 3}, 16},
    {"zernike_k3_whole", {Family::kZernike, 11, Method::kSubregion, 3, {}, Mask::kWhole}, 16},
    {"zernike_gauss", {Family::kZernike, 11, Method::kGauss, 2}, 15},
    {"zernike_gauss_centre", {Family::kZernike, 11, Method::kGauss, 3, {}, Mask::kCentre}, 15},
    {"zernike_exact", {Family::kZernike, 14, Method::kExact}, 14},
    {"zernike_exact_centre", {Family::kZernike, 12, Method::kExact, 1, {}, Mask::kCentre}, 15},
    {"zernike_adaptive", {Family::kZernike, 14, Method::kAdaptive}, 14},
    {"zernike_large", {Family::kZernike, 260}, 128},  // its basis takes more than 512 MiB
    {"pseudo_zernike", {Family::kPseudoZernike, 12}, 17},
    {"pseudo_zernike_whole",
     {Family::kPseudoZernike, 9, Method::kSubregion, 2, {}, Mask::kWhole},
     18},
    {"pseudo_zernike_adaptive", {Family::kPseudoZernike, 12, Method::kAdaptive}, 14},
    {"bessel_fourier", {Family::kBesselFourier, 9}, 17},
    {"bessel_fourier_gauss_centre",
     {Family::kBesselFourier, 7, Method::kGauss, 2, {}, Mask::kCentre},
     16},
    {"bessel_fourier_adaptive", {Family::kBesselFourier, 9, Method::kAdaptive}, 15},
    {"bessel_fourier_low_m", {Family::kBesselFourier, 8, Method::kSubregion, 2, {}, {}, 3}, 14},
    {"bessel_fourier_unequal", {Family::kBesselFourier, 5, Method::kAdaptive, 1, {}, {}, 11}, 14},
    {"fourier_mellin", {Family::kJacobiFourier, 9, Method::kSubregion, 1, {2, 2}}, 17},
    {"chebyshev_fourier_k3_whole",
     {Family::kJacobiFourier, 8, Method::kSubregion, 3, {2, 1.5}, Mask::kWhole},
     24},
    {"jacobi_fourier_gauss_centre",
     {Family::kJacobiFourier, 7, Method::kGauss, 2, {4.7, 3.2}, Mask::kCentre},
     16},
    {"jacobi_fourier_large", {Family::kJacobiFourier, 120, Method::kSubregion, 2, {4, 3}}, 64},
    {"exponent_fourier", {Family::kExponentFourier, 6}, 40},
    {"exponent_fourier_gauss_centre",
     {Family::kExponentFourier, 5, Method::kGauss, 3, {}, Mask::kCentre},
     17},
    {"pcet", {Family::kPolarExponent, 6, Method::kSubregion, 1, {2}}, 40},
    {"pcet_fractional_gauss_centre",
     {Family::kPolarExponent, 5, Method::kGauss, 3, {1.3}, Mask::kCentre},
     17},
    {"pct", {Family::kPolarCosine, 9, Method::kSubregion, 2, {2}}, 24},
    {"pct_large", {Family::kPolarCosine, 110, Method::kSubregion, 2, {2}}, 64},
    {"pst_fractional_whole",
     {Family::kPolarSine, 8, Method::kSubregion, 1, {1.2}, Mask::kWhole},
     17},
    {"legendre", {Family::kLegendre, 14, Method::kExact}, {12, 19}},
    {"legendre_midpoints", {Family::kLegendre, 14, Method::kSubregion, 2}, 16},
    {"jacobi", {Family::kJacobi, 11, Method::kGauss, 3, {0.3, 0.7}}, {15, 11}},
    {"legendre_volume", {Family::kLegendre, 9, Method::kSubregion, 1}, {7, 9, 8}},
    {"jacobi_volume", {Family::kJacobi, 8, Method::kGauss, 2, {-0.5, 0.5}}, {9, 6, 10}},
    {"tchebichef", {Family::kTchebichef, 14, Method::kExact}, {12, 19}},
    {"krawtchouk", {Family::kKrawtchouk, 15, Method::kExact, 1, {0.3, 0.6}}, {15, 11}},
    {"tchebichef_volume", {Family::kTchebichef, 9, Method::kExact}, {7, 9, 8}},
    {"krawtchouk_volume", {Family::kKrawtchouk, 8, Method::kExact, 1, {0.4, 0.4}}, {9, 6, 10}},
    {"toy", {kFourierMellin, 9}, 16, {&kFourierMellinImages}},
    {"toy_gauss", {kFourierMellin, 8, Method::kGauss, 3}, 16, {&kFourierMellinImages}},
};

struct Point {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  double weight = 0.0;
};

// Every kernel at a point, times the factor in front of the integral. Moments are then plain sums
// over points of value times weight times this.
class Kernels {
 public:
  explicit Kernels(const AskedPlan& asked) : asked_(asked), indices_(moment_indices(asked.spec)) {
    const MomentSpec& spec = asked.spec;
    if (spec.family.row().discrete) return;
    if (!is_circular(spec.family)) {
      recurrence_ = std::make_unique<JacobiRecurrence>(spec.weight, spec.order);
      return;
    }
    norms_ = spec.family.row().norms(spec.order);
    for (const auto [n, m] : indices_) {
      radial_.push_back(spec.family.row().radial(spec.weight, n, m));
    }
  }

  /// Conjugated kernels, without the factor in front of the integral if `plain`.
  std::vector<std::complex<double>> at(const Point& p, bool plain) {
    std::vector<std::complex<double>> values(moment_count(asked_.spec, asked_.size));
    if (is_circular(asked_.spec.family)) {
      fill_disk(p, plain, values);
    } else {
      fill_square(p, values);
    }
    return values;
  }

 private:
  void fill_disk(const Point& p, bool plain, std::vector<std::complex<double>>& values) {
    const double rho = std::hypot(p.x, p.y);
    const double theta = std::atan2(p.y, p.x);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const auto [n, m] = indices_[c];
      const double norm = plain ? 1.0 : norms_[static_cast<std::size_t>(std::abs(n))];
      const auto phase = asked_.spec.family.row().phase;
      const double angle = m * theta + (phase == nullptr ? 0.0 : phase(asked_.spec.weight, n, rho));
      values[c] = std::polar(1.0, -angle) * (norm * radial_[c](rho));
    }
  }

  void fill_square(const Point& p, std::vector<std::complex<double>>& values) {
    const int order = asked_.spec.order;
    std::vector<long double> x(static_cast<std::size_t>(order) + 1);
    auto y = x;
    auto z = x;
    if (asked_.spec.family.row().discrete) {
      fill_discrete(p, x, y, z);
    } else {
      recurrence_->evaluate(p.x, x);
      recurrence_->evaluate(p.y, y);
      recurrence_->evaluate(p.z, z);
    }
    for (int n = 0; n <= order; ++n) {
      for (int m = 0; n + m <= order; ++m) {
        const long double plane = x[static_cast<std::size_t>(n)] * y[static_cast<std::size_t>(m)];
        if (!asked_.size.is_volume()) {
          values[moment_position(asked_.spec.family, n, m)] = static_cast<double>(plane);
          continue;
        }
        for (int o = 0; n + m + o <= order; ++o) {
          values[volume_moment_position(n, m, o)] =
              static_cast<double>(plane * z[static_cast<std::size_t>(o)]);
        }
      }
    }
  }

  // The pixel's column, row from the top and slice come back from its coordinates.
  void fill_discrete(const Point& p, std::vector<long double>& x, std::vector<long double>& y,
                     std::vector<long double>& z) const {
    const auto fill = [this](int length, double at, double probability, auto& values) {
      const int pixel = static_cast<int>(std::lround((at * length + length - 1) / 2.0));
      for (int n = 0; n < static_cast<int>(values.size()); ++n) {
        values[static_cast<std::size_t>(n)] =
            n >= length ? 0.0L
            : asked_.spec.family == Family::kTchebichef
                ? tchebichef_by_definition<long double>(n, pixel, length)
                : krawtchouk_by_definition<long double>(probability, n, pixel, length);
      }
    };
    const JacobiWeight& w = asked_.spec.weight;
    fill(asked_.size.width, p.x, w.alpha, x);
    fill(asked_.size.height, -p.y, w.beta, y);
    if (asked_.size.is_volume()) fill(asked_.size.depth, p.z, w.alpha, z);
  }

  AskedPlan asked_;
  std::vector<MomentIndex> indices_;
  std::vector<double> norms_;
  std::vector<std::function<double(double)>> radial_;
  std::unique_ptr<JacobiRecurrence> recurrence_;
};

// Calls use(element number, point) for the points of every element that counts.
template <class Use>
void for_points(const AskedPlan& asked, const PixelQuadrature& rule, const Use& use) {
  const ArraySize& size = asked.size;
  const bool circular = is_circular(asked.spec.family);
  const Image<unsigned char> mask = circular ? DiskGrid(size.width, asked.spec).mask()
                                             : Image<unsigned char>(size.width, size.height, 1);
  const JacobiWeight& w = asked.spec.weight;
  const auto jacobi = [&w](double t) { return std::pow(1 - t, w.alpha) * std::pow(1 + t, w.beta); };
  const int last = size.is_volume() ? rule.points() : 1;
  for (int k = 0; k < size.slices(); ++k) {
    for (int j = 0; j < size.height; ++j) {
      for (int i = 0; i < size.width; ++i) {
        if (mask.at(j, i) == 0) continue;
        const std::size_t element =
            (static_cast<std::size_t>(k) * size.height + j) * size.width + i;
        for (int s = 0; s < rule.points() * rule.points() * last; ++s) {
          const auto node = [&rule](int number) { return static_cast<double>(rule.nodes[number]); };
          const auto weight = [&rule](int number) {
            return static_cast<double>(rule.weights[number]);
          };
          const int a = s % rule.points();
          const int b = s / rule.points() % rule.points();
          const int c = s / rule.points() / rule.points();
          Point p;
          p.x = (2 * i + 1 - size.width + node(a)) / size.width;
          p.y = (size.height - 1 - 2 * j + node(b)) / size.height;
          p.weight = weight(a) * weight(b) / size.width / size.height;
          if (size.is_volume()) {
            p.z = (2 * k + 1 - size.depth + node(c)) / size.depth;
            p.weight *= weight(c) / size.depth * jacobi(p.z);
          }
          if (circular && p.x * p.x + p.y * p.y > kDiskSquare) continue;
          if (!circular) p.weight *= jacobi(p.x) * jacobi(p.y);
          if (asked.spec.family.row().discrete) p.weight = 1.0;
          use(element, p);
        }
      }
    }
  }
}

struct Run {
  AskedPlan asked;
  DeviceChoice::Kind device;
  Precision precision;
};

std::ostream& operator<<(std::ostream& stream, const Run& run) {
  return stream << describe(run.asked.spec) << " of " << describe(run.asked.size);
}

// Every plan on the CPU and, if this machine has one, on the GPU.
std::vector<Run> runs() {
  std::vector<Run> all;
  for (const AskedPlan& asked : kAsked) {
    for (const auto device : {DeviceChoice::Kind::kCpu, DeviceChoice::Kind::kCuda}) {
      const bool cuda = device == DeviceChoice::Kind::kCuda;
      if (cuda && (gpu::find_gpus().devices.empty() || !asked.algorithms.empty())) continue;
      for (const auto precision : {Precision::kDouble, Precision::kFloat}) {
        all.push_back({asked, device, precision});
      }
    }
  }
  return all;
}

class EveryPlan : public ::testing::TestWithParam<Run> {
 protected:
  static const MomentSpec& spec() { return GetParam().asked.spec; }
  static const ArraySize& size() { return GetParam().asked.size; }
  static std::size_t elements() { return size().elements(); }
  static std::unique_ptr<MomentPlan> plan(const MomentSpec& of = spec()) {
    return plan(of, GetParam().device, GetParam().precision);
  }
  static std::unique_ptr<MomentPlan> plan(const MomentSpec& of, DeviceChoice::Kind device,
                                          Precision precision) {
    PlanOptions options = options_for(device, precision);
    options.algorithms = GetParam().asked.algorithms;
    return make_moment_plan(of, size(), options);
  }
  // Whether kernels have no limit at the centre of the disk.
  static bool has_no_centre() {
    return is_circular(spec().family) && spec().family != Family::kBesselFourier &&
           has_ring_functions(spec().family);
  }
  // Rounding of a few hundred terms in double, or the float error stated at Precision.
  static double tolerance() { return GetParam().precision == Precision::kDouble ? 1e-12 : 7e-6; }

  static std::vector<std::complex<double>> random_moments(std::size_t count) {
    std::mt19937 generator(kEveryPlanSeed + 1);
    std::normal_distribution<double> normal;
    std::vector<std::complex<double>> moments(count * moment_count(spec(), size()));
    for (auto& moment : moments) {
      moment = {normal(generator), is_circular(spec().family) ? normal(generator) : 0.0};
    }
    if (!is_circular(spec().family)) return moments;
    const auto indices = moment_indices(spec());
    for (std::size_t i = 0; i < moments.size(); ++i) {
      if (indices[i % indices.size()].m == 0) moments[i].imag(0.0);
    }
    return moments;
  }

  // Plain sums over the points of the spec's rule. Exact and adaptive methods use so many Gauss
  // points that the sums have converged.
  static std::vector<std::complex<double>> plain_sums(const std::vector<double>& values) {
    const bool sampled = spec().method == Method::kSubregion || spec().method == Method::kGauss;
    const PixelQuadrature rule = sampled ? pixel_quadrature(spec().method, spec().points)
                                 : spec().family.row().discrete ? midpoint_rule(1)
                                                                : gauss_legendre_rule(16);
    Kernels kernels(GetParam().asked);
    std::vector<std::complex<double>> sums(moment_count(spec(), size()));
    for_points(GetParam().asked, rule, [&](std::size_t element, const Point& p) {
      const auto kernel = kernels.at(p, /*plain=*/false);
      for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] += values[element] * p.weight * kernel[c];
    });
    return sums;
  }

  static std::vector<double> image() {
    auto values = random_values(elements(), kEveryPlanSeed);
    if (spec().method == Method::kAdaptive) {
      // Where the kernels of two families are not smooth, the plain sum does not converge.
      const int n = size().width;
      for (int j = (n - 1) / 2; j <= n / 2; ++j) {
        for (int i = (n - 1) / 2; i <= n / 2; ++i) values[j * n + i] = 0.0;
      }
    }
    if (spec().method == Method::kExact && mask_of(spec()) == Mask::kCentre) {
      // Nor does it where the circle cuts a pixel; separable_zernike_test.cpp has an oracle for
      // that.
      const DiskGrid whole(size().width, Mask::kWhole);
      for (std::size_t p = 0; p < values.size(); ++p) values[p] *= whole.mask().data()[p];
    }
    return values;
  }
};

// oracle: the definition as a plain sum
TEST_P(EveryPlan, MomentsArePlainSums) {
  if (spec().order > 100) GTEST_SKIP() << "the plain sum of so many moments takes minutes";
  const auto values = image();
  // adaptive points are chosen for 1e-5 (octant_points.h) and 1e-8 (adaptive_rules.h)
  const double allowed = spec().method == Method::kAdaptive ? 1e-5 : tolerance();
  EXPECT_LT(relative_l2(moments_of(*plan(), values), plain_sums(values)), allowed);
}

// oracle: the sum of its terms at every pixel centre
TEST_P(EveryPlan, ImagesAreTheSumsOfTheirTerms) {
  if (spec().order > 100) GTEST_SKIP() << "the plain sum of so many moments takes minutes";
  const auto moments = random_moments(1);
  Kernels kernels(GetParam().asked);
  std::vector<double> expected(elements(), 0.0);
  const auto indices = moment_indices(spec());
  for_points(GetParam().asked, midpoint_rule(1), [&](std::size_t element, const Point& p) {
    const auto kernel = kernels.at(p, /*plain=*/true);
    for (std::size_t c = 0; c < kernel.size(); ++c) {
      const bool twice = is_circular(spec().family) && indices[c].m > 0;
      expected[element] += (twice ? 2.0 : 1.0) * (moments[c] * std::conj(kernel[c])).real();
    }
  });
  EXPECT_LT(relative_l2(image_of(*plan(), moments, top_order(spec())), expected), tolerance());
}

// agreement: moments and images on every device equal those of the CPU in double
TEST_P(EveryPlan, DevicesAgree) {
  const auto on_cpu = plan(spec(), DeviceChoice::Kind::kCpu, Precision::kDouble);
  const auto here = plan();
  const auto values = random_values(elements(), kEveryPlanSeed);
  const auto moments = moments_of(*on_cpu, values);
  EXPECT_LT(relative_l2(moments_of(*here, values), moments), tolerance());
  const int top = top_order(spec());
  EXPECT_LT(relative_l2(image_of(*here, moments, top), image_of(*on_cpu, moments, top)),
            tolerance());
}

// invariant: a smooth image is reconstructed from its moments, better with every order
TEST_P(EveryPlan, RoundTripsConverge) {
  std::vector<double> smooth(elements(), 0.0);
  for_points(GetParam().asked, midpoint_rule(1), [&](std::size_t element, const Point& p) {
    smooth[element] = std::exp(-3.0 * ((p.x - 0.2) * (p.x - 0.2) + p.y * p.y + p.z * p.z));
  });
  double before = std::numeric_limits<double>::infinity();
  // Low orders, for which a dozen pixels are enough.
  for (const int order : {1, 2, 4}) {
    MomentSpec low = spec();
    low.order = order;
    if (low.angular_order) low.angular_order = order;
    if (has_no_centre()) {  // the few pixels around it are not enough
      low.method = Method::kGauss;
      low.points = 8;
    }
    const auto own = plan(low);
    const double error = relative_l2(image_of(*own, moments_of(*own, smooth), order), smooth);
    EXPECT_LT(error, before) << order;
    before = error;
  }
  EXPECT_LT(before, 0.5);  // without any reconstruction it would be 1
}

// agreement: batches and single images, pixel types, magnitudes and moments
TEST_P(EveryPlan, BatchesAreTheirImages) {
  const std::size_t count = 5;
  const auto here = plan();
  std::mt19937 generator(kEveryPlanSeed + 2);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<unsigned char> bytes(count * elements());
  for (auto& byte : bytes) byte = static_cast<unsigned char>(grey(generator));
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  const auto moments = moments_of(*here, doubles);
  std::vector<std::complex<double>> other(moments.size());
  here->moments(ImageBatch(bytes, count, size()), other);
  EXPECT_LT(relative_l2(other, moments), tolerance());
  here->moments(ImageBatch(floats, count, size()), other);
  EXPECT_LT(relative_l2(other, moments), tolerance());
  std::vector<std::uint16_t> words(bytes.begin(), bytes.end());
  here->moments(ImageBatch(words, count, size()), other);
  EXPECT_LT(relative_l2(other, moments), tolerance());
  for (auto& word : words) word = static_cast<std::uint16_t>(257 * word);  // up to 65535
  here->moments(ImageBatch(words, count, size()), other);
  for (auto& moment : other) moment /= 257.0;
  EXPECT_LT(relative_l2(other, moments), tolerance());
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<double> one(doubles.begin() + b * elements(),
                                  doubles.begin() + (b + 1) * elements());
    const std::vector<std::complex<double>> row(moments.begin() + b * here->moment_count(),
                                                moments.begin() + (b + 1) * here->moment_count());
    EXPECT_LT(relative_l2(moments_of(*here, one), row), tolerance()) << b;
  }
  std::vector<float> magnitudes(moments.size());
  here->magnitudes(ImageBatch(doubles, count, size()), magnitudes);
  std::vector<double> expected;
  expected.reserve(moments.size());
  for (const auto& moment : moments) expected.push_back(std::abs(moment));
  EXPECT_LT(relative_l2(magnitudes, expected), std::max(tolerance(), 1e-7));  // these are floats
}

// agreement: images of a batch and one by one; disjoint orders and repetitions add up
TEST_P(EveryPlan, ImagesAddUp) {
  const std::size_t count = 3;
  const auto here = plan();
  const int top = top_order(spec());
  const auto moments = random_moments(count);
  const auto images = image_of(*here, moments, top);
  for (std::size_t b = 0; b < count; ++b) {
    const std::span one(moments.data() + b * here->moment_count(), here->moment_count());
    const std::vector<double> expected(images.begin() + b * elements(),
                                       images.begin() + (b + 1) * elements());
    EXPECT_LT(relative_l2(image_of(*here, one, top), expected), tolerance()) << b;
  }
  const bool circular = is_circular(spec().family);
  std::vector<MomentSelection> parts{{0, top / 2, Repetitions::kAll}};
  if (circular) {
    parts.push_back({top / 2 + 1, top, Repetitions::kZero});
    parts.push_back({top / 2 + 1, top, Repetitions::kPositive});
    parts.push_back({top / 2 + 1, top, Repetitions::kNegative});
  } else {
    parts.push_back({top / 2 + 1, top, Repetitions::kAll});
  }
  std::vector<double> sum(images.size(), 0.0);
  std::vector<double> part(images.size());
  for (const MomentSelection& selection : parts) {
    here->reconstruct(moments, selection, part);
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += part[p];
  }
  EXPECT_LT(relative_l2(sum, images), tolerance());
}

// invariant: the moments of lower orders are a prefix and give the same image
TEST_P(EveryPlan, LowerOrdersArePrefixes) {
  if (spec().angular_order) GTEST_SKIP() << "two orders have no single lower one";
  MomentSpec low = spec();
  low.order = std::max(1, spec().order / 2);
  const auto values = random_values(elements(), kEveryPlanSeed);
  const auto high_plan = plan();
  const auto low_plan = plan(low);
  const auto high = moments_of(*high_plan, values);
  const auto own = moments_of(*low_plan, values);
  const std::vector<std::complex<double>> prefix(high.begin(), high.begin() + own.size());
  // the order determines the adaptive points
  const double allowed = spec().method == Method::kAdaptive ? 1e-5 : tolerance();
  EXPECT_LT(relative_l2(own, prefix), allowed);
  EXPECT_LT(
      relative_l2(image_of(*low_plan, prefix, low.order), image_of(*high_plan, high, low.order)),
      tolerance());
}

// invariant: a quarter turn of the pixels multiplies by e^(-i m pi/2), a mirror image by (-1)^m and
// conjugates; where radial functions are complex, it is the conjugate of the moment of -n
TEST_P(EveryPlan, QuarterTurnsAndMirrorsChangeThePhase) {
  if (!is_circular(spec().family)) GTEST_SKIP() << "has no angle";
  const auto side = static_cast<std::size_t>(size().width);
  const auto values = image();
  std::vector<double> turned(values.size());
  std::vector<double> mirrored(values.size());
  for (std::size_t j = 0; j < side; ++j) {
    for (std::size_t i = 0; i < side; ++i) {
      turned[(side - 1 - i) * side + j] = values[j * side + i];
      mirrored[j * side + side - 1 - i] = values[j * side + i];
    }
  }
  const auto here = plan();
  const auto moments = moments_of(*here, values);
  auto after_turn = moments;
  auto after_mirror = moments;
  const auto indices = moment_indices(spec());
  const std::complex<double> quarter[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  for (std::size_t c = 0; c < moments.size(); ++c) {
    after_turn[c] *= quarter[indices[c].m % 4];
    const bool complex = spec().family.row().phase != nullptr;
    const std::size_t from = complex ? moment_position(spec(), -indices[c].n, indices[c].m) : c;
    after_mirror[c] = (indices[c].m % 2 == 0 ? 1.0 : -1.0) * std::conj(moments[from]);
  }
  EXPECT_LT(relative_l2(moments_of(*here, turned), after_turn), tolerance());
  EXPECT_LT(relative_l2(moments_of(*here, mirrored), after_mirror), tolerance());
}

// mechanics: arrays that do not fit are refused, and an invalid value is reported with its position
TEST_P(EveryPlan, BadArgumentsAreRefused) {
  const auto here = plan();
  auto values = random_values(elements(), kEveryPlanSeed);
  std::vector<std::complex<double>> moments(here->moment_count());
  EXPECT_THROW(here->moments(ImageBatch(values, 0, size()), {}), UsageError);
  EXPECT_THROW(here->moments(ImageBatch(values, 1, {size().width, size().height + 1}), moments),
               UsageError);
  EXPECT_THROW(here->moments(ImageBatch(values, 1, size()), std::span(moments).first(1)),
               UsageError);
  const int top = top_order(spec());
  EXPECT_THROW(here->reconstruct(moments, {0, top + 1}, values), UsageError);
  EXPECT_THROW(here->reconstruct(moments, {2, 1}, values), UsageError);
  EXPECT_THROW(here->reconstruct(moments, {0, top}, std::span(values).first(1)), UsageError);
  EXPECT_THROW(here->reconstruct(std::span(moments).first(1), {0, top}, values), UsageError);
  if (!is_circular(spec().family)) {
    EXPECT_THROW(here->reconstruct(moments, {0, top, Repetitions::kZero}, values), UsageError);
  }
  moments.front() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(here->reconstruct(moments, {0, top}, values), InputError);
  values = random_values(elements(), kEveryPlanSeed);
  const int row = size().height / 2;
  const int column = size().width / 2 + 1;
  values[static_cast<std::size_t>(row) * size().width + column] =
      std::numeric_limits<double>::quiet_NaN();
  const std::string place = "row " + std::to_string(row) + ", column " + std::to_string(column);
  EXPECT_TRUE(testing::refuses<InputError>(
      [&] { here->moments(ImageBatch(values, 1, size()), moments); }, place));
}

INSTANTIATE_TEST_SUITE_P(All, EveryPlan, ::testing::ValuesIn(runs()),
                         [](const ::testing::TestParamInfo<Run>& info) {
                           return info.param.asked.name +
                                  (info.param.device == DeviceChoice::Kind::kCpu ? "_cpu_"
                                                                                 : "_cuda_") +
                                  precision_name(info.param.precision);
                         });

}  // namespace
}  // namespace leafglyph
