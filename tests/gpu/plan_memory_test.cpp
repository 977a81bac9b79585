// The memory of plans is known before it is allocated.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "tests/support/heap_use.h"
#include "tests/support/plans.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

double bytes_in_use() { return static_cast<double>(heap_bytes()); }

MomentSpec spec_of(Family family, int order, Method method) {
  MomentSpec spec;
  spec.family = family;
  spec.order = order;
  spec.method = method;
  return spec;
}

double foreseen_bytes(const MomentSpec& spec, int size, MomentPlan::Direction direction) {
  return plan_bytes(spec, size, direction, options_for(DeviceChoice::Kind::kCpu));
}

struct Case {
  MomentSpec spec;
  int size;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {spec_of(Family::kZernike, 600, Method::kExact), 64},
      {spec_of(Family::kZernike, 60, Method::kExact), 700},
      {spec_of(Family::kZernike, 700, Method::kSubregion), 500},
      {spec_of(Family::kPseudoZernike, 400, Method::kAdaptive), 200},
      {spec_of(Family::kZernike, 40, Method::kSubregion), 256},
      {spec_of(Family::kBesselFourier, 200, Method::kAdaptive), 200},
      {{Family::kJacobiFourier, 200, Method::kSubregion, 2, {2, 1.5}}, 200},
      {spec_of(Family::kExponentFourier, 150, Method::kSubregion), 200},
      {spec_of(Family::kLegendre, 500, Method::kExact), 300},
  };
  return all;
}

// Each thread needs memory while it works, which is estimated and not kept.
constexpr int kFewThreads = 4;

// invariant: a plan keeps at most the estimated memory, and the estimate is not far above it. The
// memory that malloc counts as in use after the plan is made excludes what was freed again.
TEST(PlanMemory, MomentsTakeAtMostWhatWasForeseen) {
  if (!heap_is_counted()) GTEST_SKIP() << "the allocator does not count";
  for (const Case& c : cases()) {
    const SmallTeams few(kFewThreads);
    const double foreseen = foreseen_bytes(c.spec, c.size, MomentPlan::Direction::kMoments);
    const double before = bytes_in_use();
    const auto plan = cpu_plan(c.spec, c.size);
    plan->prepare(MomentPlan::Direction::kMoments);
    const double kept = bytes_in_use() - before;
    EXPECT_LE(kept, foreseen) << plan->describe();
    EXPECT_LE(foreseen, 8 * kept) << plan->describe() << " keeps " << kept;
  }
}

// mechanics: the estimated memory is sufficient.
TEST(PlanMemory, ImagesTakeAtMostWhatWasForeseen) {
  if (!heap_is_counted()) GTEST_SKIP() << "the allocator does not count";
  for (const Case& c : cases()) {
    const SmallTeams few(kFewThreads);
    const double foreseen = foreseen_bytes(c.spec, c.size, MomentPlan::Direction::kImages);
    const double before = bytes_in_use();
    const auto plan = cpu_plan(c.spec, c.size);
    plan->prepare(MomentPlan::Direction::kImages);
    // including the image and the moments, which are part of the estimate
    const double given =
        8.0 * c.size * c.size + 16.0 * static_cast<double>(moment_count(c.spec, c.size));
    const double kept = bytes_in_use() - before + given;
    EXPECT_LE(kept, foreseen) << plan->describe(MomentPlan::Direction::kImages);
    EXPECT_LE(foreseen, 8 * kept) << plan->describe(MomentPlan::Direction::kImages) << " keeps "
                                  << kept;
  }
}

// mechanics: a plan too large for any machine is refused with an error before memory runs out.
TEST(PlanMemory, PlansBeyondTheMemoryAreRefused) {
  if (available_memory_bytes() > (std::size_t{1} << 46)) GTEST_SKIP() << "memory is not known";
  constexpr int kOrder = 2'000'000;
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kBesselFourier}) {
    const Method method = family == Family::kZernike ? Method::kExact : Method::kAdaptive;
    EXPECT_THROW(cpu_plan(spec_of(family, kOrder, method), 512), Error);
  }
  constexpr int kLargest = std::numeric_limits<int>::max();
  EXPECT_GT(foreseen_bytes(spec_of(Family::kPseudoZernike, kLargest, Method::kAdaptive), 512,
                           MomentPlan::Direction::kMoments),
            1e18);
  EXPECT_THROW(check_memory(1e18, "this", "use less"), InputError);
}

// mechanics: the refusal names the plan, both sizes and what to do.
TEST(PlanMemory, RefusalsNameTheSizes) {
  if (available_memory_bytes() > (std::size_t{1} << 46)) GTEST_SKIP() << "memory is not known";
  const std::string message = testing::refusal<InputError>(
      [] { check_memory(std::ldexp(1.0, 50), "zernike, order 9", "use a lower order"); });
  EXPECT_TRUE(message.starts_with("zernike, order 9 needs 1048576.0 GiB of memory and "))
      << message;
  EXPECT_TRUE(message.ends_with(" are free; use a lower order")) << message;
  check_memory(1.0, "this", "nothing");
}

}  // namespace
}  // namespace leafglyph
