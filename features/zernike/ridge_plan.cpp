#include <cmath>
#include <numbers>
#include <string>

#include "features/base/errors.h"
#include "features/base/interrupt.h"
#include "features/moments/disk_grid.h"
#include "features/zernike/ridge_forward.h"

namespace leafglyph {
namespace {

constexpr long double kPi = std::numbers::pi_v<long double>;

int checked_order(int order, int image_size) {
  validate({Family::kZernike, order, Method::kExact});
  validate_image_size(image_size);
  return order;
}

}  // namespace

RidgePlan::RidgePlan(int order, int image_size)
    : order_(checked_order(order, image_size)), angles_((order + 2) / 2 * 2), grid_(order + 2) {
  for (int l = 0; l < angles_; ++l) {
    angle_cosine_.push_back(static_cast<double>(std::cos((l + 0.5L) * kPi / angles_)));
    angle_sine_.push_back(static_cast<double>(std::sin((l + 0.5L) * kPi / angles_)));
  }
  fill_cosines();
  fill_turns();
  find_corners(image_size);
}

double RidgePlan::cells_per_radian() const { return static_cast<double>(grid_.circle / (2 * kPi)); }

RidgePlan::MirroredAngle RidgePlan::mirrored(int l, int q) const {
  // Image q stands at q' quarter turns plus or minus the corner's own angle, and so does the angle.
  const int half = angles_ / 2;
  const int turned = (q + 1) / 2 * half + (q % 2 == 0 ? l : -1 - l);
  const int turns = turned >= 0 ? turned / angles_ : -1;
  return {turned - turns * angles_, turns % 2 == 0 ? 1 : -1};
}

RidgePlan::FoldedCell RidgePlan::folded(int s) const {
  int cell = std::abs(HalfCircleGrid::number(s));
  if (cell > grid_.circle / 2) cell = grid_.circle - cell;
  if (cell > grid_.circle / 4) return {grid_.circle / 2 - cell, -1};
  return {cell, 1};
}

void RidgePlan::fill_cosines() {
  const std::vector<double> transform = SpreadingKernel::transform(order_ + 2, grid_.circle);
  std::vector<double> table(static_cast<std::size_t>(grid_.circle));
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<double>(std::cos(2 * kPi * static_cast<long double>(i) / grid_.circle));
  }
  for (int parity = 0; parity < 2; ++parity) {
    auto& matrix = cosines_[parity];
    matrix.reserve(cosine_rows(parity) * quarter_cells());
    for (std::size_t i = 0; i < cosine_rows(parity); ++i) {
      throw_if_interrupted();
      const std::size_t n = 2 * i + static_cast<std::size_t>(parity);
      for (std::size_t c = 0; c < quarter_cells(); ++c) {
        matrix.push_back(table[n * c % table.size()] / transform[n]);
      }
    }
  }
}

void RidgePlan::fill_turns() {
  const auto angles = static_cast<std::size_t>(angles_);
  std::vector<double> cosines(4 * angles);
  for (std::size_t i = 0; i < cosines.size(); ++i) {
    cosines[i] = static_cast<double>(
        std::cos(kPi * static_cast<long double>(i) / static_cast<long double>(2 * angles)));
  }
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (std::size_t m = parity; m <= static_cast<std::size_t>(order_); m += 2) {
      throw_if_interrupted();
      for (std::size_t l = 0; l < angles / 2; ++l) {
        // m phi_l = m (2 l + 1) pi / (2 L); sin x = cos(x - pi/2), pi/2 being L steps
        const std::size_t step = m * (2 * l + 1) % (4 * angles);
        turn_cosine_[parity].push_back(cosines[step]);
        turn_sine_[parity].push_back(cosines[(step + 3 * angles) % (4 * angles)]);
      }
    }
  }
}

void RidgePlan::find_corners(int image_size) {
  const DiskGrid disk(image_size, Mask::kWhole);
  // (u, v): twice the coordinates, in pixels, from the centre; a corner lies at column (u + N) / 2.
  const auto number_of = [&](int column, int row) -> std::int32_t {
    const bool inside = column >= 0 && column < image_size && row >= 0 && row < image_size &&
                        disk.mask().at(row, column) != 0;
    return inside ? row * image_size + column : -1;
  };
  for (int v = image_size % 2; v <= image_size; v += 2) {
    throw_if_interrupted();
    for (int u = v; u <= image_size; u += 2) {
      Corner corner;
      corner.x = static_cast<double>(u) / image_size;
      corner.y = static_cast<double>(v) / image_size;
      const bool on_axis = v == 0;
      const bool on_diagonal = u == v;
      corner.share = on_axis && on_diagonal ? 0.125 : on_axis || on_diagonal ? 0.5 : 1.0;
      const int images[8][2] = {{u, v},   {v, u},   {-v, u}, {-u, v},
                                {-u, -v}, {-v, -u}, {v, -u}, {u, -v}};
      bool touches = false;
      for (int q = 0; q < 8; ++q) {
        const int right = (images[q][0] + image_size) / 2;
        const int below = (image_size - images[q][1]) / 2;
        for (int i = 0; i < 4; ++i) {
          corner.pixels[q][i] = number_of(right - 1 + i % 2, below - i / 2);
          touches = touches || corner.pixels[q][i] >= 0;
        }
      }
      if (touches) corners_.push_back(corner);
    }
  }
}

}  // namespace leafglyph
