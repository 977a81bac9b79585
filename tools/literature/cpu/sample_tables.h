// The tables that the character thesis makes before its recurrence, in float: polar coordinates of
// all pixels, and the powers and exponentials of those that count.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace leafglyph::published {

/// Polar coordinates of the pixel centres of a size x size image, row by row from the top, and for
/// each pixel of its upper left quarter whether it lies in the disk (1) or not (0).
struct PolarTables {
  std::vector<float> rho;
  std::vector<float> theta;
  std::vector<float> mask;
};
PolarTables polar_tables(int size);

/// rho[p]^n at n * rho.size() + p, for n up to `order`.
std::vector<float> power_table(std::span<const float> rho, int order);
/// e^{-j m theta[p]} at m * theta.size() + p, for m up to `order`.
std::vector<std::complex<float>> exponential_table(std::span<const float> theta, int order);

}  // namespace leafglyph::published
