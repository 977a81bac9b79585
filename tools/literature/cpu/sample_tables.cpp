#include "tools/literature/cpu/sample_tables.h"

#include <cmath>
#include <cstddef>

namespace leafglyph::published {

PolarTables polar_tables(int size) {
  const auto side = static_cast<float>(size);
  const float step = 2.0F / side;
  PolarTables tables;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const float x = -1.0F + 1.0F / side + step * static_cast<float>(column);
      const float y = 1.0F - 1.0F / side - step * static_cast<float>(row);
      tables.rho.push_back(std::hypot(x, y));
      tables.theta.push_back(std::atan2(y, x));
      if (row >= size / 2 || column >= size / 2) continue;
      // The corner that is farthest from the centre.
      const float left = -1.0F + step * static_cast<float>(column);
      const float top = 1.0F - step * static_cast<float>(row);
      tables.mask.push_back(left * left + top * top <= 1.0F ? 1.0F : 0.0F);
    }
  }
  return tables;
}

std::vector<float> power_table(std::span<const float> rho, int order) {
  std::vector<float> powers;
  powers.reserve(rho.size() * (static_cast<std::size_t>(order) + 1));
  for (int n = 0; n <= order; ++n) {
    for (const float radius : rho) powers.push_back(std::pow(radius, static_cast<float>(n)));
  }
  return powers;
}

std::vector<std::complex<float>> exponential_table(std::span<const float> theta, int order) {
  std::vector<std::complex<float>> exponentials;
  exponentials.reserve(theta.size() * (static_cast<std::size_t>(order) + 1));
  for (int m = 0; m <= order; ++m) {
    for (const float angle : theta) {
      const float turned = static_cast<float>(m) * angle;
      exponentials.emplace_back(std::cos(turned), -std::sin(turned));
    }
  }
  return exponentials;
}

}  // namespace leafglyph::published
