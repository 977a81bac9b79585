#include "features/glyph/direction_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "features/base/keys.h"
#include "features/base/statistics.h"
#include "features/glyph/ink.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/refusal.h"
#include "tests/support/stroke_picture.h"

namespace leafglyph {
namespace {

using testing::refuses;

std::unique_ptr<MomentPlan> float_plan(const MomentSpec& spec, int size) {
  return cpu_plan(spec, size, Precision::kFloat);
}

std::vector<float> row_of(const Image<float>& ink, const CharacterFeatures& features = {}) {
  DirectionMoments moments(features, float_plan);
  std::vector<float> row(moments.columns());
  const Image<float> frame = normalised(ink, features.frame);
  moments.rows({&frame, 1}, row);
  return row;
}

// The value at (row, column), reflected about the outermost pixels.
double reflected(const Image<float>& image, int row, int column) {
  const auto inside = [&](int at) {
    at = std::abs(at);
    return at < image.width() ? at : 2 * (image.width() - 1) - at;
  };
  return image.at(inside(row), inside(column));
}

// The Gaussian mean at a pixel, as a sum over the square of its weights.
double gaussian_mean(const Image<float>& image, double sigma, int row, int column) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  double sum = 0, weights = 0;
  for (int j = -radius; j <= radius; ++j) {
    for (int i = -radius; i <= radius; ++i) {
      const double weight = std::exp(-0.5 * (i * i + j * j) / (sigma * sigma));
      sum += weight * reflected(image, row + j, column + i);
      weights += weight;
    }
  }
  return sum / weights;
}

struct Gradient {
  double size, angle;
};

Gradient gradient_at(const std::vector<double>& smooth, int side, int row, int column) {
  const auto at = [&](int j, int i) { return smooth[static_cast<std::size_t>(j * side + i)]; };
  const int left = std::max(column - 1, 0), right = std::min(column + 1, side - 1);
  const int above = std::max(row - 1, 0), below = std::min(row + 1, side - 1);
  const double gx = (at(row, right) - at(row, left)) / (right - left);
  const double gy = (at(above, column) - at(below, column)) / (below - above);
  return {std::hypot(gx, gy), std::atan2(gy, gx)};
}

// What channel d of a gradient holds, by the angle between them.
double share_of(const Gradient& gradient, int d, int directions, double power) {
  const double turn = 2 * std::numbers::pi;
  double apart = std::fmod(std::abs(gradient.angle - turn * d / directions), turn);
  apart = std::min(apart, turn - apart) / (turn / directions);
  return std::pow(gradient.size, power) * std::max(0.0, 1 - apart);
}

// Reads the two lists of a specification.
class ScaleReader : public Keys {
 public:
  ScaleReader(std::vector<double> blurs, std::vector<int> orders)
      : blurs_(std::move(blurs)), orders_(std::move(orders)) {}
  void key(const Key& key) override {
    if (key.name == "blurs") *std::get<std::vector<double>*>(key.value) = blurs_;
    if (key.name == "orders") *std::get<std::vector<int>*>(key.value) = orders_;
  }
  void group(std::string_view, const std::function<void()>& keys, bool) override { keys(); }
  void where(bool, std::string_view, const std::function<void()>& keys) override { keys(); }
  void check(std::string_view, const std::function<void()>& run) override { run(); }

 private:
  std::vector<double> blurs_;
  std::vector<int> orders_;
};

// oracle: Gaussian sums, atan2 and powers in double, and the share by the angle to each direction.
TEST(DirectionChannels, AreSharesOfTheGradient) {
  const Image<float> frame = normalised(usual_ink(), CharacterFrame());
  constexpr int kSide = 64;
  constexpr double kPower = 0.35;
  for (const auto& [blur, directions] : {std::pair{1.5, 8}, {3.0, 8}, {0.8, 5}}) {
    std::vector<float> channels(static_cast<std::size_t>(directions) * kSide * kSide, -1.0f);
    DirectionChannels(directions, kPower).compute(frame, blur, channels);
    std::vector<double> smooth;
    for (int p = 0; p < kSide * kSide; ++p) {
      smooth.push_back(gaussian_mean(frame, blur, p / kSide, p % kSide));
    }
    int steep = 0;
    for (int p = 0; p < kSide * kSide; ++p) {
      const Gradient gradient = gradient_at(smooth, kSide, p / kSide, p % kSide);
      for (int d = 0; d < directions; ++d) {
        const double value = channels[static_cast<std::size_t>(d * kSide * kSide + p)];
        if (gradient.size < 1e-3) {
          // The direction is that of rounding, and the size is below that limit.
          ASSERT_LE(value, std::pow(1.01e-3, kPower)) << blur << ", " << d << ", " << p;
        } else {
          // Differences of floats below 1 that were sums of some tens: 3e-7 / 1e-3 of an angle.
          ASSERT_NEAR(value, share_of(gradient, d, directions, kPower), 5e-4)
              << blur << ", " << d << ", " << p;
        }
      }
      steep += gradient.size >= 1e-3;
    }
    EXPECT_GT(steep, 1500) << blur;
  }
}

// oracle: without directions the only channel is the smoothed frame; to rounding of sums of floats.
TEST(DirectionChannels, MayBeTheFrameItself) {
  const Image<float> frame = normalised(usual_ink(), CharacterFrame());
  std::vector<float> channel(64 * 64, -1.0f);
  DirectionChannels grey(0, 1);
  EXPECT_EQ(grey.channels(), 1);
  grey.compute(frame, 0.8, channel);
  for (int p = 0; p < 64 * 64; ++p) {
    ASSERT_NEAR(channel[static_cast<std::size_t>(p)], gaussian_mean(frame, 0.8, p / 64, p % 64),
                1e-6);
  }
  CharacterFeatures features;
  features.directions = 0;
  features.family = Family::kPseudoZernike;
  features.scales = {{0.3, 5}};
  EXPECT_EQ(columns(features), 36u);
  EXPECT_EQ(row_of(usual_ink(), features).size(), 36u);
}

// oracle: direct sums of the definition in long double over the channels, at pixel centres.
TEST(DirectionMoments, AreInnerProductsWithZernikeFunctions) {
  const CharacterFeatures features;
  const Image<float> frame = normalised(usual_ink(), features.frame);
  const std::vector<float> row = row_of(usual_ink());
  std::vector<double> expected;
  DirectionChannels channels(features.directions, features.power);
  for (const DirectionScale& scale : features.scales) {
    std::vector<float> images(8 * frame.size());
    channels.compute(frame, scale.blur, images);
    const auto indices = moment_indices(Family::kZernike, scale.order);
    for (int d = 0; d < 8; ++d) {
      const auto start = images.begin() + static_cast<std::ptrdiff_t>(d * frame.size());
      const std::vector<double> image(start, start + static_cast<std::ptrdiff_t>(frame.size()));
      const auto moments = oracle::moments(Family::kZernike, scale.order, 1, image, 64);
      for (std::size_t c = 0; c < indices.size(); ++c) {
        const auto [n, m] = indices[c];
        // From (n + 1) / pi to its root.
        const long double norm = std::sqrt(std::numbers::pi_v<long double> / (n + 1));
        const auto value = moments[c] * norm * (m > 0 ? std::sqrt(2.0L) : 1.0L);
        expected.push_back(static_cast<double>(value.real()));
        if (m > 0) expected.push_back(static_cast<double>(value.imag()));
      }
    }
  }
  ASSERT_EQ(row.size(), 752u);
  ASSERT_EQ(expected.size(), row.size());
  EXPECT_LT(relative_l2(row, expected), 2e-6) << "sums of 3,200 floats";
}

// invariant: the functions are orthonormal, so that the numbers of a channel have no more energy
// than the channel. (At pixel centres they are orthonormal up to a few per cent.)
TEST(DirectionMoments, HaveNoMoreEnergyThanTheChannels) {
  CharacterFeatures features;
  features.scales = {{1.5, 30}};
  const Image<float> frame = normalised(usual_ink(), features.frame);
  std::vector<float> images(8 * frame.size());
  DirectionChannels(8, features.power).compute(frame, 1.5, images);
  double energy = 0, of_row = 0;
  for (std::size_t p = 0; p < images.size(); ++p) {
    const double x = (2.0 * static_cast<double>(p % 64) - 63) / 64;
    const double y = (2.0 * static_cast<double>(p / 64 % 64) - 63) / 64;
    if (x * x + y * y <= 1) energy += images[p] * images[p] * 4.0 / (64 * 64);
  }
  for (const float value : row_of(usual_ink(), features)) of_row += value * value;
  EXPECT_LT(of_row, energy * 1.02);
  EXPECT_GT(of_row, energy * 0.6) << "order 30 shows most of it";
}

// invariant: a row is the same to the last bit, alone, among others and at any place.
TEST(DirectionMoments, DoNotDependOnTheBatch) {
  std::vector<Image<float>> frames;
  for (int i = 0; i < 21; ++i) {
    auto strokes = four_strokes();
    strokes[1].x0 += 0.02 * i;
    strokes[3].width += 0.004 * i;
    frames.push_back(normalised(drawn_ink({64, 64, 10, 9, 44}, strokes), CharacterFrame()));
  }
  DirectionMoments moments(CharacterFeatures(), float_plan);
  std::vector<float> all(frames.size() * moments.columns()), alone(moments.columns());
  moments.rows(frames, all);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    moments.rows({&frames[i], 1}, alone);
    ASSERT_TRUE(std::equal(alone.begin(), alone.end(),
                           all.begin() + static_cast<std::ptrdiff_t>(i * alone.size())))
        << i;
  }
  EXPECT_FALSE(std::equal(alone.begin(), alone.end(), all.begin())) << "all rows are alike";
}

// invariant: the row of a picture, whatever its size, margin, contrast and polarity.
TEST(DirectionMoments, AreNearlyTheSameOfAnyPicture) {
  const auto row_at = [](const DrawnPlace& place, int paper, int stroke) {
    return row_of(ink_of(drawn_grey(drawn_ink(place), paper, stroke)));
  };
  const std::vector<float> usual = row_at({64, 64, 10, 9, 44}, 255, 0);
  EXPECT_LT(relative_l2(row_at({140, 100, 71, 40, 44}, 255, 0), usual), 1e-5) << "moved";
  EXPECT_LT(relative_l2(row_at({64, 64, 10, 9, 44}, 0, 255), usual), 0.01) << "light on dark";
  EXPECT_LT(relative_l2(row_at({64, 64, 10, 9, 44}, 200, 120), usual), 0.02) << "pale";
  // The power of the gradient shows how edges lie on the pixels; less so the more pixels there are.
  EXPECT_LT(relative_l2(row_at({70, 70, 10.5, 9.3, 44}, 255, 0), usual), 0.09) << "half a pixel";
  EXPECT_LT(relative_l2(row_at({192, 192, 30, 27, 132}, 255, 0), usual), 0.06) << "3x larger";
  EXPECT_LT(relative_l2(row_at({2000, 2000, 100, 50, 1800}, 255, 0), usual), 0.06)
      << "2,000 pixels";
  EXPECT_LT(relative_l2(row_at({16, 16, 0.5, 0.5, 15}, 255, 0), usual), 0.25) << "16 pixels";
  auto strokes = four_strokes();
  strokes.pop_back();
  EXPECT_GT(relative_l2(row_of(drawn_ink({64, 64, 10, 9, 44}, strokes)), usual), 0.4)
      << "without a stroke";
}

// mechanics: how many columns, and what is out of range.
TEST(CharacterFeatures, AreChecked) {
  EXPECT_EQ(columns(CharacterFeatures()), 752u);
  CharacterFeatures features;
  features.directions = 2;
  EXPECT_TRUE(refuses<UsageError>([&] { validate(features); }, "2 directions; use 0, or 4"));
  features.directions = 33;
  EXPECT_TRUE(refuses<UsageError>([&] { validate(features); }, "features.directions: 33 is out"));
  features = {};
  features.frame.size = 5;
  EXPECT_TRUE(refuses<UsageError>([&] { validate(features); }, "features.frame.size: 5 is out"));
  features = {};
  features.scales = {};
  EXPECT_TRUE(refuses<UsageError>([&] { validate(features); }, "features.orders: 0 orders"));
  features.scales = {{1, 4}, {0, 4}};
  EXPECT_TRUE(refuses<UsageError>([&] { validate(features); }, "features.blurs: 0 is out"));
  EXPECT_THROW(DirectionMoments(features, float_plan), UsageError);
}

// mechanics: the scales are read from two lists of one length.
TEST(CharacterFeatures, AreReadFromTwoLists) {
  CharacterFeatures features;
  ScaleReader reader({1, 2, 4}, {12, 8, 4});
  declare(reader, features);
  EXPECT_EQ(features.scales, (std::vector<DirectionScale>{{1, 12}, {2, 8}, {4, 4}}));
  ScaleReader uneven({1, 2}, {12});
  EXPECT_TRUE(refuses<UsageError>([&] { declare(uneven, features); }, "1 orders for 2 blurs"));
}

// mechanics: frames and rows of the wrong size are refused.
TEST(DirectionMoments, RefuseWrongSizes) {
  DirectionMoments moments(CharacterFeatures(), float_plan);
  std::vector<float> row(752);
  const Image<float> frame(64, 64), small(32, 32), wide(128, 32);
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        moments.rows({&frame, 1}, {row.data(), 700});
      },
      "1 characters of 752 columns do not fit 700"));
  EXPECT_TRUE(refuses<UsageError>([&] { moments.rows({&small, 1}, row); }, "32 x 32 pixels"));
  EXPECT_TRUE(refuses<UsageError>([&] { moments.rows({&wide, 1}, row); }, "128 x 32 pixels"));
  moments.rows({&frame, 1}, row);
  EXPECT_EQ(std::ranges::count(row, 0.0f), 752) << "no ink";
}

// oracle: of pseudo-Zernike moments to order n there are (n + 1)^2 numbers, of Zernike moments
// (n + 1) (n + 2) / 2, in each direction; rows of both have finite numbers, not all of them 0.
TEST(CharacterFeatures, AreOfTwoFamilies) {
  CharacterFeatures features;
  features.scales = {{1.5, 5}, {3, 4}};
  EXPECT_EQ(columns(features), 8U * (21 + 15));
  features.family = Family::kPseudoZernike;
  EXPECT_EQ(columns(features), 8U * (36 + 25));
  Image<float> ink(40, 40);
  for (int i = 5; i < 35; ++i) ink.at(i, 20) = ink.at(i, i) = 1;
  double largest = 0;
  for (const float value : row_of(ink, features)) {
    ASSERT_TRUE(std::isfinite(value));
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  EXPECT_GT(largest, 0);
}

}  // namespace
}  // namespace leafglyph
