#include "tools/literature/cpu/zernike_methods.h"

#include <cmath>
#include <numbers>
#include <string>

#include "features/base/errors.h"
#include "tools/literature/cpu/disk_samples.h"

namespace leafglyph::published {
namespace {

constexpr int kLargestFactorial = 170;  // 171! overflows double

double factorial(int i) { return std::tgamma(static_cast<double>(i) + 1.0); }

// The coefficient of rho^i in R_nm.
double radial_coefficient(Family family, int n, int m, int i) {
  if (family == Family::kZernike) {
    const double sign = (n - i) / 2 % 2 == 0 ? 1.0 : -1.0;
    return sign * factorial((n + i) / 2) /
           (factorial((n - i) / 2) * factorial((i + m) / 2) * factorial((i - m) / 2));
  }
  const double sign = (n - i) % 2 == 0 ? 1.0 : -1.0;
  return sign * factorial(n + i + 1) / (factorial(n - i) * factorial(m + i + 1) * factorial(i - m));
}

// The sums of f x^a y^b (plain) and of f rho x^a y^b (radial) for a + b <= order, times the
// sub-pixel area.
template <class T>
class PowerSums {
 public:
  PowerSums(int order, const WholeDisk& disk, double area)
      : row_(static_cast<std::size_t>(order) + 1), plain_(row_ * row_), radial_(row_ * row_) {
    for (std::size_t p = 0; p < disk.samples.size(); ++p) {
      const T x = static_cast<T>(disk.samples[p].x);
      const T y = static_cast<T>(disk.samples[p].y);
      const T rho = std::hypot(x, y);
      T line = static_cast<T>(disk.values[p] * area);
      for (std::size_t b = 0; b < row_; ++b, line *= y) {
        T value = line;
        for (std::size_t a = 0; a + b < row_; ++a, value *= x) {
          plain_[a * row_ + b] += value;
          radial_[a * row_ + b] += rho * value;
        }
      }
    }
  }
  T plain(int a, int b) const { return plain_[at(a, b)]; }
  T radial(int a, int b) const { return radial_[at(a, b)]; }

 private:
  std::size_t at(int a, int b) const {
    return static_cast<std::size_t>(a) * row_ + static_cast<std::size_t>(b);
  }
  std::size_t row_;
  std::vector<T> plain_;
  std::vector<T> radial_;
};

template <class T>
T binomial(int n, int k) {
  return static_cast<T>(factorial(n) / (factorial(k) * factorial(n - k)));
}

// The integral of f rho^i e^{-j m theta}, i >= m, by expanding rho^{2s} = (x^2 + y^2)^s and
// rho^m e^{-j m theta} = (x - j y)^m into powers of x and y.
template <class T>
std::complex<T> radial_power(const PowerSums<T>& sums, int i, int m) {
  const bool even = (i - m) % 2 == 0;
  const int s = (i - m) / 2;
  const std::complex<T> turns[4] = {{T(1), T(0)}, {T(0), T(-1)}, {T(-1), T(0)}, {T(0), T(1)}};
  std::complex<T> sum(0);
  for (int p = 0; p <= s; ++p) {
    for (int q = 0; q <= m; ++q) {
      const int a = 2 * (s - p) + m - q;
      const int b = 2 * p + q;
      sum += turns[q % 4] * (binomial<T>(s, p) * binomial<T>(m, q) *
                             (even ? sums.plain(a, b) : sums.radial(a, b)));
    }
  }
  return sum;
}

// Z_nm = (n + 1) / pi sum over i of B_nmi times the integral of f rho^i e^{-j m theta}. The powers
// of one m are shared by all n.
template <class T>
std::vector<std::complex<double>> compute(Family family, int order, int k,
                                          std::span<const double> image, int size) {
  const double side = static_cast<double>(size) * k;
  const PowerSums<T> sums(order, whole_disk(image, size, k), 4.0 / (side * side));
  const int step = family == Family::kZernike ? 2 : 1;
  std::vector<std::complex<double>> moments(moment_count(family, order));
  for (int m = 0; m <= order; ++m) {
    std::vector<std::complex<T>> powers;
    for (int i = m; i <= order; i += step) powers.push_back(radial_power(sums, i, m));
    for (int n = m; n <= order; n += step) {
      std::complex<T> sum(0);
      for (int i = m; i <= n; i += step) {
        sum += static_cast<T>(radial_coefficient(family, n, m, i)) *
               powers[static_cast<std::size_t>((i - m) / step)];
      }
      const double scale = (n + 1) / std::numbers::pi;
      moments[moment_position(family, n, m)] = {scale * static_cast<double>(sum.real()),
                                                scale * static_cast<double>(sum.imag())};
    }
  }
  return moments;
}

}  // namespace

std::vector<std::complex<double>> moments_from_geometric(Family family, Precision precision,
                                                         int order, int k,
                                                         std::span<const double> image, int size) {
  if (family != Family::kZernike && family != Family::kPseudoZernike) {
    throw UsageError("geometric moments give zernike and pseudo-zernike moments, not " +
                     std::string(family_name(family)));
  }
  const int largest = family == Family::kZernike ? order : 2 * order + 1;
  if (order < 0 || largest > kLargestFactorial) {
    throw UsageError("order " + std::to_string(order) + " needs " + std::to_string(largest) +
                     "!; double holds factorials to " + std::to_string(kLargestFactorial) + "!");
  }
  return precision == Precision::kFloat ? compute<float>(family, order, k, image, size)
                                        : compute<double>(family, order, k, image, size);
}

}  // namespace leafglyph::published
