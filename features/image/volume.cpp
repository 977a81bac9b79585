#include "features/image/volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The two voxels around `position` on an axis (in voxels, centres at integers) and the weight of
// the second one. Positions beyond the outer centres use the outer voxel.
struct Between {
  int first;
  int second;
  double share;
};

Between between(double position, int count) {
  const double clamped = std::clamp(position, 0.0, static_cast<double>(count - 1));
  const int first = static_cast<int>(clamped);
  return {first, std::min(first + 1, count - 1), clamped - first};
}

// The trilinear value at p in [-1, 1]^3.
double sample(const Volume& volume, const Vector3& p) {
  return volume_value(volume, {((p[0] + 1.0) * volume.width - 1.0) / 2.0,
                               ((1.0 - p[1]) * volume.height - 1.0) / 2.0,
                               ((p[2] + 1.0) * volume.depth - 1.0) / 2.0});
}

}  // namespace

Volume::Volume(int volume_width, int volume_height, int volume_depth)
    : width(volume_width), height(volume_height), depth(volume_depth) {
  if (width < 1 || height < 1 || depth < 1) {
    throw UsageError("a volume of " + std::to_string(width) + " x " + std::to_string(height) +
                     " x " + std::to_string(depth) + " voxels; every axis needs 1 or more");
  }
  values.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                    static_cast<std::size_t>(depth),
                0.0);
}

double volume_value(const Volume& volume, const Vector3& position) {
  const Between i = between(position[0], volume.width);
  const Between j = between(position[1], volume.height);
  const Between k = between(position[2], volume.depth);
  // a + share (b - a) is exact if a = b.
  const auto mixed = [](double a, double b, double share) { return a + share * (b - a); };
  const auto row = [&](int slice, int line) {
    return mixed(volume.at(slice, line, i.first), volume.at(slice, line, i.second), i.share);
  };
  const auto plane = [&](int slice) {
    return mixed(row(slice, j.first), row(slice, j.second), j.share);
  };
  return mixed(plane(k.first), plane(k.second), k.share);
}

char axis_name(Axis axis) { return static_cast<char>('x' + static_cast<int>(axis)); }

void check_slice(const std::array<int, 3>& lengths, Axis axis, int position) {
  const int count = lengths[static_cast<std::size_t>(axis)];
  if (position < 0 || position >= count) {
    throw UsageError(std::string("slice ") + axis_name(axis) + ":" + std::to_string(position) +
                     " is not in the volume; use 0 to " + std::to_string(count - 1));
  }
}

void check_plane(const Vector3& normal, double offset) {
  if (!(length(normal) > 0.0) || !std::isfinite(length(normal)) || !std::isfinite(offset)) {
    throw UsageError("the plane's normal and offset must be finite and the normal not 0");
  }
  const Vector3 n = unit(normal);
  const double farthest = std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]);  // at a corner
  if (std::abs(offset) > farthest) {
    throw UsageError("a plane at the offset " + number_text(offset) +
                     " misses the cube; with this normal use -" + number_text(farthest) + " to " +
                     number_text(farthest));
  }
}

Image<double> volume_slice(const Volume& volume, Axis axis, int position) {
  check_slice({volume.width, volume.height, volume.depth}, axis, position);
  Image<double> image(axis == Axis::kX ? volume.height : volume.width,
                      axis == Axis::kZ ? volume.height : volume.depth);
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      image.at(row, column) = axis == Axis::kZ   ? volume.at(position, row, column)
                              : axis == Axis::kY ? volume.at(row, position, column)
                                                 : volume.at(row, column, position);
    }
  }
  return image;
}

Image<double> oblique_plane(const Volume& volume, const std::array<double, 3>& normal,
                            double offset, int size) {
  check_plane(normal, offset);
  if (size < 1) throw UsageError("a plane of " + std::to_string(size) + " pixels; use 1 or more");
  const Vector3 n = unit(normal);
  const bool along_z = std::abs(n[0]) + std::abs(n[1]) < 1e-12;
  const Vector3 right = along_z ? Vector3{1.0, 0.0, 0.0} : unit(cross({0.0, 0.0, 1.0}, n));
  const Vector3 up = cross(n, right);
  Image<double> image(size, size);
  const double half = std::sqrt(3.0);
  parallel_for({.count = static_cast<std::size_t>(size), .nanoseconds = 20.0 * size},
               [&](std::size_t line) {
                 const auto row = static_cast<int>(line);
                 for (int column = 0; column < size; ++column) {
                   const double u = half * (2.0 * column + 1.0 - size) / size;
                   const double v = half * (size - 1.0 - 2.0 * row) / size;
                   Vector3 p{};
                   bool inside = true;
                   for (std::size_t c = 0; c < 3; ++c) {
                     p[c] = offset * n[c] + u * right[c] + v * up[c];
                     inside = inside && std::abs(p[c]) <= 1.0;
                   }
                   if (inside) image.at(row, column) = sample(volume, p);
                 }
               });
  return image;
}

namespace {

// Of around_mass: a ball of even mass ends at 1.29 times its root mean square distance.
constexpr double kLargestFactor = 10.0;

// Calls use(value, {column, row, slice}) for every voxel.
template <class Use>
void for_each_voxel(const Volume& volume, const Use& use) {
  std::size_t voxel = 0;
  for (int k = 0; k < volume.depth; ++k) {
    for (int j = 0; j < volume.height; ++j) {
      for (int i = 0; i < volume.width; ++i) {
        use(volume.values[voxel++], std::array<double, 3>{1.0 * i, 1.0 * j, 1.0 * k});
      }
    }
  }
}

// Where the mass is, in half voxels, and its root mean square distance from there, in voxels.
struct MassPlace {
  explicit MassPlace(const Volume& volume) {
    double mass = 0.0;
    std::array<double, 3> sums{};
    for_each_voxel(volume, [&](double value, const std::array<double, 3>& at) {
      mass += value;
      for (std::size_t a = 0; a < 3; ++a) sums[a] += value * at[a];
    });
    if (!std::isfinite(mass) || mass <= 0.0) {
      throw InputError("the values have no positive, finite sum, so that there is no mass");
    }
    for (std::size_t a = 0; a < 3; ++a) middle[a] = std::lround(2.0 * sums[a] / mass);
    double squares = 0.0;
    for_each_voxel(volume, [&](double value, const std::array<double, 3>& at) {
      for (std::size_t a = 0; a < 3; ++a) {
        const double away = at[a] - 0.5 * static_cast<double>(middle[a]);
        squares += value * away * away;
      }
    });
    distance = std::sqrt(squares / mass);
    if (!(distance > 0.0)) {
      throw InputError("the mass has no distance from its middle, so that it has no size");
    }
  }

  std::array<long, 3> middle{};
  double distance = 0.0;
};

}  // namespace

Volume around_mass(const Volume& volume, double factor) {
  if (!(factor > 0.0) || factor > kLargestFactor) {
    throw UsageError("a ball of " + number_text(factor) +
                     " times the distance of the mass; use more than 0 and at most " +
                     number_text(kLargestFactor));
  }
  const MassPlace mass(volume);
  const double side = std::max(2.0, std::round(2.0 * factor * mass.distance));
  check_memory(side * side * side * sizeof(double), "the box around the mass",
               "use a smaller factor");
  std::array<int, 3> lengths{};
  std::array<long, 3> starts{};
  for (std::size_t a = 0; a < 3; ++a) {
    // A middle between two voxels needs an even length, one on a voxel an odd one.
    const long longest = std::lround(side);
    const long length = (longest - 1 - mass.middle[a]) % 2 == 0 ? longest : longest - 1;
    lengths[a] = static_cast<int>(length);
    starts[a] = (mass.middle[a] - (length - 1)) / 2;
  }
  Volume box(lengths[0], lengths[1], lengths[2]);
  for (int k = 0; k < box.depth; ++k) {
    const long slice = starts[2] + k;
    if (slice < 0 || slice >= volume.depth) continue;
    for (int j = 0; j < box.height; ++j) {
      const long row = starts[1] + j;
      if (row < 0 || row >= volume.height) continue;
      for (int i = 0; i < box.width; ++i) {
        const long column = starts[0] + i;
        if (column < 0 || column >= volume.width) continue;
        box.at(k, j, i) =
            volume.at(static_cast<int>(slice), static_cast<int>(row), static_cast<int>(column));
      }
    }
  }
  return box;
}

double volume_psnr(const Volume& reference, const Volume& volume, const SampleRange& range,
                   Rounding rounding) {
  if (reference.width != volume.width || reference.height != volume.height ||
      reference.depth != volume.depth) {
    throw UsageError("the volumes to compare differ in size");
  }
  // By parts, whose sums do not depend on the number of threads.
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::vector<double> sums((volume.values.size() + kPart - 1) / kPart);
  parallel_for({.count = sums.size(), .nanoseconds = kPart}, [&](std::size_t part) {
    const std::size_t last = std::min(volume.values.size(), (part + 1) * kPart);
    for (std::size_t v = part * kPart; v < last; ++v) {
      const double difference = range.compared(volume.values[v], rounding) - reference.values[v];
      sums[part] += difference * difference;
    }
  });
  const double squares = std::accumulate(sums.begin(), sums.end(), 0.0);
  if (squares == 0.0) return std::numeric_limits<double>::infinity();
  return 10.0 *
         std::log10(range.peak * range.peak * static_cast<double>(volume.values.size()) / squares);
}

}  // namespace leafglyph
