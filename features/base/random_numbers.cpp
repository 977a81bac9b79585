#include "features/base/random_numbers.h"

#include <cmath>

namespace leafglyph {

std::uint64_t RandomNumbers::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double RandomNumbers::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
}

double RandomNumbers::normal(double mean, double sigma) {
  const std::uint64_t b = bits();
  const auto sum =
      static_cast<double>((b & 0xffff) + (b >> 16 & 0xffff) + (b >> 32 & 0xffff) + (b >> 48));
  // The sum of four uniform numbers of variance 1/12 each.
  return mean + sigma * (sum / 65535.0 - 2) * std::sqrt(3.0);
}

}  // namespace leafglyph
