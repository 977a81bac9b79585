#include "datasets/leaf/lamp_tint.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/leaf_colour.h"

namespace leafglyph {
namespace {

constexpr std::size_t kStream = 12;  // of the seed's random numbers
constexpr double kWarmth = 0.25, kGreenness = 0.05, kOfPaper = 0.2;

// What a value of 0..255 becomes in that light, for each of the three colours.
std::array<std::array<std::uint8_t, 256>, 3> values_in(const Tint& light) {
  std::array<std::array<std::uint8_t, 256>, 3> table{};
  for (std::size_t colour = 0; colour < 3; ++colour) {
    for (std::size_t value = 0; value < 256; ++value) {
      table[colour][value] = static_cast<std::uint8_t>(
          std::lround(encoded_light(light[colour] * linear_light(static_cast<double>(value)))));
    }
  }
  return table;
}

}  // namespace

Tint tint_of(double warmth, double greenness) {
  const double largest = std::max(std::abs(warmth), greenness);
  return {std::exp(warmth - largest), std::exp(greenness - largest), std::exp(-warmth - largest)};
}

Photograph in_light(const Photograph& photograph, const Image<std::uint8_t>& leaf, const Tint& lamp,
                    const Tint& paper) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (!photograph.has_colour()) throw UsageError("the photograph has no colours");
  if (leaf.width() != width || leaf.height() != height) {
    throw UsageError("the leaf's mask is not as large as its photograph");
  }
  const auto on_leaf = values_in(lamp);
  const auto on_paper = values_in({lamp[0] * paper[0], lamp[1] * paper[1], lamp[2] * paper[2]});
  std::vector<std::uint8_t> colour = photograph.colour;
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    const auto& table = leaf.data()[i] != 0 ? on_leaf : on_paper;
    for (std::size_t c = 0; c < 3; ++c) colour[3 * i + c] = table[c][colour[3 * i + c]];
  }
  return colour_photograph(width, height, std::move(colour));
}

Photograph in_other_light(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed) {
  LeafRandom random = LeafRandom::stream(seed, kStream);
  const double warmth = random.normal(0, kWarmth), greenness = random.normal(0, kGreenness);
  const double of_paper = random.normal(0, kOfPaper * kWarmth);
  return in_light(photograph, leaf, tint_of(warmth, greenness),
                  tint_of(of_paper, random.normal(0, kOfPaper * kGreenness)));
}

}  // namespace leafglyph
