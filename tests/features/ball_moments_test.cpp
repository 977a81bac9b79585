// Zernike moments of volumes against their definition in quadruple precision, and their invariants.
#include "features/moments/ball_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "features/ball/ball_products.h"
#include "features/base/errors.h"
#include "features/image/volume.h"
#include "features/moments/ball_grid.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

__extension__ typedef __float128 Quad;

constexpr unsigned kBallSeed = 20261129;

Quad quad_root(Quad x) {
  Quad root = static_cast<Quad>(std::sqrt(static_cast<double>(x)));
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;
  return root;
}

// The polynomials of Novotni and Klein, term by term, in quadruple precision: 34 digits, of which
// cancellation takes 16 at order 40.
class BallDefinition {
 public:
  explicit BallDefinition(int order)
      : order_(order), factorials_(2 * static_cast<std::size_t>(order) + 1) {
    factorials_[0] = 1;
    for (std::size_t i = 1; i < factorials_.size(); ++i) {
      factorials_[i] = factorials_[i - 1] * static_cast<Quad>(i);
    }
    for (int n = 0; n <= order; ++n) {
      for (int l = n % 2; l <= n; l += 2) radial_.push_back(radial_terms(n, l));
    }
    for (int l = 0; l <= order; ++l) {
      for (int m = 0; m <= l; ++m) angular_.push_back(angular_terms(l, m));
    }
  }

  // Z_nl^m at (x, y, z) for all stored moments, real and imaginary parts.
  void values(Quad x, Quad y, Quad z, std::vector<std::array<Quad, 2>>& out) const {
    const Quad square = x * x + y * y + z * z;
    std::vector<Quad> harmonic;  // r^l p_lm e^{j m phi} / (x + j y)^m
    for (int l = 0; l <= order_; ++l) {
      for (int m = 0; m <= l; ++m) harmonic.push_back(harmonic_at(l, m, z, square));
    }
    std::vector<std::array<Quad, 2>> powers{{1, 0}};
    for (int m = 1; m <= order_; ++m) {
      const auto [re, im] = powers.back();
      powers.push_back({re * x - im * y, re * y + im * x});
    }
    out.clear();
    std::size_t pair = 0;
    for (int n = 0; n <= order_; ++n) {
      for (int l = n % 2; l <= n; l += 2) {
        Quad radial = 0;
        const std::vector<Quad>& terms = radial_[pair++];
        for (std::size_t s = terms.size(); s-- > 0;) radial = radial * square + terms[s];
        for (int m = 0; m <= l; ++m) {
          const Quad factor = radial * harmonic[angular_at(l, m)];
          const auto& power = powers[static_cast<std::size_t>(m)];
          out.push_back({factor * power[0], factor * power[1]});
        }
      }
    }
  }

 private:
  static std::size_t angular_at(int l, int m) {
    return static_cast<std::size_t>(l * (l + 1) / 2 + m);
  }
  Quad factorial(int n) const { return factorials_[static_cast<std::size_t>(n)]; }

  // sqrt(4 pi / 3 / (2 pi)) R_nl / r^l as a polynomial in r^2, R_nl = (-1)^k sqrt(2 n + 3) r^l
  // P_k^(l + 1/2, 0)(1 - 2 r^2), k = (n - l) / 2.
  static std::vector<Quad> radial_terms(int n, int l) {
    const int k = (n - l) / 2;
    const Quad a = static_cast<Quad>(l) + static_cast<Quad>(0.5);
    Quad term = quad_root(static_cast<Quad>(2 * n + 3) * 2 / 3) * (k % 2 == 0 ? 1 : -1);
    for (int i = 1; i <= k; ++i) term *= (a + i) / i;
    std::vector<Quad> terms;
    for (int s = 0; s <= k; ++s) {
      terms.push_back(term);
      term *= -static_cast<Quad>(k - s) * (a + k + s + 1) / ((a + s + 1) * (s + 1));
    }
    return terms;
  }

  // The coefficients of z^{l - m - 2 i} r^{2 i} in r^l p_lm(cos theta) / rho^m.
  std::vector<Quad> angular_terms(int l, int m) const {
    const Quad norm =
        quad_root(static_cast<Quad>(2 * l + 1) / 2 * factorial(l - m) / factorial(l + m));
    std::vector<Quad> terms;
    for (int i = 0; 2 * i <= l - m; ++i) {
      Quad term = norm * factorial(2 * l - 2 * i) /
                  (factorial(i) * factorial(l - i) * factorial(l - 2 * i - m));
      for (int twice = 0; twice < l; ++twice) term /= 2;
      terms.push_back(i % 2 == 0 ? term : -term);
    }
    return terms;
  }

  Quad harmonic_at(int l, int m, Quad z, Quad square) const {
    const std::vector<Quad>& terms = angular_[angular_at(l, m)];
    Quad sum = 0;
    Quad z_power = (l - m) % 2 == 0 ? Quad{1} : z;
    for (std::size_t i = terms.size(); i-- > 0; z_power *= z * z) {
      Quad term = terms[i] * z_power;
      for (std::size_t r = 0; r < i; ++r) term *= square;
      sum += term;
    }
    return sum;
  }

  int order_;
  std::vector<Quad> factorials_;
  std::vector<std::vector<Quad>> radial_;
  std::vector<std::vector<Quad>> angular_;
};

MomentSpec ball_spec(int order) { return {Family::kZernike3d, order}; }

std::unique_ptr<MomentPlan> ball_plan(int order, const ArraySize& size,
                                      Precision precision = Precision::kDouble) {
  return cpu_plan(ball_spec(order), size, precision);
}

// Calls use(voxel number, x, y, z) for the voxels whose centres are in the ball.
template <class Use>
void for_ball_voxels(const ArraySize& size, const Use& use) {
  const int side = std::max({size.width, size.height, size.depth});
  std::size_t voxel = 0;
  for (int k = 0; k < size.depth; ++k) {
    for (int j = 0; j < size.height; ++j) {
      for (int i = 0; i < size.width; ++i, ++voxel) {
        const long x = 2 * i + 1 - size.width;
        const long y = size.height - 1 - 2 * j;
        const long z = 2 * k + 1 - size.depth;
        if (x * x + y * y + z * z > long{side} * side) continue;
        use(voxel, static_cast<Quad>(x) / side, static_cast<Quad>(y) / side,
            static_cast<Quad>(z) / side);
      }
    }
  }
}

// 3 / (4 pi) times the sum over the voxels in the ball of f conj(Z) (2 / N)^3.
std::vector<std::complex<double>> defined_moments(int order, const ArraySize& size,
                                                  const std::vector<double>& values) {
  const BallDefinition definition(order);
  std::vector<std::array<Quad, 2>> sums(ball_moment_count(order), std::array<Quad, 2>{0, 0});
  std::vector<std::array<Quad, 2>> z;
  for_ball_voxels(size, [&](std::size_t voxel, Quad x, Quad y, Quad up) {
    definition.values(x, y, up, z);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c][0] += static_cast<Quad>(values[voxel]) * z[c][0];
      sums[c][1] -= static_cast<Quad>(values[voxel]) * z[c][1];
    }
  });
  const double side = std::max({size.width, size.height, size.depth});
  const double factor = 6 / (std::acos(-1.0) * side * side * side);
  std::vector<std::complex<double>> moments;
  for (const auto& [re, im] : sums) {
    moments.emplace_back(factor * static_cast<double>(re), factor * static_cast<double>(im));
  }
  return moments;
}

double largest_of(const std::vector<std::complex<double>>& moments) {
  double most = 0.0;
  for (const auto& moment : moments) most = std::max(most, std::abs(moment));
  return most;
}

// The largest difference, beside the largest moment.
double ball_difference(const std::vector<std::complex<double>>& a,
                       const std::vector<std::complex<double>>& b) {
  double most = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) most = std::max(most, std::abs(a[c] - b[c]));
  return most / largest_of(b);
}

std::vector<double> ball_norms_of(int order, const ArraySize& size,
                                  const std::vector<double>& values) {
  const auto plan = ball_plan(order, size);
  std::vector<double> norms(ball_norm_count(order));
  ball_norms(order, moments_of(*plan, values), norms);
  return norms;
}

// oracle: the definition, for axes even, odd, equal and not, to order 40. The tolerance is a
// hundred roundings of double; the definition keeps 18 digits.
TEST(BallMoments, AreTheirDefinition) {
  struct Case {
    int order;
    ArraySize size;
  };
  for (const auto& [order, size] :
       {Case{40, {9, 9, 9}}, Case{40, {10, 10, 10}}, Case{15, {7, 12, 9}}, Case{12, {13, 6, 1}},
        Case{9, {1, 1, 5}}, Case{6, {3, 5, 4}}, Case{3, {1, 1, 1}}, Case{0, {2, 2, 2}}}) {
    SCOPED_TRACE(describe(size));
    const std::vector<double> values = random_values(size.elements(), kBallSeed);
    const auto expected = defined_moments(order, size, values);
    EXPECT_LE(ball_difference(moments_of(*ball_plan(order, size), values), expected), 2e-14);
    EXPECT_LE(
        ball_difference(moments_of(*ball_plan(order, size, Precision::kFloat), values), expected),
        2e-6);
  }
}

// oracle: the sum of Omega Z at every voxel, with negative m by conjugation, also of some orders
// and repetitions. Voxels outside are 0.
TEST(BallMoments, ComeBackAsTheirSum) {
  constexpr int kOrder = 11;
  const ArraySize size{9, 8, 11};
  const auto plan = ball_plan(kOrder, size);
  std::mt19937 generator(kBallSeed);
  std::normal_distribution<double> normal;
  const auto indices = volume_moment_indices(ball_spec(kOrder));
  std::vector<std::complex<double>> moments;
  for (const auto& [n, l, m] : indices) {
    const double re = normal(generator);
    moments.emplace_back(re, m == 0 ? 0.0 : normal(generator));
  }
  const auto check = [&](const MomentSelection& selection,
                         const std::function<double(int)>& weight) {
    std::vector<double> volume(size.elements(), 7.0);
    plan->reconstruct(moments, selection, volume);
    std::vector<double> expected(size.elements(), 0.0);
    const BallDefinition definition(kOrder);
    std::vector<std::array<Quad, 2>> z;
    for_ball_voxels(size, [&](std::size_t voxel, Quad x, Quad y, Quad up) {
      definition.values(x, y, up, z);
      for (std::size_t c = 0; c < moments.size(); ++c) {
        if (indices[c][0] < selection.first_order || indices[c][0] > selection.last_order) continue;
        expected[voxel] +=
            weight(indices[c][2]) * (moments[c].real() * static_cast<double>(z[c][0]) -
                                     moments[c].imag() * static_cast<double>(z[c][1]));
      }
    });
    for (std::size_t v = 0; v < volume.size(); ++v) EXPECT_NEAR(volume[v], expected[v], 1e-11);
  };
  check({0, kOrder}, [](int m) { return m == 0 ? 1.0 : 2.0; });
  check({3, 8}, [](int m) { return m == 0 ? 1.0 : 2.0; });
  check({0, kOrder, Repetitions::kPositive}, [](int m) { return m == 0 ? 0.0 : 1.0; });
}

// oracle: of one voxel at radius r, the sum of |Omega_nl^m|^2 over m is R_nl(r)^2 (2 l + 1) times a
// constant (the addition theorem), to an order whose binomial sums have lost all digits.
TEST(BallMoments, OfOneVoxelObeyTheAdditionTheoremAtOrder150) {
  constexpr int kOrder = 150;
  constexpr int kSide = 24;
  std::vector<double> values(kSide * kSide * kSide, 0.0);
  values[(5 * kSide + 14) * kSide + 9] = 1.0;
  const long x = 2 * 9 + 1 - kSide;
  const long y = kSide - 1 - 2 * 14;
  const long z = 2 * 5 + 1 - kSide;
  const Quad square = static_cast<Quad>(x * x + y * y + z * z) / (kSide * kSide);
  const std::vector<double> norms = ball_norms_of(kOrder, {kSide, kSide, kSide}, values);
  const auto indices = ball_norm_indices(kOrder);
  const double voxel = 6 / (std::acos(-1.0) * kSide * kSide * kSide);
  for (int l = 0; l <= kOrder; ++l) {
    // Jacobi polynomials P_k^(l + 1/2, 0)(1 - 2 r^2) by their recurrence in quadruple precision.
    const Quad a = static_cast<Quad>(l) + static_cast<Quad>(0.5);
    const Quad at = 1 - 2 * square;
    Quad power = 1;
    for (int i = 0; i < l; ++i) power *= square;
    Quad before = 0;
    Quad value = 1;
    for (int n = l; n <= kOrder; n += 2) {
      const int k = (n - l) / 2;
      if (k > 0) {
        const Quad c = 2 * k + a;
        const Quad next = k == 1 ? (a + 1) + (a + 2) * (at - 1) / 2
                                 : ((c - 1) * (c * (c - 2) * at + a * a) * value -
                                    2 * (k + a - 1) * (k - 1) * c * before) /
                                       (2 * k * (k + a) * (c - 2));
        before = value;
        value = next;
      }
      const double radial = std::sqrt(static_cast<double>(power * (2 * n + 3) * value * value));
      const std::size_t place = Family::kZernike.row().position(n, l);
      ASSERT_EQ(indices[place], (MomentIndex{n, l}));
      const double expected = voxel * radial * std::sqrt((2 * l + 1) / 3.0);
      EXPECT_NEAR(norms[place], expected, 1e-12 * voxel * kOrder) << n << ", " << l;
    }
  }
}

// The voxel of a cube that a turn or mirror moves to (x, y, z): axis a of the target is axis
// axes[a] of the source, reversed if flips[a].
std::vector<double> moved(const std::vector<double>& values, int side,
                          const std::array<int, 3>& axes, const std::array<bool, 3>& flips) {
  std::vector<double> out(values.size());
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < side; ++at[2]) {
    for (at[1] = 0; at[1] < side; ++at[1]) {
      for (at[0] = 0; at[0] < side; ++at[0]) {
        std::array<int, 3> from{};
        for (std::size_t a = 0; a < 3; ++a) {
          from[static_cast<std::size_t>(axes[a])] = flips[a] ? side - 1 - at[a] : at[a];
        }
        const auto number = [side](const std::array<int, 3>& p) {
          return static_cast<std::size_t>((p[2] * side + p[1]) * side + p[0]);
        };
        out[number(at)] = values[number(from)];
      }
    }
  }
  return out;
}

// invariant: the 24 turns of the cube and their mirror images move voxels to voxels, so only
// rounding differs.
TEST(BallMoments, KeepTheirNormsWhenTheCubeTurns) {
  constexpr int kOrder = 40;
  for (const int side : {15, 16}) {
    const std::vector<double> values =
        random_values(static_cast<std::size_t>(side * side * side), kBallSeed);
    const std::vector<double> norms = ball_norms_of(kOrder, {side, side, side}, values);
    const double most = *std::ranges::max_element(norms);
    std::array<int, 3> axes{0, 1, 2};
    int turns = 0;
    do {
      for (int flip = 0; flip < 8; ++flip, ++turns) {
        const auto turned = ball_norms_of(
            kOrder, {side, side, side},
            moved(values, side, axes, {(flip & 1) != 0, (flip & 2) != 0, (flip & 4) != 0}));
        for (std::size_t c = 0; c < norms.size(); ++c) {
          ASSERT_NEAR(turned[c], norms[c], 1e-13 * most) << c << ", turn " << turns;
        }
      }
    } while (std::ranges::next_permutation(axes).found);
    EXPECT_EQ(turns, 48);
  }
}

// Three smooth bumps of different size, at positions that a turn about an oblique axis moves.
std::vector<double> bumps(int side, double angle) {
  const Vector3 axis = unit({1.0, 2.0, -0.5});
  const auto turned = [&](const Vector3& v) {
    const Vector3 along = scaled(axis, dot(axis, v) * (1 - std::cos(angle)));
    return sum(sum(scaled(v, std::cos(angle)), scaled(cross(axis, v), std::sin(angle))), along);
  };
  const std::array<Vector3, 3> centres{turned({0.2, 0.1, -0.15}), turned({-0.15, 0.2, 0.1}),
                                       turned({0.0, -0.2, 0.2})};
  constexpr std::array<double, 3> kWidths{0.12, 0.15, 0.1};
  std::vector<double> values;
  for (int k = 0; k < side; ++k) {
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const Vector3 at{(2.0 * i + 1 - side) / side, (side - 1 - 2.0 * j) / side,
                         (2.0 * k + 1 - side) / side};
        double value = 0.0;
        for (std::size_t b = 0; b < 3; ++b) {
          const double away = length(sum(at, scaled(centres[b], -1.0))) / kWidths[b];
          value += std::exp(-0.5 * away * away);
        }
        values.push_back(value);
      }
    }
  }
  return values;
}

// invariant: a turn by any angle changes the norms by the error of sampling alone, which falls with
// the size of the volume. The bumps end before the rim, so that it falls fast: 0.12, 4e-5, 2e-7.
TEST(BallMoments, KeepTheirNormsWhenAVolumeTurns) {
  constexpr int kOrder = 10;
  double before = std::numeric_limits<double>::infinity();
  for (const int side : {8, 16, 32}) {
    const auto norms = ball_norms_of(kOrder, {side, side, side}, bumps(side, 0.0));
    const auto turned = ball_norms_of(kOrder, {side, side, side}, bumps(side, 0.7));
    double apart = 0.0;
    double all = 0.0;
    for (std::size_t c = 0; c < norms.size(); ++c) {
      apart += std::pow(norms[c] - turned[c], 2);
      all += norms[c] * norms[c];
    }
    const double error = std::sqrt(apart / all);
    EXPECT_LE(error, before / 100) << side;
    before = error;
  }
  EXPECT_LE(before, 1e-6);
}

// mechanics: a smooth volume comes back from its moments the better the higher the order: errors of
// 0.50, 0.15, 0.023 and 0.0024.
TEST(BallMoments, ReconstructASmoothVolume) {
  constexpr int kSide = 40;
  const std::vector<double> values = bumps(kSide, 0.3);
  double before = std::numeric_limits<double>::infinity();
  for (const int order : {8, 16, 24, 32}) {
    const auto plan = ball_plan(order, {kSide, kSide, kSide});
    std::vector<double> back(values.size());
    plan->reconstruct(moments_of(*plan, values), {0, order}, back);
    double apart = 0.0;
    double all = 0.0;
    for_ball_voxels({kSide, kSide, kSide}, [&](std::size_t voxel, Quad, Quad, Quad) {
      apart += std::pow(back[voxel] - values[voxel], 2);
      all += values[voxel] * values[voxel];
    });
    const double error = std::sqrt(apart / all);
    EXPECT_LE(error, before / 2) << order;
    before = error;
  }
  EXPECT_LE(before, 0.01);
}

// agreement: a batch is its volumes, whatever the type; magnitudes are those of the moments.
TEST(BallMoments, OfABatchAreThoseOfItsVolumes) {
  const ArraySize size{8, 9, 7};
  constexpr int kOrder = 7;
  constexpr std::size_t kVolumes = 37;  // more than are transformed together
  const auto plan = ball_plan(kOrder, size);
  std::vector<unsigned char> bytes;
  for (const double value : random_values(kVolumes * size.elements(), kBallSeed)) {
    bytes.push_back(static_cast<unsigned char>(value));
  }
  const std::size_t count = plan->moment_count();
  std::vector<std::complex<double>> moments(kVolumes * count);
  const ImageBatch batch(std::span<const unsigned char>(bytes), kVolumes, size);
  plan->moments(batch, moments);
  std::vector<float> magnitudes(kVolumes * count);
  plan->magnitudes(batch, magnitudes);
  std::vector<double> all(kVolumes * size.elements());
  plan->reconstruct(moments, {0, kOrder}, all);
  for (std::size_t b = 0; b < kVolumes; ++b) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(b * size.elements());
    const std::vector<double> one(first, first + static_cast<std::ptrdiff_t>(size.elements()));
    const auto alone = moments_of(*plan, one);
    std::vector<double> back(size.elements());
    plan->reconstruct(alone, {0, kOrder}, back);
    for (std::size_t c = 0; c < count; ++c) {
      EXPECT_NEAR(std::abs(moments[b * count + c] - alone[c]), 0.0, 1e-12);
      EXPECT_NEAR(magnitudes[b * count + c], std::abs(alone[c]), 1e-4);
    }
    for (std::size_t v = 0; v < back.size(); ++v) {
      EXPECT_NEAR(all[b * size.elements() + v], back[v], 1e-10);
    }
  }
}

// invariant: what a plan is said to need holds what its products have.
TEST(BallMoments, NeedNoMoreThanIsSaid) {
  for (const int order : {0, 1, 2, 7, 20}) {
    for (const ArraySize& size : {ArraySize{1, 1, 1}, {5, 6, 7}, {30, 30, 30}, {3, 40, 9}}) {
      const BallProducts products(BallGrid(size), order);
      const BallCounts counts(size, order);
      double tables = 0.0;
      for (int slice = 0; slice < products.grid().z().count(); ++slice) {
        tables += static_cast<double>(products.x_stage(slice).table.size() +
                                      products.y_stage(slice).table.size());
        EXPECT_LE(products.folded_length(slice), counts.largest_slice);
        EXPECT_LE(products.lines_length(slice), counts.largest_lines);
      }
      EXPECT_LE(tables, counts.slice_tables);
      EXPECT_LE(products.z_stage().table.size() + products.plane_stage().table.size() +
                    products.space_stage().table.size(),
                counts.other_tables);
      EXPECT_LE(products.slices_length() + products.degrees_length() +
                    products.repetitions_length() + products.parts_length(),
                counts.arrays);
    }
  }
}

// mechanics: positions, counts and numbers agree.
TEST(BallMoments, StandWhereTheirPositionSays) {
  const auto indices = volume_moment_indices(ball_spec(13));
  ASSERT_EQ(indices.size(), ball_moment_count(13));
  for (std::size_t c = 0; c < indices.size(); ++c) {
    EXPECT_EQ(ball_moment_position(indices[c][0], indices[c][1], indices[c][2]), c);
  }
  EXPECT_EQ(ball_norm_count(20), 121U);
  EXPECT_EQ(ball_norm_count(40), 441U);
  EXPECT_EQ(ball_plan(40, {3, 3, 3})->moment_count(), ball_moment_count(40));
}

// mechanics: values outside the ball do not count, and what is not finite inside is named.
TEST(BallMoments, NameTheVoxelThatIsNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const ArraySize size{6, 6, 6};
  const auto plan = ball_plan(4, size);
  std::vector<double> values = random_values(size.elements(), kBallSeed);
  const auto expected = moments_of(*plan, values);
  values[0] = kNan;
  EXPECT_EQ(moments_of(*plan, values), expected);
  values[(2 * 6 + 3) * 6 + 4] = kNan;
  EXPECT_TRUE(testing::refuses<InputError>([&] { moments_of(*plan, values); },
                                           "slice 2, row 3, column 4 is not a finite number"));
}

// mechanics: what has no such moments is refused.
TEST(BallMoments, RefuseWhatHasNone) {
  EXPECT_THROW(validate(ball_spec(4), 16), UsageError);
  EXPECT_THROW(validate(ball_spec(4), {16, 16, 20'000}), UsageError);
  EXPECT_THROW(validate(ball_spec(201)), UsageError);
  EXPECT_THROW(validate(ball_spec(-1)), UsageError);
  EXPECT_THROW(validate({Family::kZernike3d, 4, Method::kExact}), UsageError);
  EXPECT_THROW(validate({Family::kZernike3d, 4, Method::kGauss, 2}), UsageError);
  EXPECT_THROW(validate({Family::kZernike3d, 4, Method::kSubregion, 2}), UsageError);
  EXPECT_THROW(validate({Family::kZernike3d, 4, Method::kSubregion, 1, {}, Mask::kWhole}),
               UsageError);
  EXPECT_TRUE(moment_indices(ball_spec(4)).empty());
  EXPECT_EQ(volume_family_from_text("zernike-3d").family, Family::kZernike3d);
  EXPECT_TRUE(testing::refuses<UsageError>([] { weighted_family_from_text("zernike-3d"); },
                                           "volumes, not of images"));
  std::vector<double> norms(3);
  EXPECT_THROW(ball_norms(2, std::vector<std::complex<double>>(7), norms), UsageError);
}

}  // namespace
}  // namespace leafglyph
