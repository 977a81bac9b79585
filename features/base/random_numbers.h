// Random numbers for generated data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leafglyph {

/// Reproducible random numbers (SplitMix64), the same on every machine.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  /// An independent sequence for each kind of pictures from one seed.
  static RandomNumbers stream(std::uint64_t seed, std::size_t kind) {
    RandomNumbers streams(seed);
    return RandomNumbers(streams.bits() ^ (kind + 1) * 0x9e3779b97f4a7c15U);
  }
  std::uint64_t bits();
  double uniform(double low, double high);
  /// Approximately normal: the sum of four uniform numbers, within 3.5 sigma.
  double normal(double mean, double sigma);

 private:
  std::uint64_t state_;
};

}  // namespace leafglyph
