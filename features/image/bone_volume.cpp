#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "features/base/threads.h"
#include "features/image/volume.h"

namespace leafglyph {
namespace {

constexpr std::size_t kWaves = 16;
constexpr double kPi = std::numbers::pi;

// Spongy texture: a sum of random plane waves, with bone where the sum is near zero.
struct Sponge {
  std::array<double, kWaves> x;
  std::array<double, kWaves> y;
  std::array<double, kWaves> z;
  std::array<double, kWaves> phase;

  explicit Sponge(std::mt19937& generator) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> angle(0.0, 2.0 * kPi);
    std::uniform_real_distribution<double> waves(8.0, 22.0);  // half periods across the cube
    for (std::size_t w = 0; w < kWaves; ++w) {
      const std::array<double, 3> direction = {normal(generator), normal(generator),
                                               normal(generator)};
      const double scale =
          kPi * waves(generator) / 2.0 / std::hypot(direction[0], direction[1], direction[2]);
      x[w] = scale * direction[0];
      y[w] = scale * direction[1];
      z[w] = scale * direction[2];
      phase[w] = angle(generator);
    }
  }
};

// The outer and inner surfaces of the bone as distorted tubes; the axis bends and the radius varies
// along z.
struct Tube {
  std::array<double, 6> phase;

  explicit Tube(std::mt19937& generator) {
    std::uniform_real_distribution<double> angle(0.0, 2.0 * kPi);
    for (double& p : phase) p = angle(generator);
  }
  double centre_x(double z) const { return 0.08 * std::sin(2.0 * z + phase[0]); }
  double centre_y(double z) const { return 0.08 * std::sin(1.7 * z + phase[1]); }
  double outer(double z, double angle) const {
    return 0.72 + 0.1 * z * z + 0.05 * std::cos(2.0 * angle + phase[2]) +
           0.03 * std::cos(3.0 * angle + 2.0 * z + phase[3]);
  }
  double wall(double z, double angle) const {
    return 0.12 + 0.04 * std::cos(angle + phase[4]) + 0.03 * std::cos(4.0 * z + phase[5]);
  }
};

double smooth_step(double x) {
  const double t = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
  return t * t * (3.0 - 2.0 * t);
}

// Fills one row of voxels at height y and depth z. The phase of each plane wave advances by a
// constant along the row, so its cosine and sine follow from a rotation per voxel instead of calls
// of std::cos.
void fill_row(const Tube& tube, const Sponge& sponge, double y, double z, int width, double* row) {
  std::array<double, kWaves> re{};
  std::array<double, kWaves> im{};
  std::array<double, kWaves> step_re{};
  std::array<double, kWaves> step_im{};
  for (std::size_t w = 0; w < kWaves; ++w) {
    const double start =
        sponge.phase[w] + sponge.y[w] * y + sponge.z[w] * z + sponge.x[w] * (1.0 - width) / width;
    re[w] = std::cos(start);
    im[w] = std::sin(start);
    step_re[w] = std::cos(2.0 * sponge.x[w] / width);
    step_im[w] = std::sin(2.0 * sponge.x[w] / width);
  }
  const double dy = y - tube.centre_y(z);
  for (int i = 0; i < width; ++i) {
    double sum = 0.0;
    for (std::size_t w = 0; w < kWaves; ++w) {
      sum += re[w];
      const double next = re[w] * step_re[w] - im[w] * step_im[w];
      im[w] = im[w] * step_re[w] + re[w] * step_im[w];
      re[w] = next;
    }
    const double dx = (2.0 * i + 1.0 - width) / width - tube.centre_x(z);
    const double radius = std::hypot(dx, dy);
    const double angle = std::atan2(dy, dx);
    const double outer = tube.outer(z, angle);
    const double inner = outer - tube.wall(z, angle);
    const double soft = 0.02;  // half width of every boundary
    const double inside_outer = smooth_step((outer - radius) / soft + 0.5);
    const double inside_inner = smooth_step((inner - radius) / soft + 0.5);
    const double canal = smooth_step((0.18 - radius) / soft + 0.5);
    const double spongy = smooth_step((0.9 - std::abs(sum)) / 0.6) * (1.0 - canal);
    row[i] = 20.0 * (1.0 - inside_outer) + (225.0 - sum) * (inside_outer - inside_inner) +
             inside_inner * (45.0 + 150.0 * spongy);
  }
}

}  // namespace

Volume generate_bone(int width, int height, int depth, std::uint32_t seed) {
  Volume volume(width, height, depth);
  std::mt19937 generator(seed);
  const Tube tube(generator);
  const Sponge sponge(generator);
  parallel_for(static_cast<std::size_t>(depth), [&](std::size_t slice) {
    const int k = static_cast<int>(slice);
    const double z = (2.0 * k + 1.0 - depth) / depth;
    for (int j = 0; j < height; ++j) {
      const double y = (height - 1.0 - 2.0 * j) / height;
      fill_row(tube, sponge, y, z, width, &volume.at(k, j, 0));
    }
  });
  return volume;
}

}  // namespace leafglyph
