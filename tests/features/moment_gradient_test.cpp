// The gradient of moments: the adjoint of what plans compute.
#include "gpu/moment_gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kGradientSeed = 20261129;

struct Case {
  MomentSpec spec;
  ArraySize size;
};

std::vector<Case> cases() {
  return {{{Family::kZernike, 12, Method::kExact}, 20},
          {{Family::kZernike, 9, Method::kExact}, 17},
          {{Family::kZernike, 30, Method::kSubregion, 1}, 24},
          {{Family::kZernike, 10, Method::kSubregion, 3, {}, Mask::kWhole}, 17},
          {{Family::kPseudoZernike, 8, Method::kGauss, 3}, 18},
          {{Family::kPseudoZernike, 8, Method::kSubregion, 2}, 15},
          {{Family::kBesselFourier, 6, Method::kGauss, 2, {}, Mask::kCentre}, 16},
          {{Family::kBesselFourier, 7, Method::kSubregion, 2, {}, {}, 3}, 16},
          {{Family::kJacobiFourier, 6, Method::kSubregion, 1, {4, 3}}, 16},
          {{Family::kJacobiFourier, 5, Method::kGauss, 3, {2, 2}}, 17},
          {{Family::kExponentFourier, 5, Method::kSubregion, 2}, 16},
          {{Family::kPolarExponent, 6, Method::kSubregion, 1, {2}}, 20},
          {{Family::kPolarCosine, 6, Method::kGauss, 2, {1.5}}, 16},
          {{Family::kPolarSine, 6, Method::kSubregion, 3, {2}}, 16},
          {{Family::kLegendre, 9, Method::kExact}, {14, 9}},
          {{Family::kJacobi, 8, Method::kSubregion, 2, {0.3, 0.7}}, {9, 14}}};
}

// oracle: of every pixel by itself. The moments of an image that is 1 there and 0 elsewhere are the
// kernels' integrals; the gradient is Re(sum of g conj(integral)).
TEST(MomentGradient, IsTheAdjointOfThePlansMoments) {
  for (const Case& one : cases()) {
    const auto plan = make_moment_plan(one.spec, one.size);
    const std::size_t pixels = one.size.elements(), count = plan->moment_count();
    std::vector<double> unit(pixels * pixels, 0.0);
    for (std::size_t p = 0; p < pixels; ++p) unit[p * pixels + p] = 1.0;
    std::vector<std::complex<double>> integrals(pixels * count);
    plan->moments(ImageBatch(std::span<const double>(unit), pixels, one.size), integrals);
    constexpr std::size_t kImages = 3;
    const std::vector<double> parts = random_values(2 * kImages * count, kGradientSeed);
    std::vector<std::complex<double>> gradients;
    for (std::size_t c = 0; c < kImages * count; ++c) {
      gradients.emplace_back(parts[2 * c] - 0.5, parts[2 * c + 1] - 0.5);
    }
    std::vector<double> expected, got(kImages * pixels);
    for (std::size_t b = 0; b < kImages; ++b) {
      for (std::size_t p = 0; p < pixels; ++p) {
        double sum = 0.0;
        for (std::size_t c = 0; c < count; ++c) {
          sum += (gradients[b * count + c] * std::conj(integrals[p * count + c])).real();
        }
        expected.push_back(sum);
      }
    }
    MomentGradient(one.spec, one.size).apply(gradients, got);
    // A few hundred terms in double, both here and there.
    EXPECT_LT(relative_l2(got, expected), 1e-12) << describe(one.spec);
  }
}

// mechanics: what has no gradient says what has one; sizes must be those of whole images.
TEST(MomentGradient, RefusesWhatItCannotTurnRound) {
  const auto refused = [](const MomentSpec& spec, const ArraySize& size) {
    EXPECT_THROW(MomentGradient(spec, size), UsageError) << describe(spec);
  };
  refused({Family::kBesselFourier, 5, Method::kAdaptive}, 16);
  refused({Family::kZernike, 5, Method::kExact, 1, {}, Mask::kCentre}, 16);
  refused({Family::kPolarExponent, 5, Method::kGauss, 2, {2}}, 16);
  refused({Family::kLegendre, 3, Method::kExact}, {8, 8, 8});
  EXPECT_THROW(MomentGradient({Family::kZernike, 200, Method::kExact}, 512), InputError);
  MomentGradient gradient({Family::kZernike, 4, Method::kExact}, 8);
  std::vector<std::complex<double>> gradients(9);
  std::vector<double> image(63);
  EXPECT_THROW(gradient.apply(gradients, image), UsageError);
  image.resize(64);
  EXPECT_THROW(gradient.apply(std::span(gradients).first(8), image), UsageError);
  gradient.apply(gradients, image);
  for (const double value : image) EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace leafglyph
