// The rotation from Koornwinder's polynomials to Zernike's within each degree.
#include "features/separable/degree_rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "features/base/statistics.h"

extern "C" void dstevr_(const char* job, const char* range, const int* n, double* diagonal,
                        double* beside, const double* low, const double* high, const int* first,
                        const int* last, const double* tolerance, int* found, double* values,
                        double* vectors, const int* stride, int* support, double* work,
                        const int* work_size, int* whole_work, const int* whole_work_size,
                        int* info);

namespace leafglyph {
namespace {

constexpr unsigned kDegreeRotationSeed = 20260802;

// Component i of vector m is at [m][i].
std::vector<double> matrix_of(const DegreeRotation& rotation, int n, int parity) {
  const std::size_t count = DegreeRotation::terms(n, parity);
  std::vector<double> in(rotation.padded_terms());
  std::vector<double> out(rotation.padded_terms());
  std::vector<double> matrix(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    in.assign(in.size(), 0.0);
    in[i] = rotation.scale(n, parity)[i];
    rotation.sums(n, parity, in.data(), out.data());
    for (std::size_t m = 0; m < count; ++m) matrix[m * count + i] = out[m];
  }
  return matrix;
}

// The same matrix from the operator's matrix with LAPACK; first components are positive.
std::vector<double> eigenvectors(int n, int parity) {
  const auto count = static_cast<int>(DegreeRotation::terms(n, parity));
  std::vector<double> diagonal;
  std::vector<double> beside;
  for (int k = parity; k <= n; k += 2) {
    const double alpha = (2.0 * k * k + 2 * k - 1) / ((2.0 * k - 1) * (2.0 * k + 3));
    diagonal.push_back(alpha * ((n + 1.0) * (n + 1.0) - 1) - k * (k + 1.0) * (1 - alpha));
    const double gamma =
        (k + 1.0) * (k + 2.0) / ((2.0 * k + 3) * std::sqrt((2.0 * k + 1) * (2.0 * k + 5)));
    const double square = (n + 1.0) * (n + 1.0);
    beside.push_back(-gamma * std::sqrt(std::max(0.0, (square - (k + 1.0) * (k + 1.0)) *
                                                          (square - (k + 2.0) * (k + 2.0)))));
  }
  const std::size_t size = diagonal.size();
  std::vector<double> values(size);
  std::vector<double> vectors(size * size);
  std::vector<double> work(20 * size);
  std::vector<int> whole_work(10 * size);
  std::vector<int> support(2 * size);
  const int work_size = 20 * count;
  const int whole_work_size = 10 * count;
  const double zero = 0.0;
  const int none = 0;
  int found = 0;
  int info = 0;
  dstevr_("V", "A", &count, diagonal.data(), beside.data(), &zero, &zero, &none, &none, &zero,
          &found, values.data(), vectors.data(), &count, support.data(), work.data(), &work_size,
          whole_work.data(), &whole_work_size, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(found, count);
  for (std::size_t m = 0; m < size; ++m) {
    const double repetition =
        DegreeRotation::first_repetition(n, parity) + 2.0 * static_cast<double>(m);
    // the eigenvalues are m^2, up to a rounding of n^2
    EXPECT_NEAR(values[m], repetition * repetition, 1e-14 * (n + 1) * (n + 1) * 10);
    double* vector = vectors.data() + m * size;
    // the sign of the first component fixes that of the whole vector
    if (vector[0] < 0) {
      for (std::size_t i = 0; i < size; ++i) vector[i] = -vector[i];
    }
  }
  return vectors;
}

// oracle: LAPACK's eigenvectors of the tridiagonal matrix
TEST(DegreeRotation, RowsAreTheEigenvectorsThatLapackFinds) {
  const DegreeRotation rotation(200);
  for (int n = 0; n <= 200; n += n < 40 ? 1 : 13) {
    for (int parity = 0; parity < 2 && parity <= n; ++parity) {
      // a vector with eigenvalue m^2 is off by roundings of n^2 over the gap to the next one, 4 m +
      // 4
      EXPECT_LT(relative_l2(matrix_of(rotation, n, parity), eigenvectors(n, parity)), 1e-12)
          << "degree " << n << " parity " << parity;
    }
  }
}

// invariant: rotating forth and back, and back and forth, changes nothing
TEST(DegreeRotation, IsOrthogonalUpToOrder4000) {
  std::mt19937 generator(kDegreeRotationSeed);
  std::normal_distribution<double> normal;
  for (const int n : {0, 1, 2, 7, 63, 126, 500, 999, 2000, 3999, 4000}) {
    const DegreeRotation rotation(n, n);
    for (int parity = 0; parity < 2 && parity <= n; ++parity) {
      const std::size_t count = DegreeRotation::terms(n, parity);
      std::vector<double> vector(count);
      for (double& v : vector) v = normal(generator);
      std::vector<double> a(rotation.padded_terms());
      std::vector<double> b(rotation.padded_terms());
      std::vector<double> scratch(8 * rotation.padded_terms());
      const auto scale = rotation.scale(n, parity);
      for (std::size_t i = 0; i < count; ++i) a[i] = vector[i] * scale[i];
      rotation.sums(n, parity, a.data(), b.data());
      rotation.values(n, parity, b.data(), a.data(), scratch.data());
      std::vector<double> back(count);
      for (std::size_t i = 0; i < count; ++i) back[i] = a[i] * scale[i];
      // 1e-12: roundings of n^2 / (4 m + 4) components, measured 2e-13 at 4000
      EXPECT_LT(relative_l2(back, vector), 1e-12)
          << n << " parity " << parity << " seed " << kDegreeRotationSeed;
      a.assign(a.size(), 0.0);
      std::copy(vector.begin(), vector.end(), a.begin());
      rotation.values(n, parity, a.data(), b.data(), scratch.data());
      for (std::size_t i = 0; i < count; ++i) b[i] *= scale[i] * scale[i];
      rotation.sums(n, parity, b.data(), a.data());
      a.resize(count);
      EXPECT_LT(relative_l2(a, vector), 1e-12)
          << n << " parity " << parity << " seed " << kDegreeRotationSeed;
    }
  }
}

}  // namespace
}  // namespace leafglyph
