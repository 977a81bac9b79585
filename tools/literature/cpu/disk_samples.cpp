#include "tools/literature/cpu/disk_samples.h"

#include <cstddef>

#include "features/moments/disk_grid.h"

namespace leafglyph::published {
namespace {

// The grid of all sub-pixel centres, in integers (u, v) = M (x, y) with M = N k sub-pixels per
// side. u and v are odd if M is even, and even if M is odd.
class SubpixelGrid {
 public:
  SubpixelGrid(int size, int k)
      : size_(size),
        k_(k),
        side_(static_cast<long long>(size) * k),
        grid_(size, Mask::kCentre, k) {}

  long long side() const { return side_; }

  std::int32_t pixel(long long u, long long v) const {
    const long long column = (u + side_ - 1) / 2 / k_;
    const long long row = (side_ - 1 - v) / 2 / k_;
    return static_cast<std::int32_t>(row * size_ + column);
  }
  bool counts(long long u, long long v) const {
    return grid_.mask().data()[static_cast<std::size_t>(pixel(u, v))] != 0;
  }
  DiskSample sample(long long u, long long v, double weight) const {
    const auto side = static_cast<double>(side_);
    return {static_cast<double>(u) / side, static_cast<double>(v) / side, weight};
  }
  // The smallest u or v that is not negative.
  long long first() const { return side_ % 2 == 0 ? 1 : 0; }

 private:
  int size_;
  int k_;
  long long side_;
  DiskGrid grid_;
};

}  // namespace

WholeDisk whole_disk(std::span<const double> image, int size, int k) {
  const SubpixelGrid grid(size, k);
  WholeDisk disk;
  for (long long v = grid.side() - 1; v > -grid.side(); v -= 2) {
    for (long long u = 1 - grid.side(); u < grid.side(); u += 2) {
      if (!grid.counts(u, v)) continue;
      disk.samples.push_back(grid.sample(u, v, 1.0));
      disk.values.push_back(image[static_cast<std::size_t>(grid.pixel(u, v))]);
    }
  }
  return disk;
}

FoldedDisk fold_quadrant(std::span<const double> image, int size, int k) {
  const SubpixelGrid grid(size, k);
  FoldedDisk disk;
  std::array<std::vector<double>, 4> parts;
  for (long long v = grid.first(); v < grid.side(); v += 2) {
    for (long long u = grid.first(); u < grid.side(); u += 2) {
      if (!grid.counts(u, v)) continue;
      const auto at = [&](long long x, long long y) {
        return image[static_cast<std::size_t>(grid.pixel(x, y))];
      };
      const double f1 = at(u, v);
      const double f2 = at(-u, v);
      const double f3 = at(-u, -v);
      const double f4 = at(u, -v);
      disk.samples.push_back(grid.sample(u, v, (u == 0 ? 0.5 : 1.0) * (v == 0 ? 0.5 : 1.0)));
      parts[0].push_back(f1 + f2 + f3 + f4);
      parts[1].push_back(f1 - f2 + f3 - f4);
      parts[2].push_back(f1 - f2 - f3 + f4);
      parts[3].push_back(f1 + f2 - f3 - f4);
    }
  }
  for (const auto& part : parts) disk.images.insert(disk.images.end(), part.begin(), part.end());
  return disk;
}

OctantSamples octant_samples(int size, int k) {
  const SubpixelGrid grid(size, k);
  OctantSamples octant;
  for (long long v = grid.first(); v < grid.side(); v += 2) {
    for (long long u = v; u < grid.side(); u += 2) {
      if (!grid.counts(u, v)) continue;
      const double weight = u == 0 ? 0.125 : (v == 0 || u == v ? 0.5 : 1.0);
      octant.samples.push_back(grid.sample(u, v, weight));
      octant.pixels.push_back({grid.pixel(u, v), grid.pixel(v, u), grid.pixel(-v, u),
                               grid.pixel(-u, v), grid.pixel(-u, -v), grid.pixel(-v, -u),
                               grid.pixel(v, -u), grid.pixel(u, -v)});
    }
  }
  return octant;
}

FoldedDisk fold_octant(std::span<const double> image, int size, int k) {
  OctantSamples octant = octant_samples(size, k);
  FoldedDisk disk;
  disk.samples = std::move(octant.samples);
  disk.images.reserve(8 * disk.samples.size());
  for (const auto& signs : kOctantSigns) {
    for (const auto& pixels : octant.pixels) {
      double sum = 0.0;
      for (std::size_t q = 0; q < 8; ++q) {
        sum += signs[q] * image[static_cast<std::size_t>(pixels[q])];
      }
      disk.images.push_back(sum);
    }
  }
  return disk;
}

}  // namespace leafglyph::published
