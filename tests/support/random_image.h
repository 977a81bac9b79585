// Random grey values, the same for the same seed.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace leafglyph {

/// `count` values, uniform from 0 to 255.
inline std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> grey(0.0, 255.0);
  std::vector<double> values(count);
  for (double& value : values) value = grey(generator);
  return values;
}

/// A random image of size x size pixels.
inline std::vector<double> random_image(int size, unsigned seed) {
  return random_values(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), seed);
}

}  // namespace leafglyph
