// Zernike moments about every pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/local/local_moments.h"
#include "features/moments/radial.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refuses;

constexpr unsigned kLocalSeed = 20261129;

struct LocalCase {
  LocalSpec spec;
  int width;
  int height;
  double offset = 0.0;  ///< added to every value
};

std::ostream& operator<<(std::ostream& stream, const LocalCase& asked) {
  return stream << "order " << asked.spec.order << ", radius " << asked.spec.radius << ", step "
                << asked.spec.step << ", " << name_of(asked.spec.border) << ", " << asked.width
                << " x " << asked.height;
}

std::vector<double> image_of(const LocalCase& asked) {
  auto image = random_values(static_cast<std::size_t>(asked.width) * asked.height, kLocalSeed);
  for (double& value : image) value += asked.offset;
  return image;
}

double largest_of(const std::vector<double>& image) {
  return std::abs(*std::max_element(image.begin(), image.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); }));
}

// What is seen at (row, column): mirrored by walking back and forth.
double seen(const LocalCase& asked, const std::vector<double>& image, int row, int column) {
  const auto walk = [&](int at, int length) {
    if (asked.spec.border == LocalBorder::kZero) return at;
    while (length > 1 && (at < 0 || at >= length)) at = at < 0 ? -at : 2 * (length - 1) - at;
    return length == 1 ? 0 : at;
  };
  const int j = walk(row, asked.height);
  const int i = walk(column, asked.width);
  if (j < 0 || j >= asked.height || i < 0 || i >= asked.width) return 0.0;
  return image[static_cast<std::size_t>(j) * asked.width + i];
}

// The definition: a plain sum about one site.
std::vector<double> plain_sums(const LocalCase& asked, const std::vector<double>& image,
                               const std::vector<LocalNumber>& numbers, int row, int column) {
  const double r = asked.spec.radius;
  std::vector<long double> sums(numbers.size(), 0.0L);
  const int reach = static_cast<int>(r);
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      if (dx * dx + dy * dy > r * r) continue;
      const double value = seen(asked, image, row + dy, column + dx);
      if (value == 0.0) continue;
      const double rho = std::hypot(dx, dy) / r;
      const double theta = std::atan2(-dy, dx);
      std::vector<double> radial;
      for (std::size_t c = 0; c < numbers.size(); ++c) {
        const auto [n, m, imaginary] = numbers[c];
        radial_values(RadialRecurrence(Family::kZernike, m, n), rho, radial);
        sums[c] += (n + 1) / (std::numbers::pi * r * r) * value * radial.back() *
                   (imaginary ? -std::sin(m * theta) : std::cos(m * theta));
      }
    }
  }
  return {sums.begin(), sums.end()};
}

class LocalMomentsOf : public ::testing::TestWithParam<LocalCase> {};

// oracle: the plain sum at sites in the corners, at the sides and in the middle
TEST_P(LocalMomentsOf, ArePlainSums) {
  const LocalCase& asked = GetParam();
  const auto image = image_of(asked);
  const LocalMoments local(asked.spec, asked.width, asked.height);
  std::vector<double> maps(local.numbers().size() * local.rows() * local.columns());
  local.moments(image, 0, local.rows(), maps);
  const double size = largest_of(image);
  double largest = 0.0;
  for (const int row : {0, local.rows() / 3, local.rows() - 1}) {
    for (int column = 0; column < local.columns(); column += 1 + column % 3) {
      const auto expected = plain_sums(asked, image, local.numbers(), row * asked.spec.step,
                                       column * asked.spec.step);
      for (std::size_t c = 0; c < expected.size(); ++c) {
        const double value =
            maps[(c * local.rows() + row) * static_cast<std::size_t>(local.columns()) + column];
        largest = std::max(largest, std::abs(value - expected[c]) / size);
      }
    }
  }
  EXPECT_LT(largest, 1e-10);  // what LocalMoments states
}

INSTANTIATE_TEST_SUITE_P(
    All, LocalMomentsOf,
    ::testing::Values(LocalCase{{0, 1.0}, 5, 4}, LocalCase{{8, 1.0}, 9, 3},
                      LocalCase{{8, 5.3}, 37, 29}, LocalCase{{8, 16.0}, 90, 41, 1000.0},
                      LocalCase{{8, 16.0, 1, LocalBorder::kMirror}, 21, 19},
                      LocalCase{{3, 40.0, 1, LocalBorder::kMirror}, 7, 1},
                      LocalCase{{5, 9.5, 3}, 50, 44}, LocalCase{{8, 8.0, 17}, 70, 90},
                      LocalCase{{4, 2.0, 60, LocalBorder::kMirror}, 100, 70},
                      LocalCase{{12, 20.0}, 60, 30}, LocalCase{{16, 24.0, 2}, 64, 33},
                      LocalCase{{9, 13.0}, 40, 33}, LocalCase{{10, 64.0}, 200, 20}));

// agreement: `moments compute` on your own circle around the same pixel
TEST(LocalMoments, AreThoseOfYourOwnCircle) {
  const LocalCase asked{{6, 7.5}, 33, 27};
  const auto image = image_of(asked);
  const LocalMoments local(asked.spec, asked.width, asked.height);
  std::vector<double> maps(local.numbers().size() * image.size());
  local.moments(image, 0, asked.height, maps);
  for (const auto& [row, column] : {std::pair{3, 30}, {13, 14}}) {
    MomentSpec spec{Family::kZernike, 6};
    spec.convention =
        convention_from_text("textbook", std::to_string(column) + "," + std::to_string(row), "7.5");
    const auto expected = moments_of(*cpu_plan(spec, {33, 27}), image);
    for (std::size_t c = 0; c < local.numbers().size(); ++c) {
      const auto [n, m, imaginary] = local.numbers()[c];
      const auto moment = expected[moment_position(Family::kZernike, n, m)];
      // what LocalMoments states; the other is a sum in double
      EXPECT_NEAR(maps[(c * 27 + row) * 33 + column], imaginary ? moment.imag() : moment.real(),
                  1e-10 * largest_of(image));
    }
  }
}

// agreement: strips of any rows and any number of threads give the same bits, and magnitudes are
// those of the moments
TEST(LocalMoments, OfStripsAreThoseOfTheWhole) {
  const LocalCase asked{{7, 11.0, 2}, 101, 300};
  const auto image = image_of(asked);
  const LocalMoments local(asked.spec, asked.width, asked.height);
  const std::size_t columns = local.columns();
  const std::size_t rows = local.rows();
  std::vector<double> whole(local.numbers().size() * rows * columns);
  local.moments(image, 0, local.rows(), whole);
  std::vector<float> magnitudes(local.moment_count() * rows * columns);
  local.magnitudes(image, 0, local.rows(), magnitudes);
  set_thread_count(1);
  for (const auto& [first, last] : {std::pair{0, 1}, {5, 5}, {17, 90}, {149, 150}}) {
    std::vector<double> strip(local.numbers().size() * (last - first) * columns);
    local.moments(image, first, last, strip);
    for (std::size_t c = 0; c < local.numbers().size(); ++c) {
      const auto start = whole.begin() + static_cast<std::ptrdiff_t>((c * rows + first) * columns);
      ASSERT_TRUE(
          std::equal(start, start + (last - first) * static_cast<std::ptrdiff_t>(columns),
                     strip.begin() + static_cast<std::ptrdiff_t>(c * (last - first) * columns)));
    }
  }
  set_thread_count(0);
  std::size_t moment = 0;
  for (std::size_t c = 0; c < local.numbers().size(); ++c, ++moment) {
    for (std::size_t site = 0; site < rows * columns; ++site) {
      const double real = whole[c * rows * columns + site];
      const double imaginary =
          local.numbers()[c].m > 0 ? whole[(c + 1) * rows * columns + site] : 0.0;
      const auto expected = static_cast<float>(std::hypot(real, imaginary));
      ASSERT_FLOAT_EQ(magnitudes[moment * rows * columns + site], expected);
    }
    if (local.numbers()[c].m > 0) ++c;
  }
  EXPECT_EQ(moment, local.moment_count());
}

// invariant: magnitudes of a quarter turn of the image are the quarter turn of its magnitudes
TEST(LocalMoments, MagnitudesTurnWithTheImage) {
  constexpr int kSide = 40;
  const LocalCase asked{{8, 9.0}, kSide, kSide};
  const auto image = image_of(asked);
  std::vector<double> turned(image.size());
  for (int j = 0; j < kSide; ++j) {
    for (int i = 0; i < kSide; ++i) turned[(kSide - 1 - i) * kSide + j] = image[j * kSide + i];
  }
  const LocalMoments local(asked.spec, kSide, kSide);
  std::vector<float> before(local.moment_count() * image.size());
  auto after = before;
  local.magnitudes(image, 0, kSide, before);
  local.magnitudes(turned, 0, kSide, after);
  for (std::size_t c = 0; c < local.moment_count(); ++c) {
    for (int j = 0; j < kSide; ++j) {
      for (int i = 0; i < kSide; ++i) {
        const std::size_t map = c * image.size();
        ASSERT_NEAR(before[map + j * kSide + i], after[map + (kSide - 1 - i) * kSide + j], 1e-6);
      }
    }
  }
}

// mechanics: what is refused, with what to use
TEST(LocalMoments, RefuseWhatTheyCannot) {
  EXPECT_TRUE(refuses<UsageError>(
      [] {
        LocalMoments({17, 8.0}, 9, 9);
      },
      "of order 17; use 0 to 16"));
  for (const double radius : {0.5, 1025.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(refuses<UsageError>([&] { LocalMoments({4, radius}, 9, 9); }, "1 to 1024 pixels"));
  }
  EXPECT_TRUE(refuses<UsageError>([] { LocalMoments({4, 3.0, 0}, 9, 9); }, "a step of 1 or more"));
  EXPECT_TRUE(refuses<UsageError>([] { LocalMoments({4, 3.0}, 0, 9); }, "0 x 9 pixels"));
  const LocalMoments local({2, 3.0}, 9, 8);
  std::vector<double> image(72, 1.0);
  std::vector<double> maps(6 * 72);
  EXPECT_TRUE(refuses<UsageError>([&] { local.moments(image, 0, 9, maps); }, "rows 0 to 8"));
  EXPECT_TRUE(refuses<UsageError>([&] { local.moments(image, 0, 7, maps); }, "instead of 378"));
  EXPECT_TRUE(refuses<UsageError>([&] { local.moments(std::span(image).first(71), 0, 8, maps); },
                                  "71 values"));
  image[40] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(refuses<InputError>([&] { local.moments(image, 0, 8, maps); }, "not finite"));
}

}  // namespace
}  // namespace leafglyph
