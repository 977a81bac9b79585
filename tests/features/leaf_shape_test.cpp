#include "features/leaf/leaf_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/leaf/leaf_orientation.h"

namespace leafglyph {
namespace {

constexpr int kShapeSize = 64;
constexpr double kCentre = 0.5 * (kShapeSize - 1);

Image<std::uint8_t> disk_mask(double radius) {
  Image<std::uint8_t> mask(kShapeSize, kShapeSize);
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      if (std::hypot(column - kCentre, row - kCentre) <= radius) mask.at(row, column) = 1;
    }
  }
  return mask;
}

template <class Value>  // of (rho, theta)
Image<float> polar_image(Value value) {
  Image<float> image(kShapeSize, kShapeSize);
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      const double x = column - kCentre, y = row - kCentre;
      image.at(row, column) = static_cast<float>(value(std::hypot(x, y), std::atan2(y, x)));
    }
  }
  return image;
}

template <class T>
Image<T> quarter_turn(const Image<T>& image) {
  Image<T> turned(image.height(), image.width());
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      turned.at(column, image.height() - 1 - row) = image.at(row, column);
    }
  }
  return turned;
}

std::vector<float> floats(const Image<std::uint8_t>& mask) {
  return {mask.pixels().begin(), mask.pixels().end()};
}

Image<float> rounded(const Image<std::uint8_t>& mask) {
  Image<float> result(kShapeSize, kShapeSize);
  round_leaf(mask, floats(mask), result.pixels());
  return result;
}

struct Orientation {
  Image<float> radial{kShapeSize, kShapeSize, -7}, oblique{kShapeSize, kShapeSize, -7};
  bool varies = false;
};

Orientation orientation_of(const Image<float>& grey, const Image<std::uint8_t>& inside) {
  Orientation field;
  field.varies = leaf_orientation(grey, inside, field.radial.pixels(), field.oblique.pixels());
  return field;
}

double mean_inside(const Image<float>& values, const Image<std::uint8_t>& inside) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += inside.data()[i] * values.data()[i];
    count += inside.data()[i];
  }
  return sum / count;
}

// oracle: rings vary along the radius, rays across it, and spirals of slope 45 degrees at 45
// degrees.
TEST(LeafOrientation, RingsRaysAndSpirals) {
  const Image<std::uint8_t> inside = disk_mask(26);
  const auto rings =
      orientation_of(polar_image([](double r, double) { return 50 * std::sin(r); }), inside);
  const auto rays = orientation_of(
      polar_image([](double, double theta) { return 50 * std::sin(10 * theta); }), inside);
  const auto spiral = orientation_of(polar_image([](double r, double theta) {
                                       return 50 * std::sin(10 * theta + 10 * std::log(r + 1));
                                     }),
                                     inside);
  // Flat crests and the share added to the trace keep the means below 1; signs and order are
  // certain.
  EXPECT_GT(mean_inside(rings.radial, inside), 0.5);
  EXPECT_LT(mean_inside(rings.oblique, inside), 0.2);
  EXPECT_LT(mean_inside(rays.radial, inside), -0.5);
  EXPECT_LT(mean_inside(rays.oblique, inside), 0.2);
  EXPECT_LT(std::abs(mean_inside(spiral.radial, inside)), 0.2);
  EXPECT_GT(mean_inside(spiral.oblique, inside), 0.5);
}

// oracle: on a ramp along x the tensor is the same everywhere, so that only the radius turns.
TEST(LeafOrientation, ARampIsRadialOnItsOwnAxis) {
  Image<float> ramp(kShapeSize, kShapeSize);
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      ramp.at(row, column) = 3.0f * static_cast<float>(column);
    }
  }
  const auto field = orientation_of(ramp, disk_mask(26));
  // 18 and 45 lie 13.5 pixels from the centre 31.5: exactly on the diagonal.
  EXPECT_NEAR(field.radial.at(45, 45), 0, 1e-6);  // rounding of floats
  const float oblique = field.oblique.at(45, 45);
  EXPECT_GT(oblique, 0.7f);
  EXPECT_FLOAT_EQ(field.oblique.at(45, 18), oblique) << "to either side";
  EXPECT_GT(field.radial.at(31, 50), 0.7f);
  EXPECT_FLOAT_EQ(field.radial.at(50, 31), -field.radial.at(31, 50));
}

// invariant: rotating the leaf rotates the images; scaling the grey values changes nothing.
TEST(LeafOrientation, TurnsWithTheLeafAndIgnoresContrast) {
  const Image<std::uint8_t> inside = disk_mask(24);
  const Image<float> grey = polar_image(
      [](double r, double theta) { return 40 * std::sin(0.9 * r) + 25 * std::cos(3 * theta); });
  Image<float> brighter = grey;
  for (float& value : brighter.pixels()) value *= 2;
  const auto field = orientation_of(grey, inside);
  const auto turned = orientation_of(quarter_turn(grey), quarter_turn(inside));
  const auto bright = orientation_of(brighter, inside);
  const Image<float> expected = quarter_turn(field.radial);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Rounding of sums of floats, taken in another order.
    EXPECT_NEAR(turned.radial.data()[i], expected.data()[i], 1e-5) << i;
    EXPECT_NEAR(bright.radial.data()[i], field.radial.data()[i], 1e-5) << i;
  }
}

// mechanics: without gradients or without an interior both images are 0 and reported as such.
TEST(LeafOrientation, SaysWhenNothingVaries) {
  const Image<float> flat = polar_image([](double, double) { return 90; });
  for (const Image<std::uint8_t>& inside :
       {disk_mask(20), Image<std::uint8_t>(kShapeSize, kShapeSize)}) {
    const auto field = orientation_of(flat, inside);
    EXPECT_FALSE(field.varies);
    EXPECT_EQ(std::ranges::count(field.radial.pixels(), 0.0f), kShapeSize * kShapeSize);
    EXPECT_EQ(std::ranges::count(field.oblique.pixels(), 0.0f), kShapeSize * kShapeSize);
  }
}

// oracle: an oblique ellipse becomes a centred disk of 0.4 of the unit circle's radius.
TEST(RoundLeaf, AnEllipseBecomesADisk) {
  Image<std::uint8_t> mask(kShapeSize, kShapeSize);
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      const double x = column - 30.0, y = row - 33.0;
      const double u = 0.8 * x + 0.6 * y, v = -0.6 * x + 0.8 * y;
      if (u * u / (26 * 26) + v * v / (7 * 7) <= 1) mask.at(row, column) = 1;
    }
  }
  const Image<float> image = rounded(mask);
  const double radius = 0.4 * kShapeSize / 2;
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      const double rho = std::hypot(column - kCentre, row - kCentre);
      // The ellipse is stretched 1.8 times across: half of the blur of its own pixels on each side.
      if (rho < radius - 2) {
        EXPECT_EQ(image.at(row, column), 1) << column << ", " << row;
      }
      if (rho > radius + 2) {
        EXPECT_EQ(image.at(row, column), 0) << column << ", " << row;
      }
    }
  }
}

// invariant: rotating the leaf rotates the result; a star that would leave the circle stays inside.
TEST(RoundLeaf, TurnsWithTheLeafAndStaysInTheCircle) {
  Image<std::uint8_t> mask(kShapeSize, kShapeSize);
  for (int i = 8; i < 56; ++i) {
    mask.at(i, 31) = mask.at(31, i) = 1;
    mask.at(i / 2 + 16, 33) = 1;
  }
  const Image<float> image = rounded(mask);
  const Image<float> turned = rounded(quarter_turn(mask)), expected = quarter_turn(image);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // OpenCV's warp rounds positions to 1/32 of a pixel.
    EXPECT_NEAR(turned.data()[i], expected.data()[i], 0.07) << i;
  }
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      if (std::hypot(column - kCentre, row - kCentre) > 0.5 * kShapeSize) {
        EXPECT_EQ(image.at(row, column), 0);
      }
    }
  }
  const Image<float> none = rounded(Image<std::uint8_t>(kShapeSize, kShapeSize));
  EXPECT_EQ(std::ranges::count(none.pixels(), 0.0f), kShapeSize * kShapeSize);
}

// oracle: OpenCV's warp of the whole image, of which round_leaf leaves out what shows no leaf.
TEST(RoundLeaf, LeavesOutNoPixelOfTheLeaf) {
  for (int turn = 0; turn < 8; ++turn) {
    Image<std::uint8_t> mask(kShapeSize, kShapeSize);
    Image<float> values(kShapeSize, kShapeSize), whole(kShapeSize, kShapeSize, -1.0f);
    const double angle = turn * std::numbers::pi / 8;
    for (int row = 0; row < kShapeSize; ++row) {
      for (int column = 0; column < kShapeSize; ++column) {
        const double x = column - 25.0, y = row - 36.0;
        const double u = x * std::cos(angle) + y * std::sin(angle);
        const double v = y * std::cos(angle) - x * std::sin(angle);
        if (u * u / 400 + v * v / 16 > 1) continue;
        mask.at(row, column) = 1;
        values.at(row, column) = static_cast<float>(1 + row + 2 * column);
      }
    }
    Image<float> image(kShapeSize, kShapeSize, -1.0f);
    round_leaf(mask, values.pixels(), image.pixels());
    const cv::Mat from(kShapeSize, kShapeSize, CV_32F, values.data());
    cv::Mat to(kShapeSize, kShapeSize, CV_32F, whole.data());
    cv::warpAffine(from, to, cv::Matx23d(rounding_map(mask)->data()), to.size(), cv::INTER_LINEAR,
                   cv::BORDER_CONSTANT);
    EXPECT_TRUE(std::ranges::equal(image.pixels(), whole.pixels())) << turn;
  }
}

// oracle: the hull of two bars at a right angle adds a triangle, the hull of a full square nothing.
TEST(HullGaps, OfAnAngleAndASquare) {
  Image<std::uint8_t> angle(kShapeSize, kShapeSize), square(kShapeSize, kShapeSize);
  for (int i = 10; i < 50; ++i) {
    angle.at(i, 10) = angle.at(49, i) = 1;
    for (int j = 10; j < 50; ++j) square.at(i, j) = 1;
  }
  std::vector<float> gaps(kShapeSize * kShapeSize, -1.0f);
  hull_gaps(square, gaps);
  EXPECT_EQ(std::ranges::count(gaps, 0.0f), kShapeSize * kShapeSize);
  hull_gaps(angle, gaps);
  for (int row = 0; row < kShapeSize; ++row) {
    for (int column = 0; column < kShapeSize; ++column) {
      const bool inside = column > 10 && row < 49 && row >= 10 && column - 10 <= row - 10;
      EXPECT_EQ(gaps[static_cast<std::size_t>(row) * kShapeSize + column], inside ? 1.0f : 0.0f)
          << column << ", " << row;
    }
  }
  hull_gaps(Image<std::uint8_t>(kShapeSize, kShapeSize), gaps);
  EXPECT_EQ(std::ranges::count(gaps, 0.0f), kShapeSize * kShapeSize);
}

}  // namespace
}  // namespace leafglyph
