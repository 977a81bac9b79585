#include "features/glyph/normalise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/stroke_picture.h"

namespace leafglyph {
namespace {

/// Centroid and standard deviations of the ink, in pixels.
struct InkMoments {
  double x = 0, y = 0, across = 0, down = 0, all = 0;
};

InkMoments moments_of_ink(const Image<float>& ink) {
  InkMoments m;
  double xx = 0, yy = 0;
  for (int row = 0; row < ink.height(); ++row) {
    for (int column = 0; column < ink.width(); ++column) {
      const double value = ink.at(row, column);
      m.all += value;
      m.x += value * column;
      m.y += value * row;
      xx += value * column * column;
      yy += value * row * row;
    }
  }
  m.x /= m.all;
  m.y /= m.all;
  m.across = std::sqrt(xx / m.all - m.x * m.x);
  m.down = std::sqrt(yy / m.all - m.y * m.y);
  return m;
}

CharacterFrame only_moments(double squaring = 0.5) {
  CharacterFrame frame;
  frame.density = 0;
  frame.squaring = squaring;
  return frame;
}

double keys_kernel(double d) {
  const double a = -0.75;
  d = std::abs(d);
  if (d >= 2) return 0;
  return d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                : a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
}

Image<float> mirrored(const Image<float>& image) {
  Image<float> result(image.width(), image.height());
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      result.at(row, column) = image.at(row, image.width() - 1 - column);
    }
  }
  return result;
}

Image<float> transposed(const Image<float>& image) {
  Image<float> result(image.height(), image.width());
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      result.at(column, row) = image.at(row, column);
    }
  }
  return result;
}

double largest_difference(const Image<float>& a, const Image<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max<double>(largest, std::abs(a.data()[i] - b.data()[i]));
  }
  return largest;
}

// Gaussian mean of a list, reflected about its outermost elements.
std::vector<double> blurred(const std::vector<double>& values, double sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma)),
            count = static_cast<int>(values.size());
  std::vector<double> result;
  for (int i = 0; i < count; ++i) {
    double sum = 0, weights = 0;
    for (int k = -radius; k <= radius; ++k) {
      int at = std::abs(i + k);
      if (at >= count) at = 2 * (count - 1) - at;
      const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
      sum += weight * values[static_cast<std::size_t>(at)];
      weights += weight;
    }
    result.push_back(sum / weights);
  }
  return result;
}

using Plane = std::vector<std::vector<double>>;

Plane transposed(const Plane& plane) {
  Plane result(plane[0].size(), std::vector<double>(plane.size()));
  for (std::size_t i = 0; i < plane.size(); ++i) {
    for (std::size_t j = 0; j < plane[i].size(); ++j) result[j][i] = plane[i][j];
  }
  return result;
}

// Where pixel u of a row comes from, by bisection on the share of density before it.
std::vector<double> slow_places(const Plane& smooth, double strength) {
  const std::size_t count = smooth[0].size();
  std::vector<double> edges(count);
  for (const auto& row : smooth) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) edges[i] += 0.5 * std::abs(row[i] - row[i - 1]);
      if (i + 1 < count) edges[i] += 0.5 * std::abs(row[i + 1] - row[i]);
    }
  }
  std::vector<double> density = blurred(edges, 2.0);
  double mean = 0;
  for (const double value : density) mean += value / static_cast<double>(count);
  std::vector<double> middle;
  double sum = 0;
  for (const double value : density) {
    middle.push_back(sum + 0.5 * (value + 1.2 * mean + 1e-4));
    sum += value + 1.2 * mean + 1e-4;
  }
  const auto before = [&](double place) {
    const auto i = std::min(static_cast<std::size_t>(place), count - 2);
    return middle[i] + (place - static_cast<double>(i)) * (middle[i + 1] - middle[i]);
  };
  std::vector<double> places;
  for (std::size_t u = 0; u < count; ++u) {
    const double wanted = (static_cast<double>(u) + 0.5) / static_cast<double>(count) * sum;
    double low = 0, high = static_cast<double>(count - 1);
    for (int step = 0; step < 60; ++step) {
      const double half = 0.5 * (low + high);
      (before(half) < wanted ? low : high) = half;
    }
    places.push_back(strength * low + (1 - strength) * static_cast<double>(u));
  }
  return places;
}

// oracle: a sum over all pixels of the picture for each of the frame, with the kernel in closed
// form.
TEST(NormalisedCharacter, IsCubicInterpolation) {
  const Image<float> ink = drawn_ink({50, 60, 8, 12, 36});
  const InkMoments m = moments_of_ink(ink);
  const CharacterFrame frame = only_moments();
  const double radius = frame.spread * frame.size / 2;
  const double kx = std::pow(m.across, 0.75) * std::pow(m.down, 0.25) / radius;
  const double ky = std::pow(m.down, 0.75) * std::pow(m.across, 0.25) / radius;
  ASSERT_LT(std::max(kx, ky), 1.6);
  const Image<float> result = normalised(ink, frame);
  for (int v = 0; v < frame.size; ++v) {
    for (int u = 0; u < frame.size; ++u) {
      double sum = 0;
      for (int row = 0; row < ink.height(); ++row) {
        for (int column = 0; column < ink.width(); ++column) {
          sum += ink.at(row, column) * keys_kernel(m.x + (u - 31.5) * kx - column) *
                 keys_kernel(m.y + (v - 31.5) * ky - row);
        }
      }
      // Sums of some tens of floats of at most 1.
      ASSERT_NEAR(result.at(v, u), std::clamp(sum, 0.0, 1.0), 3e-6) << v << ", " << u;
    }
  }
}

// oracle: the centroid is in the middle, and the deviations are what the frame promises, for large
// and small, wide and high characters.
TEST(NormalisedCharacter, HasThePromisedMoments) {
  for (const double squaring : {0.0, 0.5, 1.0}) {
    const CharacterFrame frame = only_moments(squaring);
    for (const DrawnPlace& place : {DrawnPlace{64, 64, 10, 9, 44}, DrawnPlace{20, 20, 2, 2, 16},
                                    DrawnPlace{700, 900, 100, 80, 500}}) {
      auto strokes = four_strokes();
      for (DrawnStroke& stroke : strokes) {
        stroke.x0 *= 0.8;
        stroke.x1 *= 0.8;
      }
      const Image<float> ink = drawn_ink(place, strokes);
      const InkMoments before = moments_of_ink(ink), after = moments_of_ink(normalised(ink, frame));
      const double ratio = std::pow(before.across / before.down, 0.5 * (1 - squaring));
      const double spread = frame.spread * frame.size / 2;
      // Values that overshoot 0 and 1 at edges are cut off: more outside of strokes than in them.
      EXPECT_NEAR(after.x, 31.5, 0.15) << place.side << ", " << squaring;
      EXPECT_NEAR(after.y, 31.5, 0.15) << place.side << ", " << squaring;
      EXPECT_NEAR(after.across, spread * ratio, 0.01 * spread) << place.side << ", " << squaring;
      EXPECT_NEAR(after.down, spread / ratio, 0.01 * spread) << place.side << ", " << squaring;
    }
  }
}

// oracle: line density equalisation, with Gaussian sums and bisection in double.
TEST(NormalisedCharacter, IsEqualised) {
  CharacterFrame frame;
  const Image<float> centred = normalised(usual_ink(), only_moments());
  Plane plane(64, std::vector<double>(64));
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) plane[row][column] = centred.at(row, column);
  }
  Plane smooth = plane;
  for (int axis = 0; axis < 2; ++axis) {
    for (auto& row : smooth) row = blurred(row, 0.7);
    smooth = transposed(smooth);
  }
  for (const double strength : {0.5, 1.0}) {
    frame.density = strength;
    const Image<float> result = normalised(usual_ink(), frame);
    const auto across = slow_places(smooth, strength),
               down = slow_places(transposed(smooth), strength);
    for (std::size_t v = 0; v < 64; ++v) {
      for (std::size_t u = 0; u < 64; ++u) {
        double expected = 0;
        for (std::size_t j = 0; j < 64; ++j) {
          const double weight = std::max(0.0, 1 - std::abs(down[v] - static_cast<double>(j)));
          for (std::size_t i = 0; weight > 0 && i < 64; ++i) {
            expected += weight * std::max(0.0, 1 - std::abs(across[u] - static_cast<double>(i))) *
                        plane[j][i];
          }
        }
        // Places are floats below 64, and a pixel differs from the next by up to 1.
        ASSERT_NEAR(result.at(static_cast<int>(v), static_cast<int>(u)), expected, 3e-5)
            << strength << ": " << v << ", " << u;
      }
    }
  }
  EXPECT_GT(largest_difference(normalised(usual_ink(), frame), centred), 0.5) << "nothing moved";
}

// oracle: a bent frame shows what the frame itself shows at the places of the formula, read
// linearly between pixels.
TEST(NormalisedCharacter, IsBent) {
  CharacterFrame frame = only_moments();
  const Image<float> straight = normalised(usual_ink(), frame);
  frame.bend_x = 0.12;
  const Image<float> bent = normalised(usual_ink(), frame);
  double sum = 0;
  for (int row = 0; row < 64; ++row) {
    for (int u = 0; u < 64; ++u) {
      const double t = (2 * u - 63) / 64.0;
      const double place = std::clamp(u + 0.12 * (1 - t * t) * 32, 0.0, 62.999);
      const int left = static_cast<int>(place);
      const double part = place - left;
      const double expected =
          (1 - part) * straight.at(row, left) + part * straight.at(row, left + 1);
      sum += std::abs(expected - bent.at(row, u));
    }
  }
  // Linear instead of cubic at the edges of strokes, a fifth of the frame; unbent it is 0.09.
  EXPECT_LT(sum / (64 * 64), 0.01);
  EXPECT_GT(largest_difference(straight, bent), 0.5);
}

// invariant: bends are mirrored and transposed with the character.
TEST(NormalisedCharacter, BendsKeepMirrorImages) {
  const Image<float> ink = drawn_ink({120, 90, 20, 7, 80});
  CharacterFrame frame, mirror, swap;
  frame.bend_x = swap.bend_y = 0.1;
  mirror.bend_x = -0.1;
  const Image<float> result = normalised(ink, frame);
  // Sums of floats in another order; places on a stroke's edge.
  EXPECT_LT(largest_difference(normalised(mirrored(ink), mirror), mirrored(result)), 1e-4);
  EXPECT_LT(largest_difference(normalised(transposed(ink), swap), transposed(result)), 1e-4);
}

// agreement: several frames together are the same as each alone.
TEST(NormalisedCharacter, SeveralFramesAreThoseAlone) {
  std::vector<CharacterFrame> frames(4);
  frames[1].density = 0;
  frames[2].density = 1;
  frames[3].bend_x = -0.12;
  frames[3].squaring = 0;
  const std::vector<Image<float>> together = normalised(usual_ink(), frames);
  ASSERT_EQ(together.size(), 4U);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(largest_difference(together[i], normalised(usual_ink(), frames[i])), 0) << i;
  }
}

// invariant: a mirrored or transposed character has a mirrored or transposed frame.
TEST(NormalisedCharacter, KeepsMirrorImages) {
  const Image<float> ink = drawn_ink({120, 90, 20, 7, 80});
  const Image<float> result = normalised(ink, CharacterFrame());
  // Sums of floats in another order; places on a stroke's edge.
  EXPECT_LT(largest_difference(normalised(mirrored(ink), CharacterFrame()), mirrored(result)),
            1e-4);
  EXPECT_LT(largest_difference(normalised(transposed(ink), CharacterFrame()), transposed(result)),
            1e-4);
}

// invariant: a picture that is moved, enlarged or has another margin gives the same frame, up to
// the pixels it is drawn in.
TEST(NormalisedCharacter, IsTheSameAtAnyPlaceAndSize) {
  const Image<float> usual = normalised(usual_ink(), CharacterFrame());
  const auto mean_difference = [&](const DrawnPlace& place) {
    const Image<float> other = normalised(drawn_ink(place), CharacterFrame());
    double sum = 0;
    for (std::size_t i = 0; i < other.size(); ++i)
      sum += std::abs(other.data()[i] - usual.data()[i]);
    return sum / static_cast<double>(other.size());
  };
  // By whole pixels only the last digits of the sums change.
  EXPECT_LT(mean_difference({140, 100, 71, 40, 44}), 1e-5);
  // A fifth of the frame is stroke, most of it edges, which are drawn a fraction of a pixel apart.
  EXPECT_LT(mean_difference({80, 80, 10.4, 9.7, 44}), 0.015);
  EXPECT_LT(mean_difference({192, 192, 30, 27, 132}), 0.02);
  EXPECT_LT(mean_difference({1900, 1950, 200, 100, 1700}), 0.03);
}

// invariant: straight strokes, dots and single pixels stay finite and keep their shape.
TEST(NormalisedCharacter, OfStraightStrokes) {
  struct Case {
    DrawnPlace place;
    DrawnStroke stroke;
    double least_ratio;  // of the deviations, across over down
  };
  for (const Case& c : {Case{{64, 64, 0, 0, 64}, {0.1, 0.5, 0.9, 0.5, 0.06}, 2.5},
                        Case{{2000, 30, 0, 0, 2000}, {0.05, 0.007, 0.95, 0.007, 0.001}, 2.5},
                        Case{{16, 16, 0, 0, 16}, {0.1, 0.5, 0.9, 0.5, 0.07}, 1.5},
                        Case{{64, 64, 0, 0, 64}, {0.2, 0.8, 0.201, 0.8, 0.1}, 0.9}}) {
    const Image<float> ink = drawn_ink(c.place, {c.stroke});
    const Image<float> across = normalised(ink, CharacterFrame());
    const Image<float> down = normalised(transposed(ink), CharacterFrame());
    for (const float value : across.pixels())
      ASSERT_TRUE(value >= 0 && value <= 1) << c.place.width;
    const InkMoments m = moments_of_ink(across);
    EXPECT_GT(m.all, 20) << c.place.width;
    EXPECT_GT(m.across / m.down, c.least_ratio) << c.place.width;
    EXPECT_LT(largest_difference(transposed(across), down), 1e-4) << c.place.width;
  }
  for (const auto& [row, column] : {std::pair{0, 0}, {8, 5}, {15, 15}}) {
    Image<float> pixel(16, 16);
    pixel.at(row, column) = 0.01f;
    const InkMoments m = moments_of_ink(normalised(pixel, CharacterFrame()));
    EXPECT_GT(m.all, 1) << row;
    EXPECT_NEAR(m.x, 31.5, 0.5) << row;
  }
}

// mechanics: no ink, no strokes.
TEST(NormalisedCharacter, OfNoInkIsEmpty) {
  const Image<float> result = normalised(Image<float>(30, 20), CharacterFrame());
  ASSERT_EQ(result.width(), 64);
  ASSERT_EQ(result.height(), 64);
  EXPECT_EQ(std::ranges::count(result.pixels(), 0.0f), 64 * 64);
}

}  // namespace
}  // namespace leafglyph
