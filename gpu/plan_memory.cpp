#include "gpu/plan_memory.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/bessel_fourier_engine.h"
#include "features/bessel_fourier/bessel_fourier_tables.h"
#include "features/bessel_fourier/radial_rings.h"
#include "features/folded/folded_engine.h"
#include "features/jacobi/jacobi_engine.h"
#include "features/kernels/spreading_kernel.h"
#include "features/moments/disk_grid.h"
#include "features/zernike/ridge_engine.h"

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

double count_of(const MomentSpec& spec) {
  return static_cast<double>(moment_count(spec.family, spec.order));
}

// The stored moments of one image and which they are.
double moment_bytes(const MomentSpec& spec) {
  return count_of(spec) * (kComplex + sizeof(MomentIndex));
}

// The mask and the octant's pixels, and what transforms keep of them: coordinates, image numbers,
// folded sums.
double grid_bytes(int image_size) {
  constexpr double kKept = 5 * kDouble + 8 * sizeof(std::int32_t) + 8 * kDouble;
  return pixels_of(image_size) + octant_of(image_size) * kGrowth * (sizeof(OctantPixel) + kKept);
}

// Grid and weights of the polar transform; `copies` of the matrix between grid and nodes.
double polar_bytes(const MomentSpec& spec, double copies) {
  const double order = spec.order;
  const double degree = spec.family == Family::kZernike ? order / 2 : order;
  const double cells = 2 * (degree + 1) + 2 * kSpreadWidth;
  const double task = 4 * 8 * (cells + degree + 1) * thread_count();
  return kDouble * (cells * 2 * (order + kBlock) + copies * (degree + 1) * cells + task);
}

double exact_bytes(const MomentSpec& spec, int image_size) {
  const double rows = static_cast<double>(spec.order) + 6;
  // matrices of rows x rows numbers: cosines 1, turns 1, folded sums 2, transformed sums 1
  const double work = kDouble * rows * kBlock * 4 * thread_count();
  constexpr double kCornerValues = 10 * kDouble;
  return 5 * kDouble * rows * rows + work +
         octant_of(image_size) * kGrowth * (sizeof(ExactPlan::Corner) + kCornerValues);
}

double folded_bytes(const MomentSpec& spec, int image_size, double scalar) {
  return 3 * count_of(spec) * octant_of(image_size) * scalar;
}

double scalar_bytes(Precision precision) {
  return precision == Precision::kFast ? sizeof(float) : sizeof(double);
}

std::string subject(const std::string& what, int image_size) {
  return what + " of " + std::to_string(image_size) + " x " + std::to_string(image_size) +
         " pixels";
}

constexpr const char* kAdvice = "use a lower order or a smaller image";

}  // namespace

double bessel_fourier_bytes(const BesselFourierSpec& spec, Precision precision) {
  const double orders = spec.radial_order;
  const double repetitions = static_cast<double>(spec.angular_order) + 1;
  const RingLayout rings = ring_layout(spec);
  const double row = static_cast<double>(rings.rings) * static_cast<double>(rings.terms);
  const double scalar = scalar_bytes(precision);
  return orders * row * (kDouble + scalar) + 2 * repetitions * (row + orders) * scalar +
         orders * repetitions * kComplex + grid_bytes(spec.image_size) +
         pixels_of(spec.image_size) * kDouble;
}

double moment_engine_bytes(const MomentSpec& spec, int image_size, Precision precision) {
  const double moments = moment_bytes(spec) + pixels_of(image_size) * kDouble;
  switch (cpu_engine_kind(spec, image_size, precision)) {
    case CpuEngineKind::kCartesian:
      return moments +
             static_cast<double>(cartesian_work_bytes(square_spec(spec, image_size), precision));
    case CpuEngineKind::kBesselFourier:
      return moments + bessel_fourier_bytes(bessel_fourier_spec(spec, image_size), precision);
    case CpuEngineKind::kExact:
      return moments + grid_bytes(image_size) + exact_bytes(spec, image_size);
    case CpuEngineKind::kDirect:
      return moments + grid_bytes(image_size) + polar_bytes(spec, /*copies=*/1);
    case CpuEngineKind::kFolded:
      break;
  }
  return moments + grid_bytes(image_size) + folded_bytes(spec, image_size, scalar_bytes(precision));
}

double reconstructor_bytes(const MomentSpec& spec, int image_size, Precision precision) {
  const double moments = 2 * moment_bytes(spec) + pixels_of(image_size) * kDouble;
  if (!is_circular(spec.family)) {
    return moments +
           static_cast<double>(cartesian_work_bytes(square_spec(spec, image_size), precision));
  }
  if (spec.family == Family::kBesselFourier) {
    return moments + bessel_fourier_bytes(bessel_fourier_spec(spec, image_size), precision);
  }
  return moments + grid_bytes(image_size) + polar_bytes(spec, /*copies=*/2);
}

void check_engine_memory(const MomentSpec& spec, int image_size, Precision precision) {
  check_memory(moment_engine_bytes(spec, image_size, precision),
               subject(describe(spec) + ", of an image", image_size), kAdvice);
}

void check_reconstructor_memory(const MomentSpec& spec, int image_size, Precision precision) {
  check_memory(reconstructor_bytes(spec, image_size, precision),
               subject("reconstruction from " + describe(spec) + ", of an image", image_size),
               kAdvice);
}

void check_bessel_fourier_memory(const BesselFourierSpec& spec, Precision precision) {
  check_memory(bessel_fourier_bytes(spec, precision),
               subject("Bessel-Fourier, n <= " + std::to_string(spec.radial_order) +
                           ", |m| <= " + std::to_string(spec.angular_order) + ", of an image",
                       spec.image_size),
               kAdvice);
}

}  // namespace leafglyph
