// Separation of variables as the transform of a plan: batches, pixel types, interruption, memory.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/separable/recurrence_moments.h"
#include "features/separable/separable_image.h"
#include "features/separable/separable_transform.h"
#include "tests/support/disk_oracle.h"
#include "tests/support/heap_use.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeparableTransformSeed = 20260801;

using Moments = std::vector<std::complex<double>>;

std::string rule_text(const DiskRule& rule) {
  return "N = " + std::to_string(rule.size) + ", " +
         describe({Family::kZernike, rule.order, rule.method, rule.points, {}, rule.mask});
}

template <class T>
std::vector<T> integers(std::size_t count) {
  std::mt19937 generator(kSeparableTransformSeed);
  std::vector<T> pixels(count);
  for (T& pixel : pixels) pixel = static_cast<T>(generator() & 255U);
  return pixels;
}

struct SeparableKind {
  DiskRule rule;
  Precision precision;
};
// Tables in float and double, and recurrences.
const SeparableKind kKinds[] = {
    {{40, 20, Method::kSubregion, 1, Mask::kCentre}, Precision::kFloat},
    {{41, 33, Method::kExact, 1, Mask::kCentre}, Precision::kFloat},
    {{40, 20, Method::kGauss, 2, Mask::kWhole}, Precision::kDouble},
    {{300, 40, Method::kSubregion, 1, Mask::kCentre}, Precision::kFloat},
    {{64, 150, Method::kExact, 1, Mask::kWhole}, Precision::kDouble},
};

PlanRequest request_of(const SeparableKind& kind) {
  const DiskRule& rule = kind.rule;
  return {{Family::kZernike, rule.order, rule.method, rule.points, {}, rule.mask},
          rule.size,
          kind.precision};
}

std::shared_ptr<ForwardTransform> transform_of(const SeparableKind& kind) {
  const PlanRequest request = request_of(kind);
  return separable_row(request).moments.make(request);
}

class ThreadsRestored {
 public:
  ThreadsRestored() : before_(thread_count()) {}
  ~ThreadsRestored() { set_thread_count(before_); }

 private:
  int before_;
};

// invariant: neither the split of the batch nor the number of threads changes a bit
TEST(SeparableTransform, ResultsDependOnTheImageAlone) {
  const ThreadsRestored restored;
  for (const SeparableKind& kind : kKinds) {
    const std::size_t count = kind.rule.order > 100 ? 5 : 61;
    const auto size = static_cast<std::size_t>(kind.rule.size);
    const auto pixels = integers<unsigned char>(count * size * size);
    const ImageBatch batch(pixels, count, kind.rule.size);
    const std::size_t length = moment_count(Family::kZernike, kind.rule.order);
    set_thread_count(1);
    const auto plan = transform_of(kind);
    Moments expected(count * length);
    plan->compute_moments(batch, expected);
    for (const int threads : {1, 2, 5}) {
      set_thread_count(threads);
      Moments all(count * length);
      plan->compute_moments(batch, all);
      EXPECT_EQ(all, expected) << rule_text(kind.rule) << " " << threads << " threads";
      Moments parts(count * length);
      for (std::size_t first = 0; first < count;) {
        const std::size_t part = std::min<std::size_t>(1 + first % 7, count - first);
        plan->compute_moments(batch.slice(first, part),
                              std::span(parts).subspan(first * length, part * length));
        first += part;
      }
      EXPECT_EQ(parts, expected) << rule_text(kind.rule) << " " << threads << " threads, in parts";
    }
  }
}

// invariant: magnitudes are those of the moments; for whole numbers the pixel type does not matter
TEST(SeparableTransform, MagnitudesAndPixelTypesAgree) {
  for (const SeparableKind& kind : kKinds) {
    const std::size_t count = 3;
    const auto pixels = static_cast<std::size_t>(kind.rule.size) * kind.rule.size;
    const auto bytes = integers<unsigned char>(count * pixels);
    const auto words = integers<std::uint16_t>(count * pixels);
    const auto floats = integers<float>(count * pixels);
    const auto doubles = integers<double>(count * pixels);
    const auto plan = transform_of(kind);
    const std::size_t length = count * moment_count(Family::kZernike, kind.rule.order);
    Moments a(length);
    Moments b(length);
    Moments c(length);
    Moments d(length);
    plan->compute_moments(ImageBatch(bytes, count, kind.rule.size), a);
    plan->compute_moments(ImageBatch(floats, count, kind.rule.size), b);
    plan->compute_moments(ImageBatch(doubles, count, kind.rule.size), c);
    plan->compute_moments(ImageBatch(words, count, kind.rule.size), d);
    EXPECT_EQ(a, b) << rule_text(kind.rule);
    EXPECT_EQ(a, c) << rule_text(kind.rule);
    EXPECT_EQ(a, d) << rule_text(kind.rule);
    std::vector<float> magnitudes(length);
    plan->compute_magnitudes(ImageBatch(bytes, count, kind.rule.size), magnitudes);
    for (std::size_t i = 0; i < length; ++i) {
      // roundings of float
      ASSERT_NEAR(magnitudes[i], std::abs(a[i]), 3e-7 * std::abs(a[i]))
          << rule_text(kind.rule) << i;
    }
  }
}

// mechanics: pixels that do not count may have any value
TEST(SeparableTransform, PixelsOutsideTheMaskAreNotLookedAt) {
  for (const SeparableKind& kind : kKinds) {
    auto image = random_image(kind.rule.size, kSeparableTransformSeed);
    const auto plan = transform_of(kind);
    Moments expected(moment_count(Family::kZernike, kind.rule.order));
    plan->compute_moments(ImageBatch(image, 1, kind.rule.size), expected);
    for (int j = 0; j < kind.rule.size; ++j) {
      for (int i = 0; i < kind.rule.size; ++i) {
        const auto square = oracle::square_of(i, j, kind.rule.size);
        const bool counts =
            kind.rule.mask == Mask::kWhole ? square.has_corners_inside : square.has_centre_inside;
        if (!counts) image[static_cast<std::size_t>(j) * kind.rule.size + i] = std::nan("");
      }
    }
    Moments got(expected.size());
    plan->compute_moments(ImageBatch(image, 1, kind.rule.size), got);
    EXPECT_EQ(got, expected) << rule_text(kind.rule);
  }
}

// mechanics: an interruption ends moments, images and plans
TEST(SeparableTransform, InterruptionsAreHeard) {
  for (const SeparableKind& kind : kKinds) {
    const auto image = random_image(kind.rule.size, kSeparableTransformSeed);
    const auto plan = transform_of(kind);
    const SeparableImage images(kind.rule);
    Moments out(moment_count(Family::kZernike, kind.rule.order));
    std::vector<double> pixels(image.size());
    request_interruption();
    EXPECT_THROW(plan->compute_moments(ImageBatch(image, 1, kind.rule.size), out), Interrupted);
    EXPECT_THROW(images.image(out, pixels), Interrupted);
    EXPECT_THROW(transform_of(kind), Interrupted);
    withdraw_interruption();
    EXPECT_NO_THROW(plan->compute_moments(ImageBatch(image, 1, kind.rule.size), out));
  }
}

// mechanics: the memory of a plan is estimated from above and closely
TEST(SeparableTransform, MemoryIsForeseen) {
  if (!heap_is_counted()) GTEST_SKIP() << "the allocator does not count";
  const ThreadsRestored restored;
  set_thread_count(1);
  for (const DiskRule& rule : {DiskRule{256, 30, Method::kSubregion, 1, Mask::kCentre},
                               DiskRule{256, 400, Method::kSubregion, 1, Mask::kCentre},
                               DiskRule{128, 300, Method::kExact, 1, Mask::kCentre}}) {
    const auto image = random_image(rule.size, kSeparableTransformSeed);
    Moments out(moment_count(Family::kZernike, rule.order));
    std::vector<double> pixels(image.size());
    const std::size_t before = heap_bytes();
    const auto plan = transform_of({rule, Precision::kFloat});
    plan->compute_moments(ImageBatch(image, 1, rule.size), out);
    const auto used = static_cast<double>(heap_bytes() - before);
    const PlanRequest request = request_of({rule, Precision::kFloat});
    const double foreseen = separable_row(request).moments.bytes(request);
    EXPECT_LE(used, foreseen + 1e6) << rule_text(rule);  // 1 MB for small allocations
    EXPECT_GE(used, 0.5 * foreseen) << rule_text(rule);
    const std::size_t before_image = heap_bytes();
    const SeparableImage images(rule);
    EXPECT_LE(static_cast<double>(heap_bytes() - before_image), SeparableImage::bytes(rule) + 1e6);
  }
}

// mechanics: what is refused, and how.
TEST(SeparableTransform, WrongRulesAreRefused) {
  for (const DiskRule& rule :
       {DiskRule{1, 4}, DiskRule{8, -1}, DiskRule{8, 20000}, DiskRule{8, 4, Method::kSubregion, 0},
        DiskRule{8, 4, Method::kAdaptive}}) {
    EXPECT_THROW(RecurrenceMoments{rule}, UsageError) << rule_text(rule);
    EXPECT_THROW(SeparableImage{rule}, UsageError) << rule_text(rule);
  }
}

}  // namespace
}  // namespace leafglyph
