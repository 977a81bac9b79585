#include "features/jacobi/volume_slices.h"

#include <gtest/gtest.h>

#include <limits>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "tests/support/plans.h"

namespace leafglyph {
namespace {

constexpr unsigned kVolumeSlicesSeed = 20261123;

// agreement: slices from moments equal those of the volume that the plan reconstructs
TEST(VolumeSlices, AreThoseOfTheWholeVolume) {
  const ArraySize size(23, 17, 20);
  for (const MomentSpec& spec :
       {MomentSpec{Family::kLegendre, 14},
        MomentSpec{Family::kJacobi, 30, Method::kExact, 1, {0.3, 0.7}},
        MomentSpec{Family::kJacobi, 9, Method::kSubregion, 3, {-0.5, 2.0}}}) {
    const auto plan = cpu_plan(spec, size);
    const auto moments = moments_of(*plan, generate_bone(23, 17, 20, kVolumeSlicesSeed).values);
    Volume volume(23, 17, 20);
    volume.values = image_of(*plan, moments, spec.order);
    const VolumeSlices slices(spec, size);
    for (const auto& [axis, last] : {std::pair{Axis::kX, 22}, {Axis::kY, 16}, {Axis::kZ, 19}}) {
      for (const int position : {0, 7, last}) {
        const auto expected = volume_slice(volume, axis, position);
        const auto got = slices.slice(moments, axis, position);
        ASSERT_EQ(got.width(), expected.width());
        ASSERT_EQ(got.height(), expected.height());
        EXPECT_LT(relative_l2(got.pixels(), expected.pixels()),
                  1e-12)  // the same sums, another order
            << axis_name(axis) << ":" << position << ", seed " << kVolumeSlicesSeed;
      }
    }
  }
}

// mechanics: what is refused
TEST(VolumeSlices, RefuseOtherMoments) {
  const MomentSpec spec{Family::kLegendre, 3};
  const ArraySize size(4, 5, 6);
  const VolumeSlices slices(spec, size);
  std::vector<std::complex<double>> moments(moment_count(spec, size));
  EXPECT_THROW(slices.slice(moments, Axis::kX, 4), UsageError);
  EXPECT_THROW(slices.slice(moments, Axis::kZ, -1), UsageError);
  moments[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(slices.slice(moments, Axis::kY, 2), InputError);
  moments.pop_back();
  EXPECT_THROW(slices.slice(moments, Axis::kY, 2), UsageError);
  EXPECT_THROW(VolumeSlices(spec, ArraySize(4, 5)), UsageError);
  EXPECT_THROW(VolumeSlices({Family::kZernike, 3}, size), UsageError);
}

}  // namespace
}  // namespace leafglyph
