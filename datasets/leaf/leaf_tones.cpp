#include "datasets/leaf/leaf_tones.h"

#include <cmath>
#include <cstddef>

namespace leafglyph {
namespace {

constexpr std::uint64_t kSpeciesSeed = 20;  // a species has its colours whatever the leaves' seed

Tint leaf_tone(int species, LeafRandom& random) {
  LeafRandom own = LeafRandom::stream(kSpeciesSeed, static_cast<std::size_t>(species));
  const double red = std::log(0.75) + own.normal(0, 0.12) + random.normal(0, 0.07);
  const double blue = std::log(0.5) + own.normal(0, 0.15) + random.normal(0, 0.09);
  const double r = std::exp(red), b = std::exp(blue);
  // The weights of luminance in linear sRGB.
  const double luminance = 0.2126 * r + 0.7152 + 0.0722 * b;
  return {r / luminance, 1 / luminance, b / luminance};
}

}  // namespace

SceneTones scene_tones(int species, DrawnColours colours, LeafRandom& random) {
  const Tint leaf = leaf_tone(species, random);
  if (colours == DrawnColours::kLamps) {
    const double warmth = random.uniform(-0.6, 0.6), greenness = random.normal(0, 0.08);
    return {leaf, tint_of(random.uniform(-0.06, 0.06), 0), tint_of(warmth, greenness)};
  }
  const double warmth = random.normal(0, 0.05);
  return {leaf, tint_of(random.normal(0, 0.01), 0), tint_of(warmth, 0)};
}

}  // namespace leafglyph
