#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/plan/error_curve.h"
#include "features/zernike/polar_transform.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refuses;

constexpr unsigned kReconstructSeed = 20240603;

std::vector<std::complex<double>> random_moments(Family family, int order, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<std::complex<double>> moments;
  for (const auto& [n, m] : moment_indices(family, order)) {
    const double real = normal(generator);
    moments.emplace_back(real, m == 0 ? 0.0 : normal(generator));
  }
  return moments;
}

// The definition at every pixel centre of the mask, in long double.
std::vector<double> plain_sum(const MomentSpec& spec, int size,
                              const std::vector<std::complex<double>>& moments,
                              const Image<unsigned char>& mask, const MomentSelection& selection) {
  std::vector<double> image(mask.size(), 0.0);
  const auto indices = moment_indices(spec.family, spec.order);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (mask.at(j, i) == 0) continue;
      const long double x = (2.0L * i + 1 - size) / size;
      const long double y = (size - 1 - 2.0L * j) / size;
      const auto radial = oracle::radial_table(spec.family, spec.order, std::sqrt(x * x + y * y));
      const long double theta = std::atan2(y, x);
      long double sum = 0.0L;
      for (std::size_t c = 0; c < indices.size(); ++c) {
        const auto [n, m] = indices[c];
        if (n < selection.first_order || n > selection.last_order) continue;
        const long double term =
            radial[n][m] * (static_cast<long double>(moments[c].real()) * std::cos(m * theta) -
                            static_cast<long double>(moments[c].imag()) * std::sin(m * theta));
        const bool zero = m == 0;
        switch (selection.repetitions) {
          case Repetitions::kAll:
            sum += zero ? term : 2 * term;
            break;
          case Repetitions::kZero:
            sum += zero ? term : 0.0L;
            break;
          case Repetitions::kNonNegative:
          case Repetitions::kNonPositive:
            sum += term;
            break;
          default:
            sum += zero ? 0.0L : term;
        }
      }
      image[static_cast<std::size_t>(j) * size + i] = static_cast<double>(sum);
    }
  }
  return image;
}

std::vector<double> reconstruct(MomentPlan& plan, const std::vector<std::complex<double>>& moments,
                                const MomentSelection& selection) {
  std::vector<double> image(plan.mask().size(), -1.0);
  plan.reconstruct(moments, selection, image);
  return image;
}

// oracle: the definition
TEST(Reconstruct, IsTheSumOfTheDefinition) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const Method method : {Method::kSubregion, Method::kExact}) {
      if (method == Method::kExact && family == Family::kPseudoZernike) continue;
      for (const int size : {2, 15, 24}) {
        for (const int order : {0, 1, 7, 45}) {
          const MomentSpec spec{family, order, method};
          const auto moments = random_moments(family, order, kReconstructSeed);
          const auto plan = cpu_plan(spec, size);
          for (const MomentSelection& selection :
               {MomentSelection{0, order, Repetitions::kAll},
                MomentSelection{order / 2, order, Repetitions::kPositive},
                MomentSelection{0, order, Repetitions::kNonPositive},
                MomentSelection{0, order / 2, Repetitions::kZero}}) {
            const auto expected = plain_sum(spec, size, moments, plan->mask(), selection);
            double norm = 0.0;
            for (const double v : expected) norm = std::max(norm, std::abs(v));
            const auto got = reconstruct(*plan, moments, selection);
            for (std::size_t p = 0; p < got.size(); ++p) {
              // 1e-12 of the largest value, and of 1 where all selected moments vanish
              ASSERT_NEAR(got[p], expected[p], 1e-12 * std::max(norm, 1.0))
                  << describe(spec) << " N=" << size << " pixel " << p;
            }
          }
        }
      }
    }
  }
}

// invariant: disjoint sets add up to the whole; both signs of m give the same image
TEST(Reconstruct, PartsAddUp) {
  const int size = 40;
  const int order = 60;
  const auto moments = random_moments(Family::kZernike, order, kReconstructSeed + 1);
  const auto plan = cpu_plan({Family::kZernike, order}, size);
  const auto all = reconstruct(*plan, moments, {0, order, Repetitions::kAll});
  std::vector<double> sum(all.size(), 0.0);
  const auto add = [&](const MomentSelection& selection) {
    auto part = reconstruct(*plan, moments, selection);
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += part[p];
    return part;
  };
  add({0, 20, Repetitions::kAll});
  add({21, 21, Repetitions::kAll});
  add({22, order, Repetitions::kZero});
  const auto positive = add({22, order, Repetitions::kPositive});
  const auto negative = add({22, order, Repetitions::kNegative});
  EXPECT_EQ(positive, negative);
  EXPECT_LT(relative_l2(sum, all), 1e-13);  // rounding of sums of 961 terms
}

// agreement: a smooth image is reconstructed from its own moments
TEST(Reconstruct, BringsASmoothImageBack) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    const int size = 128;
    std::vector<double> image(static_cast<std::size_t>(size) * size);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        const double x = (2.0 * i + 1 - size) / size;
        const double y = (size - 1 - 2.0 * j) / size;
        image[static_cast<std::size_t>(j) * size + i] =
            128 + 100 * std::exp(-30 * ((x - 0.2) * (x - 0.2) + y * y));
      }
    }
    const MomentSpec spec{family, 40, Method::kGauss, 4};
    const PlanOptions options = options_for(DeviceChoice::Kind::kCpu);
    const auto plan = make_moment_plan(spec, size, options);
    const auto moments = moments_of(*plan, image);
    const auto back = reconstruct(*plan, moments, {0, 40, Repetitions::kAll});
    const ImageError error = image_error(image, back, plan->mask());
    EXPECT_GT(error.psnr_disk, 30.0) << family_name(family);  // the limit is the jagged rim
    EXPECT_GT(structural_similarity(image, back, plan->mask()), 0.9);
  }
}

// oracle: one wrong pixel
TEST(ImageQuality, OneWrongPixelIsWhatItIs) {
  const int size = 16;
  const auto plan = cpu_plan({Family::kZernike, 2}, size);
  const auto& mask = plan->mask();
  std::vector<double> a(mask.size(), 100.0);
  std::vector<double> b(a);
  b[8 * size + 8] = 110.0;
  b[0] = 0.0;  // outside the disk: not counted
  std::size_t inside = 0;
  for (const unsigned char m : mask.pixels()) inside += m;
  const ImageError error = image_error(a, b, mask);
  EXPECT_DOUBLE_EQ(error.mse_whole, 100.0 / (size * size));
  EXPECT_DOUBLE_EQ(error.mse_disk, 100.0 / static_cast<double>(inside));
  EXPECT_DOUBLE_EQ(error.psnr_whole, 10 * std::log10(255.0 * 255.0 * size * size / 100.0));
  b[8 * size + 8] = 300.0;  // clipped to 255
  EXPECT_DOUBLE_EQ(image_error(a, b, mask).mse_whole, 155.0 * 155.0 / (size * size));
  EXPECT_EQ(image_error(a, a, mask).psnr_whole, std::numeric_limits<double>::infinity());
  // 1e-12: rounding of the windows' sums
  EXPECT_NEAR(structural_similarity(a, a, mask), 1.0, 1e-12);
  EXPECT_LT(structural_similarity(a, b, mask), 0.9);
}

// oracle: with one value off by 0.4 and one by 0.6, samples that are integers differ by 0 and 1,
// values and floats by 0.4 and 0.6
TEST(ImageQuality, ComparesWholeSamplesUnlessAskedNotTo) {
  const int size = 12;
  const Image<unsigned char> mask(size, size, 1);
  const double pixels = size * size;
  const std::vector<double> reference(mask.size(), 100.0);
  std::vector<double> image(reference);
  image[5] = 100.4;
  image[17] = 99.4;
  const double apart = (0.4 * 0.4 + 0.6 * 0.6) / pixels;
  const SampleRange bytes = full_range(SampleDepth::k8Bit);
  const SampleRange words = full_range(SampleDepth::k16Bit);
  const SampleRange floats = full_range(SampleDepth::kFloat);
  // 1e-15: rounding of 100.4 and 99.4
  EXPECT_EQ(image_error(reference, image, mask, bytes).mse_whole, 1.0 / pixels);
  EXPECT_EQ(image_error(reference, image, mask, words).mse_disk, 1.0 / pixels);
  EXPECT_EQ(image_error(reference, image, mask, bytes).psnr_whole,
            10 * std::log10(255.0 * 255.0 * pixels));
  EXPECT_NEAR(image_error(reference, image, mask, bytes, Rounding::kNone).mse_whole, apart, 1e-15);
  EXPECT_NEAR(image_error(reference, image, mask, floats).mse_whole, apart, 1e-15);
  image[17] = 100.0;
  EXPECT_EQ(structural_similarity(reference, image, mask, bytes),
            structural_similarity(reference, reference, mask, bytes));
  EXPECT_LT(structural_similarity(reference, image, mask, bytes, Rounding::kNone),
            structural_similarity(reference, reference, mask, bytes));
}

// oracle: two constant images, by the formula: (2 a b + C1) / (a^2 + b^2 + C1)
TEST(ImageQuality, SimilarityOfConstantImages) {
  const int size = 11;
  const Image<unsigned char> mask(size, size, 1);
  const std::vector<double> a(mask.size(), 50.0);
  const std::vector<double> b(mask.size(), 100.0);
  const double c1 = 2.55 * 2.55;
  EXPECT_NEAR(structural_similarity(a, b, mask), (2 * 5000 + c1) / (12500 + c1), 1e-9);
}

// regression: pixels without a value outside the mask made it nan
TEST(ImageQuality, SimilarityTakesNoNumberOutsideTheMask) {
  const int size = 16;
  Image<unsigned char> mask(size, size, 1);
  mask.pixels()[3] = mask.pixels()[200] = 0;
  std::vector<double> a = random_image(size, kReconstructSeed + 3);
  std::vector<double> b = random_image(size, kReconstructSeed + 4);
  a[3] = a[200] = 0.0;
  const double expected = structural_similarity(a, b, mask);
  a[3] = std::numeric_limits<double>::quiet_NaN();
  a[200] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(structural_similarity(a, b, mask), expected);
}

// agreement: the running sums equal separate reconstructions
TEST(ImageQuality, CurveIsThatOfSeparateReconstructions) {
  const int size = 32;
  const auto image = random_image(size, kReconstructSeed + 2);
  const MomentSpec spec{Family::kZernike, 40, Method::kExact};
  const PlanOptions options = options_for(DeviceChoice::Kind::kCpu);
  const auto plan = make_moment_plan(spec, size, options);
  const auto moments = moments_of(*plan, image);
  const std::vector<int> orders{0, 3, 10, 40};
  std::vector<double> last(image.size());
  const auto curve = error_by_order(*plan, moments, image, orders, last);
  ASSERT_EQ(curve.size(), orders.size());
  for (const OrderError& point : curve) {
    const auto one = reconstruct(*plan, moments, {0, point.order, Repetitions::kAll});
    // 1e-9 dB: sums in a different order
    EXPECT_NEAR(point.error.psnr_whole, image_error(image, one, plan->mask()).psnr_whole, 1e-9);
  }
  EXPECT_GT(curve.back().error.psnr_whole, curve.front().error.psnr_whole);
  const std::string csv = error_curve_csv(curve);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_THROW(error_by_order(*plan, moments, image, std::vector<int>{5, 4}, last), UsageError);
}

// mechanics: what is refused, and how.
TEST(Reconstruct, BadSelectionsAreRefused) {
  const auto moments = random_moments(Family::kZernike, 10, kReconstructSeed);
  const auto plan = cpu_plan({Family::kZernike, 10}, 16);
  std::vector<double> image(256);
  const auto run = [&](int a, int b) {
    plan->reconstruct(moments, {a, b, Repetitions::kAll}, image);
  };
  EXPECT_THROW(run(-1, 4), UsageError);
  EXPECT_THROW(run(5, 4), UsageError);
  EXPECT_THROW(run(0, 11), UsageError);
  EXPECT_THROW(plan->reconstruct(moments, {0, 10}, std::span(image).first(5)), UsageError);
  auto broken = moments;
  broken[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(plan->reconstruct(broken, {0, 10}, image), InputError);
  EXPECT_THROW(from_name<Repetitions>("odd"), UsageError);
  EXPECT_THROW(make_polar_backward({Family::kBesselFourier, 4}, 8), UsageError);
}

// mechanics: a moment that is not a number is reported where it is selected, and has no effect
// elsewhere.
TEST(Reconstruct, OnlySelectedMomentsMustBeNumbers) {
  auto moments = random_moments(Family::kZernike, 10, kReconstructSeed);
  const auto plan = cpu_plan({Family::kZernike, 10}, 16);
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> clean(256);
  plan->reconstruct(moments, {3, 6}, clean);
  moments[moment_position(Family::kZernike, 2, 2)] = none;
  moments[moment_position(Family::kZernike, 7, 1)] = {0.0, none};
  std::vector<double> image(256);
  plan->reconstruct(moments, {3, 6}, image);
  EXPECT_EQ(image, clean);
  EXPECT_TRUE(refuses<InputError>(
      [&] {
        plan->reconstruct(moments, {3, 10}, image);
      },
      "n = 7, m = 1"));
}

// agreement: Bessel-Fourier, Legendre and Jacobi moments through the same interface, order by order
TEST(Reconstruct, OtherFamiliesAddUpByOrder) {
  const int size = 24;
  const auto image = random_image(size, kReconstructSeed + 9);
  for (const MomentSpec& spec : {MomentSpec{Family::kBesselFourier, 12, Method::kAdaptive},
                                 MomentSpec{Family::kLegendre, 23, Method::kExact},
                                 MomentSpec{Family::kJacobi, 23, Method::kExact, 1, {0.3, 0.7}}}) {
    const PlanOptions options = options_for(DeviceChoice::Kind::kCpu);
    const auto plan = make_moment_plan(spec, size, options);
    const auto moments = moments_of(*plan, image);
    std::vector<double> low(image.size());
    std::vector<double> high(image.size());
    std::vector<double> whole(image.size());
    plan->reconstruct(moments, {0, 9, Repetitions::kAll}, low);
    plan->reconstruct(moments, {10, spec.order, Repetitions::kAll}, high);
    plan->reconstruct(moments, {0, spec.order, Repetitions::kAll}, whole);
    const MomentSpec to_nine{spec.family, 9, spec.method, 1, spec.weight};
    std::vector<double> expected(image.size());
    const std::vector<std::complex<double>> prefix(moments.begin(),
                                                   moments.begin() + moment_count(spec.family, 9));
    make_moment_plan(to_nine, size, options)
        ->reconstruct(prefix, {0, 9, Repetitions::kAll}, expected);
    EXPECT_LT(relative_l2(low, expected), 1e-12) << describe(spec);  // rounding of 300 terms
    for (std::size_t p = 0; p < low.size(); ++p) low[p] += high[p];
    EXPECT_LT(relative_l2(low, whole), 1e-12) << describe(spec);
    EXPECT_LT(image_error(image, whole, plan->mask()).mse_disk,
              image_error(image, expected, plan->mask()).mse_disk);
    if (!is_circular(spec.family)) {
      EXPECT_THROW(plan->reconstruct(moments, {0, 9, Repetitions::kZero}, low), UsageError);
    }
  }
}

}  // namespace
}  // namespace leafglyph
