// What the moments commands read and write, and frequency filters.
#include <gtest/gtest.h>

#include <cmath>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/statistics.h"
#include "features/image_io/volume_file.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tools/cli/fourier_filter.h"

namespace leafglyph {
namespace {

using testing::refuses;

constexpr unsigned kMomentToolsSeed = 20241201;

// invariant: low-pass plus high-pass is the image, for odd and even sizes
TEST(FourierFilter, LowPassPlusHighPassIsTheImage) {
  for (const int size : {31, 32}) {
    const auto image = random_image(size, kMomentToolsSeed);
    for (const auto& [low, high] :
         {std::pair{FilterKind::kIdealLow, FilterKind::kIdealHigh},
          std::pair{FilterKind::kGaussianLow, FilterKind::kGaussianHigh}}) {
      auto a = image;
      auto b = image;
      const FilterPower kept = filter_frequencies(low, 0.2, size, a);
      const FilterPower rest = filter_frequencies(high, 0.2, size, b);
      EXPECT_NEAR(kept.share() + rest.share(), 1.0, 1e-12);  // a thousand terms
      for (std::size_t p = 0; p < a.size(); ++p) a[p] += b[p];
      EXPECT_LT(relative_l2(a, image), 1e-14);  // rounding of two transforms
    }
  }
}

// oracle: a wave is kept up to its frequency and dropped beyond, and Parseval's theorem gives its
// power
TEST(FourierFilter, AWaveIsKeptByItsFrequency) {
  const int size = 40;
  std::vector<double> wave(size * size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      wave[j * size + i] = std::cos(2.0 * M_PI * (3.0 * i + 4.0 * j) / size);  // 5 per image width
    }
  }
  auto kept = wave;
  EXPECT_NEAR(filter_frequencies(FilterKind::kIdealLow, 5.0 / 40 + 1e-9, size, kept).share(), 1.0,
              1e-14);
  EXPECT_LT(relative_l2(kept, wave), 1e-14);
  auto dropped = wave;
  const FilterPower power =
      filter_frequencies(FilterKind::kIdealLow, 5.0 / 40 - 1e-9, size, dropped);
  EXPECT_NEAR(power.share(), 0.0, 1e-14);
  EXPECT_NEAR(power.total, 0.5 * std::pow(size, 4), 1e-6);  // N^2 times the sum of squares N^2 / 2
  for (double value : dropped) EXPECT_NEAR(value, 0.0, 1e-13);
  auto half = wave;
  EXPECT_NEAR(filter_frequencies(FilterKind::kGaussianLow, 5.0 / 40, size, half).share(),
              std::exp(-0.5), 1e-14);
  EXPECT_THROW(filter_frequencies(FilterKind::kIdealLow, -0.1, size, half), UsageError);
  EXPECT_THROW(filter_frequencies(FilterKind::kIdealLow, 0.1, size + 1, half), UsageError);
}

// mechanics: slices in the order of their numbers, and arrays as they are
TEST(VolumeFiles, StacksAndArraysAreRead) {
  const TemporaryFolder folder;
  Image<double> slice(5, 4);
  for (const int k : {10, 9, 1}) {
    for (double& value : slice.pixels()) value = k;
    write_picture(folder.path() / ("slice_" + std::to_string(k) + ".png"), slice, 255.0);
  }
  const VolumeInput stack = read_volume(folder.path());
  EXPECT_FALSE(stack.is_image);
  EXPECT_EQ(stack.volume.width, 5);
  EXPECT_EQ(stack.volume.height, 4);
  ASSERT_EQ(stack.volume.depth, 3);
  EXPECT_EQ(stack.volume.at(0, 0, 0), 1.0);
  EXPECT_EQ(stack.volume.at(1, 3, 4), 9.0);
  EXPECT_EQ(stack.volume.at(2, 1, 1), 10.0);
  const VolumeInput image = read_volume(folder.path() / "slice_9.png");
  EXPECT_TRUE(image.is_image);
  write_volume(folder.path() / "again.npy", stack.volume);
  EXPECT_EQ(read_volume(folder.path() / "again.npy").volume.values, stack.volume.values);
}

// mechanics: slices are sorted by their numbers, however these are written
TEST(VolumeFiles, SlicesComeInTheOrderPeopleCount) {
  const std::vector<std::vector<std::string>> numberings = {
      {"slice_0", "slice_1", "slice_2", "slice_9", "slice_10", "slice_11", "slice_100"},
      {"slice_008", "slice_009", "slice_010", "slice_099", "slice_100"},
      {"08", "09", "10", "99", "100", "101"},                  // more slices than digits
      {"bone01", "bone02", "bone09", "bone010", "bone011"},    // "bone0" in front of every number
      {"slice 1", "slice 02", "slice 3", "slice 10"},          // some with a zero
      {"t1_z9", "t1_z10", "t2_z1", "t2_z2", "t10_z1"},         // two numbers
      {"20240109-2", "20240109-10", "20240110-1"},             // dates
      {"scan-1 a9", "scan-1 a10", "scan-1 b1", "scan-10 a1"},  // numbers between letters
  };
  for (const std::vector<std::string>& names : numberings) {
    const TemporaryFolder folder;
    Image<double> slice(3, 2);
    for (std::size_t k = 0; k < names.size(); ++k) {
      for (double& value : slice.pixels()) value = static_cast<double>(k);
      write_picture(folder.path() / (names[k] + ".png"), slice, 255.0);
    }
    const Volume volume = read_volume(folder.path()).volume;
    ASSERT_EQ(static_cast<std::size_t>(volume.depth), names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      EXPECT_EQ(volume.at(static_cast<int>(k), 0, 0), static_cast<double>(k)) << names[k];
    }
  }
}

template <class Failure>
void expect_failure(const std::filesystem::path& path, const std::string& part) {
  EXPECT_TRUE(refuses<Failure>([&] { read_volume(path); }, part));
}

// mechanics: invalid volumes are named
TEST(VolumeFiles, BadVolumesAreRefused) {
  const TemporaryFolder folder;
  const auto stack = folder.path() / "stack";
  std::filesystem::create_directory(stack);
  expect_failure<InputError>(stack, "empty");
  expect_failure<InputError>(folder.path() / "none.npy", "none.npy");
  write_picture(stack / "a.png", Image<double>(5, 4), 255.0);
  write_picture(stack / "b.png", Image<double>(5, 6), 255.0);
  expect_failure<InputError>(stack, "5 x 6");
  write_file(stack / "b.png", "no image");
  expect_failure<InputError>(stack, "b.png");
  const std::vector<double> line = {1.0, 2.0};
  const std::vector<std::size_t> shape = {2};
  write_file(folder.path() / "line.npy", npy_bytes<double>(line, shape));
  expect_failure<FormatError>(folder.path() / "line.npy", "1 axes");
  const std::vector<std::size_t> none = {2, 0, 2};
  write_file(folder.path() / "none2.npy", npy_bytes<double>(std::vector<double>{}, none));
  expect_failure<InputError>(folder.path() / "none2.npy", "empty");
}

}  // namespace
}  // namespace leafglyph
