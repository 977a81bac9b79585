#include "gpu/plan_memory.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/radial_rings.h"
#include "features/bessel_fourier/ring_tables.h"
#include "features/jacobi/axis_transform.h"
#include "features/kernels/spread_kernels.h"
#include "features/kernels/spreading_kernel.h"
#include "features/moments/disk_grid.h"
#include "features/pixel_sums/pixel_sums.h"
#include "features/separable/separable_transform.h"

namespace leafglyph {
namespace {

constexpr double kDouble = sizeof(double);
constexpr double kComplex = 2 * kDouble;
// A growing array has up to twice the room that it needs, and the old one beside the new.
constexpr double kGrowth = 3.0;

double pixels_of(int image_size) { return static_cast<double>(image_size) * image_size; }

// Octant pixels of the disk, pi / 32 of the square.
double octant_of(int image_size) {
  return pixels_of(image_size) * std::numbers::pi / 32 + image_size;
}

// The stored moments of one image or volume, and which they are.
double moment_bytes(const MomentSpec& spec, const ArraySize& size) {
  return static_cast<double>(moment_count(spec, size)) *
         (kComplex + (size.is_volume() ? 0 : sizeof(MomentIndex)));
}

// The mask and the octant's pixels, and what transforms keep of them: coordinates, image numbers,
// `sums` folded sums.
double grid_bytes(int image_size, double sums = 8) {
  const double kept = 5 * kDouble + 8 * sizeof(std::int32_t) + sums * kDouble;
  return pixels_of(image_size) + octant_of(image_size) * kGrowth * (sizeof(OctantPixel) + kept);
}

// Grid and weights of the polar transform; `copies` of the matrix between grid and nodes.
double polar_bytes(const MomentSpec& spec, double copies) {
  const double order = spec.order;
  const double degree = spec.family == Family::kZernike ? order / 2 : order;
  const double cells = 2 * (degree + 1) + 2 * kSpreadWidth;
  const double task = 4 * 8 * (cells + degree + 1) * thread_count();
  return kDouble * (cells * 2 * (order + kSpreadBlock) + copies * (degree + 1) * cells + task);
}

double folded_bytes(const MomentSpec& spec, int image_size, double scalar) {
  return 3 * static_cast<double>(moment_count(spec, image_size)) * octant_of(image_size) * scalar;
}

double scalar_bytes(Precision precision) {
  return precision == Precision::kFloat ? sizeof(float) : sizeof(double);
}

double ring_bytes(const MomentSpec& spec, int image_size, Precision precision) {
  const double orders = spec.order;
  const double repetitions = static_cast<double>(angular_order_of(spec)) + 1;
  const RingLayout rings = ring_layout(spec, image_size);
  const double row = static_cast<double>(rings.rings) * static_cast<double>(rings.terms);
  const double scalar = scalar_bytes(precision);
  return orders * row * (kDouble + scalar) + 2 * repetitions * (row + orders) * scalar +
         orders * repetitions * kComplex + grid_bytes(image_size) + pixels_of(image_size) * kDouble;
}

// The largest array of the same shape that `bytes` find room for, as advice.
template <class Bytes>
std::string advice(const ArraySize& size, const Bytes& bytes) {
  if (!size.is_volume() && size.width == size.height) return "use a lower order or a smaller image";
  const auto available = static_cast<double>(available_memory_bytes());
  for (double factor = 0.95; factor > 1e-6; factor *= 0.95) {
    const auto shrink = [factor](int length) {
      return std::max(1, static_cast<int>(length * factor));
    };
    const ArraySize smaller{shrink(size.width), shrink(size.height),
                            size.is_volume() ? shrink(size.depth) : 0};
    if (bytes(smaller) <= available) return describe(smaller) + " would fit";
  }
  return "only a lower order would fit";
}

}  // namespace

double moments_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision,
                     Backend backend) {
  const double moments = moment_bytes(spec, size) + static_cast<double>(size.elements()) * kDouble;
  switch (forward_algorithm(spec, size, backend)) {
    case Algorithm::kSeparable:
      // On a GPU the recurrences, and copies of them on their way.
      return moments + (backend == Backend::kCpu
                            ? separable_forward_bytes(spec, size.width, precision)
                            : 2 * separable_tables_bytes(spec, size.width));
    case Algorithm::kAxes:
      return moments + static_cast<double>(axis_work_bytes(spec, size, precision));
    case Algorithm::kRings:
      return moments + ring_bytes(spec, size.width, precision);
    case Algorithm::kPixelSums:
      return moments + pixel_sums_bytes(spec, size);
    case Algorithm::kPolar:
      return moments + grid_bytes(size.width) + polar_bytes(spec, /*copies=*/1);
    case Algorithm::kFolded:
      break;
  }
  return moments + grid_bytes(size.width) + folded_bytes(spec, size.width, scalar_bytes(precision));
}

double images_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision,
                    Backend backend) {
  const double moments =
      2 * moment_bytes(spec, size) + static_cast<double>(size.elements()) * kDouble;
  switch (backward_algorithm(spec)) {
    case Algorithm::kSeparable:
      // On a GPU with copies of the tables on their way.
      return moments +
             (backend == Backend::kCpu ? 1 : 2) * separable_backward_bytes(spec, size.width);
    case Algorithm::kAxes:
      return moments + static_cast<double>(axis_work_bytes(spec, size, precision));
    case Algorithm::kRings:
      return moments + ring_bytes(spec, size.width, precision);
    default:
      return moments + grid_bytes(size.width, /*sums=*/0) + polar_bytes(spec, /*copies=*/2);
  }
}

void check_moments_memory(const MomentSpec& spec, const ArraySize& size, Precision precision,
                          Backend backend) {
  const auto bytes = [&](const ArraySize& array) {
    return moments_bytes(spec, array, precision, backend);
  };
  check_memory(bytes(size), describe(spec) + ", of " + describe(size) + " values",
               advice(size, bytes));
}

void check_images_memory(const MomentSpec& spec, const ArraySize& size, Precision precision,
                         Backend backend) {
  const auto bytes = [&](const ArraySize& array) {
    return images_bytes(spec, array, precision, backend);
  };
  check_memory(bytes(size),
               "reconstruction from " + describe(spec) + ", of " + describe(size) + " values",
               advice(size, bytes));
}

}  // namespace leafglyph
