// Zernike moments about every pixel: seconds of LocalMoments on the CPU beside a direct correlation
// with the same threads and vectors, and on a GPU if there is one.
//
// bench_local [--side N] [--order T] [--radii A,B...]
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/bench/bench_local.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#ifndef LEAFGLYPH_BENCH_LOCAL
#define LEAFGLYPH_BENCH_LOCAL
namespace leafglyph {

constexpr std::size_t kMaps = 4;       // that share what is loaded
constexpr std::size_t kMostLanes = 8;  // of doubles

struct CorrelationKernels {
  /// out[c * map + x] = sum over k < count of weights[k * kMaps + c] * values[offsets[k] + x], for
  /// x < columns, rounded up to 32.
  void (*correlate)(const double* values, const std::ptrdiff_t* offsets, std::size_t count,
                    const double* weights, std::size_t columns, double* out, std::size_t map);
};

}  // namespace leafglyph
#endif

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, kMostLanes>;
constexpr Lanes kTag;
constexpr std::size_t kLanes = hn::MaxLanes(kTag);
// 16 sums in registers of AVX-512, which has 32; 8 elsewhere.
constexpr std::size_t kVectors = kLanes == kMostLanes ? 4 : 2;

void correlate(const double* values, const std::ptrdiff_t* offsets, std::size_t count,
               const double* weights, std::size_t columns, double* out, std::size_t map) {
  for (std::size_t x = 0; x < columns; x += kVectors * kLanes) {
    hn::Vec<Lanes> sums[kMaps][kVectors];
    for (auto& of_map : sums) {
      for (auto& sum : of_map) sum = hn::Zero(kTag);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const double* const at = values + offsets[k] + x;
      hn::Vec<Lanes> seen[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) seen[v] = hn::LoadU(kTag, at + v * kLanes);
      for (std::size_t c = 0; c < kMaps; ++c) {
        const auto weight = hn::Set(kTag, weights[k * kMaps + c]);
        for (std::size_t v = 0; v < kVectors; ++v) {
          sums[c][v] = hn::MulAdd(seen[v], weight, sums[c][v]);
        }
      }
    }
    for (std::size_t c = 0; c < kMaps; ++c) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::StoreU(sums[c][v], kTag, out + c * map + x + v * kLanes);
      }
    }
  }
}

constexpr CorrelationKernels kTable = {correlate};
const CorrelationKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "features/local/local_moments.h"
#include "features/moments/radial.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"

namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(CorrelationKernels, correlation_kernels)

namespace {

constexpr unsigned kSeed = 20261129;

// The correlation of an image of side x side pixels with every kernel, 0 beyond the image.
class Direct {
 public:
  Direct(const LocalSpec& spec, const std::vector<LocalNumber>& numbers, std::size_t side)
      : side_(side),
        reach_(static_cast<std::size_t>(spec.radius)),
        stride_((side + 31) / 32 * 32 + 2 * reach_ + 32),
        padded_((side + 2 * reach_) * stride_, 0.0),
        maps_((numbers.size() + kMaps - 1) / kMaps * kMaps) {
    const auto reach = static_cast<std::ptrdiff_t>(reach_);
    for (std::ptrdiff_t dy = -reach; dy <= reach; ++dy) {
      for (std::ptrdiff_t dx = -reach; dx <= reach; ++dx) {
        if (static_cast<double>(dx * dx + dy * dy) > spec.radius * spec.radius) continue;
        offsets_.push_back((reach + dy) * static_cast<std::ptrdiff_t>(stride_) + reach + dx);
      }
    }
    weights_.assign(maps_ * offsets_.size(), 0.0);
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const auto [n, m, imaginary] = numbers[c];
      const RadialRecurrence recurrence(Family::kZernike, m, n);
      for (std::size_t k = 0; k < offsets_.size(); ++k) {
        const double dy =
            static_cast<double>(offsets_[k] / static_cast<std::ptrdiff_t>(stride_) - reach);
        const double dx =
            static_cast<double>(offsets_[k] % static_cast<std::ptrdiff_t>(stride_) - reach);
        std::vector<double> radial;
        radial_values(recurrence, std::hypot(dx, dy) / spec.radius, radial);
        const double angle = m * std::atan2(-dy, dx);
        weights_[(c / kMaps * offsets_.size() + k) * kMaps + c % kMaps] =
            (n + 1) / (std::numbers::pi * spec.radius * spec.radius) * radial.back() *
            (imaginary ? -std::sin(angle) : std::cos(angle));
      }
    }
  }

  std::size_t room() const { return maps_ * side_ * map_columns(); }
  std::size_t map_columns() const { return (side_ + 31) / 32 * 32; }

  void run(const std::vector<double>& image, std::vector<double>& out) {
    for (std::size_t j = 0; j < side_; ++j) {
      std::copy_n(image.data() + j * side_, side_,
                  padded_.data() + (j + reach_) * stride_ + reach_);
    }
    const std::size_t map = side_ * map_columns();
    parallel_for(side_, [&](std::size_t row) {
      for (std::size_t c = 0; c < maps_; c += kMaps) {
        correlation_kernels().correlate(padded_.data() + row * stride_, offsets_.data(),
                                        offsets_.size(), weights_.data() + c * offsets_.size(),
                                        side_, out.data() + c * map + row * map_columns(), map);
      }
    });
  }

 private:
  std::size_t side_;
  std::size_t reach_;
  std::size_t stride_;
  std::vector<double> padded_;
  std::size_t maps_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<double> weights_;  // by kMaps maps, then by pixel of the circle
};

struct Asked {
  std::size_t side = 1024;
  int order = 8;
  std::vector<double> radii = {16.0, 64.0};
};

void measure(const Asked& asked, double radius, const std::vector<double>& image) {
  const LocalSpec spec{asked.order, radius};
  const int side = static_cast<int>(asked.side);
  const LocalMoments local(spec, side, side);
  std::vector<double> maps(local.numbers().size() * image.size());
  const double own = median_seconds(5, [&] { local.moments(image, 0, side, maps); });
  std::vector<float> magnitudes(local.moment_count() * image.size());
  const double small = median_seconds(5, [&] { local.magnitudes(image, 0, side, magnitudes); });
  Direct direct(spec, local.numbers(), asked.side);
  std::vector<double> correlated(direct.room());
  const double plain = median_seconds(1, [&] { direct.run(image, correlated); });
  double difference = 0.0;
  for (std::size_t c = 0; c < local.numbers().size(); ++c) {
    for (std::size_t row = 0; row < asked.side; ++row) {
      for (std::size_t i = 0; i < asked.side; ++i) {
        difference = std::max(
            difference, std::abs(maps[(c * asked.side + row) * asked.side + i] -
                                 correlated[(c * asked.side + row) * direct.map_columns() + i]));
      }
    }
  }
  std::printf(
      "radius %g: moments %.3f s, magnitudes %.3f s, direct correlation %.3f s (%.1f times); "
      "largest difference %.1e\n",
      radius, own, small, plain, plain / own, difference);
  std::fflush(stdout);
}

// Maps in ordinary memory, which are written to as well.
void measure_gpu(const Asked& asked, double radius, const std::vector<double>& image) {
  const int side = static_cast<int>(asked.side);
  const auto local =
      make_local_moments({asked.order, radius}, side, side, {DeviceChoice::Kind::kCuda, 0});
  std::vector<double> maps(local->numbers().size() * image.size());
  const double all = median_seconds(5, [&] { local->moments(image, 0, side, maps); });
  std::vector<float> magnitudes(local->moment_count() * image.size());
  const double small = median_seconds(5, [&] { local->magnitudes(image, 0, side, magnitudes); });
  std::printf("radius %g: moments %.3f s, magnitudes %.3f s, %s\n", radius, all, small,
              local->describe().c_str());
}

int run(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    std::istringstream value(argv[i + 1]);
    if (name == "--side") {
      value >> asked.side;
    } else if (name == "--order") {
      value >> asked.order;
    } else if (name == "--radii") {
      asked.radii.clear();
      for (std::string radius; std::getline(value, radius, ',');) {
        asked.radii.push_back(std::stod(radius));
      }
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      return 2;
    }
  }
  std::mt19937 generator(kSeed);
  std::vector<double> image(asked.side * asked.side);
  for (double& value : image) value = static_cast<double>(generator() & 255U);
  std::printf("%zu x %zu pixels, order %d, %d threads\n", asked.side, asked.side, asked.order,
              thread_count());
  for (const double radius : asked.radii) measure(asked, radius, image);
  if (!gpu::find_gpus().devices.empty()) {
    for (const double radius : asked.radii) measure_gpu(asked, radius, image);
  }
  return 0;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    return leafglyph::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
#endif
