#include "features/leaf/leaf_orientation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/separable_filter.h"

namespace leafglyph {
namespace {

/// The three elements of the structure tensor in the box of `inside`.
struct Tensor {
  Image<float> xx, xy, yy;
};

Tensor averaged_tensor(const Image<float>& grey, const Image<std::uint8_t>& inside,
                       const MaskBox& box) {
  const int width = box.width(), height = box.height();
  const std::vector<float> weights = gaussian_weights(kTensorRadius, kTensorSigma);
  // The Gaussian mean of product(dx, dy) over the pixels of the leaf.
  const auto averaged = [&](auto product) {
    Image<float> mean(width, height);
    const auto fill = [&](int row, std::span<float> values) {
      if (row < 0 || row >= height) {
        std::ranges::fill(values, 0.0F);
        return;
      }
      const float* at = &grey.at(box.top + row, box.left);
      const float *above = at - grey.width(), *below = at + grey.width();
      const std::uint8_t* in = &inside.at(box.top + row, box.left);
      float* to = &values[kTensorRadius];
#pragma omp simd
      for (int i = 0; i < width; ++i) {
        const auto share = static_cast<float>(in[i]);
        const float dx = 0.5f * (at[i + 1] - at[i - 1]) * share;
        const float dy = 0.5f * (below[i] - above[i]) * share;
        to[i] = product(dx, dy);
      }
    };
    filter_plane({width, height}, ColumnBlocks(width, height, /*all=*/true), weights, fill,
                 [&](int row, std::span<const float> values) {
                   std::ranges::copy(values, &mean.at(row, 0));
                 });
    return mean;
  };
  return {averaged([](float dx, float) { return dx * dx; }),
          averaged([](float dx, float dy) { return dx * dy; }),
          averaged([](float, float dy) { return dy * dy; })};
}

double mean_trace(const Tensor& tensor, const Image<std::uint8_t>& inside, const MaskBox& box) {
  double sum = 0, count = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      if (inside.at(row, column) == 0) continue;
      const int i = column - box.left, j = row - box.top;
      sum += tensor.xx.at(j, i) + tensor.yy.at(j, i);
      count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

bool leaf_orientation(const Image<float>& grey, const Image<std::uint8_t>& inside,
                      std::span<float> radial, std::span<float> oblique) {
  std::ranges::fill(radial, 0.0f);
  std::ranges::fill(oblique, 0.0f);
  const MaskBox box = box_of(inside);
  if (box.width() == 0) return false;
  const Tensor tensor = averaged_tensor(grey, inside, box);
  const double trace = mean_trace(tensor, inside, box);
  if (!(trace > kLeastTrace)) return false;
  const auto floor = static_cast<float>(kFlatShare * trace);
  const float centre_x = 0.5f * static_cast<float>(grey.width() - 1);
  const float centre_y = 0.5f * static_cast<float>(grey.height() - 1);
  const int width = box.width();
  std::vector<float> unwanted(static_cast<std::size_t>(width));
  for (int row = box.top; row <= box.bottom; ++row) {
    const std::uint8_t* in = &inside.at(row, box.left);
    const auto* of_xx = &tensor.xx.at(row - box.top, 0);
    const auto* of_xy = &tensor.xy.at(row - box.top, 0);
    const auto* of_yy = &tensor.yy.at(row - box.top, 0);
    const std::size_t start = static_cast<std::size_t>(row) * grey.width() + box.left;
    float* along_radius = radial.empty() ? unwanted.data() : &radial[start];
    float* at_45_degrees = oblique.empty() ? unwanted.data() : &oblique[start];
    const float y = static_cast<float>(row) - centre_y;
    // Branch-free, so that compilers vectorise it.
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      const float x = static_cast<float>(box.left + i) - centre_x;
      const float square = x * x + y * y;
      // The radius is undefined at the centre, where both are 0.
      const float divisor = square == 0 ? 1.0f : square;
      const float cos2 = (x * x - y * y) / divisor, sin2 = 2 * x * y / divisor;
      const float xx = of_xx[i], yy = of_yy[i], xy2 = 2 * of_xy[i];
      const float factor = 1 / (xx + yy + floor);
      const float along = ((xx - yy) * cos2 + xy2 * sin2) * factor;
      const float across = std::abs(xy2 * cos2 - (xx - yy) * sin2) * factor;
      along_radius[i] = in[i] != 0 ? along : 0.0f;
      at_45_degrees[i] = in[i] != 0 ? across : 0.0f;
    }
  }
  return true;
}

}  // namespace leafglyph
