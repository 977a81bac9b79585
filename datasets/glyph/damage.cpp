#include "datasets/glyph/damage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "features/base/random_numbers.h"

namespace leafglyph {
namespace {

constexpr double kUnits = 80;  // on the longer side

double unit_of(const Image<float>& ink) { return std::max(ink.width(), ink.height()) / kUnits; }

// Mathematical functions differ in their last digits between machines; a threshold would show it.
double rounded(double value) { return std::round(value * 0x1p30) * 0x1p-30; }

template <class Change>
void change_each(Image<float>& ink, const Change& change) {
  for (float& value : ink.pixels())
    value = std::clamp(static_cast<float>(change(value)), 0.0f, 1.0f);
}

// Pixels of an image that make one of another, along an axis.
struct AxisSum {
  int first = 0;
  std::vector<float> weights;
};

// Sums of whole rows, and the result on its side: twice is both axes.
Image<float> summed_on_its_side(const Image<float>& image, const std::vector<AxisSum>& rows) {
  const auto width = static_cast<std::size_t>(image.width());
  Image<float> result(static_cast<int>(rows.size()), image.width());
  std::vector<float> line(width);
  float* out = result.data();
  for (const AxisSum& sum : rows) {
    std::ranges::fill(line, 0.0f);
    int at = sum.first;
    for (const float weight : sum.weights) {
      const float* row = &image.at(std::clamp(at++, 0, image.height() - 1), 0);
      for (std::size_t i = 0; i < width; ++i) line[i] += weight * row[i];
    }
    for (std::size_t i = 0; i < width; ++i) out[i * rows.size()] = line[i];
    ++out;
  }
  return result;
}

Image<float> summed(const Image<float>& image, const std::vector<AxisSum>& columns,
                    const std::vector<AxisSum>& rows) {
  return summed_on_its_side(summed_on_its_side(image, rows), columns);
}

std::vector<AxisSum> gaussian_sums(int size, double sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(sigma > 0 ? rounded(std::exp(-0.5 * i * i / (sigma * sigma))) : 1.0);
    sum += weights.back();
  }
  AxisSum one;
  for (const double weight : weights) one.weights.push_back(static_cast<float>(weight / sum));
  std::vector<AxisSum> sums(static_cast<std::size_t>(size), one);
  for (int u = 0; u < size; ++u) sums[static_cast<std::size_t>(u)].first = u - radius;
  return sums;
}

Image<float> blurred(const Image<float>& image, double sigma) {
  return summed(image, gaussian_sums(image.width(), sigma), gaussian_sums(image.height(), sigma));
}

// Means over equal parts of `size` pixels.
std::vector<AxisSum> mean_sums(int size, int parts) {
  std::vector<AxisSum> sums;
  const double part = static_cast<double>(size) / parts;
  for (int u = 0; u < parts; ++u) {
    AxisSum& sum = sums.emplace_back();
    sum.first = static_cast<int>(u * part);
    for (int i = sum.first; i < size && i < (u + 1) * part; ++i) {
      const double share = std::min<double>(i + 1, (u + 1) * part) - std::max<double>(i, u * part);
      sum.weights.push_back(static_cast<float>(share / part));
    }
  }
  return sums;
}

// Cubic convolution (a = -1/2) from `parts` pixels to `size`.
std::vector<AxisSum> cubic_sums(int parts, int size) {
  const auto near = [](double d) { return (1.5 * d - 2.5) * d * d + 1; };
  const auto far = [](double d) { return ((-0.5 * d + 2.5) * d - 4) * d + 2; };
  std::vector<AxisSum> sums;
  for (int u = 0; u < size; ++u) {
    const double place = (u + 0.5) * parts / size - 0.5, whole = std::floor(place);
    const double t = place - whole;
    AxisSum& sum = sums.emplace_back();
    sum.first = static_cast<int>(whole) - 1;
    for (const double weight : {far(1 + t), near(t), near(1 - t), far(2 - t)}) {
      sum.weights.push_back(static_cast<float>(weight));
    }
  }
  return sums;
}

// Linear between pixels, 0 beyond them.
float value_at(const Image<float>& ink, double x, double y) {
  const double left = std::floor(x), top = std::floor(y);
  if (!(left >= -1 && top >= -1 && left < ink.width() && top < ink.height())) return 0;
  const auto pixel = [&](int row, int column) {
    return row < 0 || column < 0 || row >= ink.height() || column >= ink.width()
               ? 0.0
               : double{ink.at(row, column)};
  };
  const int row = static_cast<int>(top), column = static_cast<int>(left);
  const double across = x - left, down = y - top;
  return static_cast<float>(
      (1 - down) * ((1 - across) * pixel(row, column) + across * pixel(row, column + 1)) +
      down * ((1 - across) * pixel(row + 1, column) + across * pixel(row + 1, column + 1)));
}

// The picture whose pixel (column, row) shows the place that `place` returns, as x and y.
template <class Place>
Image<float> moved(const Image<float>& ink, const Place& place) {
  Image<float> result(ink.width(), ink.height());
  for (int row = 0; row < ink.height(); ++row) {
    for (int column = 0; column < ink.width(); ++column) {
      const auto [x, y] = place(column, row);
      result.at(row, column) = value_at(ink, x, y);
    }
  }
  return result;
}

// Turned by `degrees`; before that sheared along x and stretched by `stretch` along x and 1 over
// that along y.
Image<float> tilted(const Image<float>& ink, double degrees, double shear, double stretch) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = rounded(std::cos(angle)), s = rounded(std::sin(angle));
  const double cx = 0.5 * (ink.width() - 1), cy = 0.5 * (ink.height() - 1);
  return moved(ink, [&](int column, int row) {
    const double y = (row - cy) / stretch, x = (column - cx) * stretch + shear * (row - cy);
    return std::array{cx + c * x - s * y, cy + s * x + c * y};
  });
}

Image<float> noise_of_size(const Image<float>& ink, RandomNumbers& random) {
  Image<float> noise(ink.width(), ink.height());
  for (float& value : noise.pixels()) value = static_cast<float>(random.normal(0, 1));
  return noise;
}

constexpr double kStrokes = 8, kParts = 16;  // units: what is displaced together

// Noise of the given standard deviation, smooth within so many units.
Image<float> displacement(const Image<float>& ink, double deviation, double smoothness,
                          RandomNumbers& random) {
  Image<float> noise = blurred(noise_of_size(ink, random), smoothness * unit_of(ink));
  double sum = 0, squares = 0;
  for (const float value : noise.pixels()) {
    sum += value;
    squares += double{value} * value;
  }
  const double mean = sum / static_cast<double>(noise.size());
  const double variance = squares / static_cast<double>(noise.size()) - mean * mean;
  const double factor = variance > 0 ? deviation / std::sqrt(variance) : 0;
  for (float& value : noise.pixels()) value = static_cast<float>(factor * value);
  return noise;
}

Image<float> warped(const Image<float>& ink, double units, double smoothness,
                    RandomNumbers& random) {
  const Image<float> across = displacement(ink, units * unit_of(ink), smoothness, random);
  const Image<float> down = displacement(ink, units * unit_of(ink), smoothness, random);
  return moved(ink, [&](int column, int row) {
    return std::array{double{across.at(row, column)} + column, double{down.at(row, column)} + row};
  });
}

// Strokes end where the blurred ink is `level`: below 1/2 they are bolder than before.
Image<float> with_strokes_to(const Image<float>& ink, double sigma, double level) {
  constexpr double kSteepness = 3;
  Image<float> result = blurred(ink, sigma * unit_of(ink));
  change_each(result, [&](float value) { return (value - level) * kSteepness + 0.5; });
  return result;
}

Image<float> of_few_pixels(const Image<float>& ink, int side, double sigma, double noise,
                           RandomNumbers& random) {
  constexpr float kFaintest = 0.25f;  // fainter pixels are paper
  const int longer = std::max(ink.width(), ink.height());
  const auto few = [&](int pixels) { return std::max(1, (pixels * side + longer / 2) / longer); };
  const int width = few(ink.width()), height = few(ink.height());
  Image<float> small =
      blurred(summed(ink, mean_sums(ink.width(), width), mean_sums(ink.height(), height)), sigma);
  change_each(small, [&](float value) { return value + random.normal(0, noise); });
  change_each(small, [](float value) { return value < kFaintest ? 0.0f : value; });
  Image<float> result =
      summed(small, cubic_sums(width, ink.width()), cubic_sums(height, ink.height()));
  change_each(result, [](float value) { return value; });
  return result;
}

Image<float> out_of_focus(const Image<float>& ink, double sigma) {
  constexpr double kDarker = 1.2;  // as an exposure that keeps strokes dark
  Image<float> result = blurred(ink, sigma * unit_of(ink));
  change_each(result, [](float value) { return kDarker * value; });
  return result;
}

Image<float> faxed(const Image<float>& ink, double noise, RandomNumbers& random) {
  Image<float> result = blurred(ink, 0.8 * unit_of(ink));
  const Image<float> specks = blurred(noise_of_size(ink, random), unit_of(ink));
  const float* speck = specks.data();
  change_each(result, [&](float value) { return value + noise * *speck++ > 0.5 ? 1.0f : 0.0f; });
  return result;
}

constexpr std::size_t kSingle = 40, kSeveral = 41;  // streams of random numbers for a seed

}  // namespace

Image<float> damaged(const Image<float>& ink, Damage damage, std::uint64_t seed) {
  RandomNumbers random = RandomNumbers::stream(seed, kSingle);
  switch (damage) {
    case Damage::kTilt:
      return tilted(ink, random.uniform(-6, 6), 0, 1);
    case Damage::kSmall:
      return of_few_pixels(ink, 24, 0.5, 0.08, random);
    case Damage::kBlur:
      return out_of_focus(ink, 2);
    case Damage::kThin:
      return with_strokes_to(ink, 1, 0.68);
    case Damage::kBold:
      return with_strokes_to(ink, 1, 0.30);
    case Damage::kFax:
      return faxed(ink, 0.5, random);
    case Damage::kWarp:
      break;
  }
  return warped(ink, 2, kStrokes, random);
}

Image<float> damaged(const Image<float>& ink, std::uint64_t seed) {
  RandomNumbers random = RandomNumbers::stream(seed, kSeveral);
  const auto with_chance = [&](double share) { return random.uniform(0, 1) < share; };
  // One after another, because the order in which arguments are evaluated is not fixed.
  const auto between = [&](double low, double high) { return random.uniform(low, high); };
  Image<float> result = ink;
  if (with_chance(0.6)) {
    const double degrees = between(-6, 6), shear = between(-0.15, 0.15);
    result = tilted(result, degrees, shear, rounded(std::exp(between(-0.15, 0.15))));
  }
  if (with_chance(0.5)) {
    const double level = with_chance(0.5) ? between(0.5, 0.68) : between(0.28, 0.5);
    result = with_strokes_to(result, between(0.5, 1.3), level);
  }
  if (with_chance(0.5)) result = warped(result, between(1, 4), kParts, random);
  if (with_chance(0.3)) result = warped(result, between(0.5, 2.5), kStrokes, random);
  if (with_chance(0.5)) {
    const int side = static_cast<int>(between(18, 44));
    const double sigma = between(0, 0.8);
    result = of_few_pixels(result, side, sigma, between(0, 0.1), random);
  } else if (with_chance(0.4)) {
    result = out_of_focus(result, between(0.5, 2));
  }
  if (with_chance(0.3)) result = faxed(result, between(0.1, 0.6), random);
  return result;
}

}  // namespace leafglyph
