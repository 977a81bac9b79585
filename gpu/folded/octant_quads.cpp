#include "gpu/folded/folded_kernels.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace leafglyph::gpu {
namespace {

struct Quad {
  int u = 0;
  int v = 0;
  std::array<const OctantPixel*, 4> pixels{};  // nullptr if the octant has no such pixel
};

// The quads of a group form a patch of 16 x 8 pixels, and the eight groups that a block folds form
// one of 32 x 32. Under every mirror image these are whole cache lines.
std::vector<Quad> quads_by_patches(const DiskGrid& grid) {
  const int size = grid.size();
  std::map<std::tuple<int, int, int, int, int, int>, Quad> quads;
  for (const OctantPixel& pixel : grid.octant()) {
    const int u = pixel.images[0] % size - size / 2;
    const int v = size - 1 - pixel.images[0] / size - size / 2;
    const int u0 = u / 2 * 2;
    const int v0 = v / 2 * 2;
    Quad& quad = quads[{v0 / 32, u0 / 32, v0 / 8, u0 / 16, v0, u0}];
    quad.u = u0;
    quad.v = v0;
    quad.pixels[static_cast<std::size_t>(2 * (v - v0) + u - u0)] = &pixel;
  }
  std::vector<Quad> list;
  list.reserve(quads.size());
  for (const auto& [key, quad] : quads) list.push_back(quad);
  return list;
}

// The eight mirror images of (u, v), in the order of OctantPixel.
std::array<std::int32_t, 8> mirror_images(int u, int v, int size) {
  const int right = size / 2 + u;
  const int left = size - 1 - right;
  const int up = size / 2 + v;
  const int down = size - 1 - up;
  // (row, column), with rows counted from the top.
  return {down * size + right, left * size + up,    left * size + down, down * size + left,
          up * size + left,    right * size + down, right * size + up,  up * size + right};
}

}  // namespace

OctantQuads::OctantQuads(const DiskGrid& grid) {
  std::vector<Quad> quads = quads_by_patches(grid);
  // At least one group, even if no pixel counts.
  count =
      (std::max<std::size_t>(quads.size(), 1) + kQuadsOfGroup - 1) / kQuadsOfGroup * kQuadsOfGroup;
  quads.resize(count);
  bases.resize(8 * count);
  masks.assign(count, 0);
  OctantPixel nothing{};
  if (!grid.octant().empty()) nothing = grid.octant().front();
  nothing.weight = 0.0;
  places.assign(4 * count, nothing);
  for (std::size_t i = 0; i < count; ++i) {
    const auto images = mirror_images(quads[i].u, quads[i].v, grid.size());
    for (std::size_t q = 0; q < 8; ++q) bases[q * count + i] = images[q];
    const std::size_t start = i / kQuadsOfGroup * kPlacesOfGroup + i % kQuadsOfGroup * 2;
    for (std::size_t e = 0; e < 4; ++e) {
      if (quads[i].pixels[e] == nullptr) continue;
      masks[i] = static_cast<std::uint8_t>(masks[i] | (1U << e));
      places[start + e / 2 * (kPlacesOfGroup / 2) + e % 2] = *quads[i].pixels[e];
    }
  }
}

}  // namespace leafglyph::gpu
