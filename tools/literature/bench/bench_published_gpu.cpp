#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "features/base/statistics.h"
#include "features/image/volume.h"
#include "tools/literature/bench/published_timing.h"

namespace leafglyph {
namespace {

using namespace gpu::published;

void print_kernels() {
  std::printf("what kernels take of a multiprocessor\n  %-30s %8s %10s %10s %10s\n", "kernel",
              "threads", "registers", "shared, B", "occupancy");
  for (const auto& list :
       {kintner_kernels(), factorial_kernels(), deng_kernels(), bessel_fourier_kernels(),
        jacobi_kernels(), std::vector<KernelUse>{q_recursive_kernel(), combined_kernel()}}) {
    for (const KernelUse& use : list) {
      std::printf("  %-30s %8d %10d %10zu %9.1f%%\n", use.name.c_str(), use.threads, use.registers,
                  use.shared_bytes, 100.0 * use.occupancy);
    }
  }
}

}  // namespace

namespace {

// Seconds of the steps whose names print has.
void add_steps(const std::vector<Step>& steps, const std::string& column,
               PublishedFigures& figures) {
  for (const Step& step : steps) {
    for (const char* kernel : {"JV", "EXP", "BNM", "RECONSTRUCTION"}) {
      if (step.name == kernel) figures.add({"xia-5.4", step.name, column, step.seconds});
    }
  }
}

}  // namespace

void bench_published_bessel(PublishedFigures& figures) {
  const int size = 1024;
  const int order = 1000;
  const auto image = noise(size);
  std::printf("Bessel-Fourier, %d x %d, order %d, moments of k = 15 and image\n", size, size,
              order);
  Moments reference;
  const double own = time_ours({Family::kBesselFourier, order, Method::kSubregion, 15}, size,
                               Precision::kDouble, ImageBatch(image, 1, size), reference);
  std::printf("  ours: moments %.4g s (double, with transfers)\n", own);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const std::string column = precision_name(precision);
    if (figures.find("xia-5.4", "BNM", column)) continue;
    bessel_fourier_moments(precision, 64, 1, image, size);  // the warm-up
    std::vector<double> back(image.size());
    const Result result = bessel_fourier_moments(precision, order, 15, image, size, back);
    std::printf("  %s: %.4g s, error %.1e\n", column.c_str(), result.seconds,
                relative_l2(result.moments, reference));
    print_steps(result.steps, result.seconds);
    add_steps(result.transfers, column + ":copies", figures);
    add_steps(result.steps, column, figures);
  }
}

namespace {

// Wang's Tables 3 and 5 by the kernels with every k, milliseconds.
void time_jacobi(const std::vector<float>& volume, int size, PublishedFigures& figures) {
  for (const auto& [place, weight] :
       {std::pair{"wang-3", JacobiWeight{0.3, 0.3}}, {"wang-5", JacobiWeight{0.3, 0.7}}}) {
    std::printf("Jacobi %g, %g, %d^3, float, moments and volume, milliseconds\n", weight.alpha,
                weight.beta, size);
    for (const int k : {1, 23}) {
      for (const int order : {100, 200, 300, 400, 500}) {
        jacobi_moments(weight, order, k, volume, size, size);  // the warm-up
        const JacobiResult result = jacobi_moments(weight, order, k, volume, size, size);
        figures.add({place, std::to_string(k), std::to_string(order), 1e3 * result.seconds});
        print_steps(result.steps, result.seconds);
      }
    }
  }
}

// What a generated bone gains from a k to the next, dB, by where the kernels sample a sub-voxel.
void compare_samples(int size, PublishedFigures& figures) {
  const JacobiWeight weight{0.3, 0.3};
  const Volume bone = generate_bone(size, size, size, kNoiseSeed);
  const std::vector<float> voxels(bone.values.begin(), bone.values.end());
  const auto quality = [&](int order, int k, SampleAt at) {
    Volume back = bone;
    const JacobiResult result = jacobi_moments(weight, order, k, voxels, size, size, at);
    std::copy(result.volume.begin(), result.volume.end(), back.values.begin());
    return volume_psnr(bone, back, full_range(SampleDepth::k8Bit), Rounding::kNone);
  };
  for (const auto& [name, at] :
       {std::pair{"edge:", SampleAt::kRightEdge}, {"middle:", SampleAt::kMiddle}}) {
    for (const int order : {100, 200, 300}) {
      double before = quality(order, 3, at);
      for (const int k : {7, 11, 15, 19, 23}) {
        const double now = quality(order, k, at);
        figures.add({"wang-s1", name + std::to_string(k), std::to_string(order), now - before});
        before = now;
      }
    }
  }
}

}  // namespace

void bench_published_jacobi(PublishedFigures& figures) {
  const int size = 512;
  std::mt19937 generator(kNoiseSeed);
  std::vector<float> volume(static_cast<std::size_t>(size) * size * size);
  for (float& value : volume) value = static_cast<float>(generator() & 255U);
  time_jacobi(volume, size, figures);
  compare_samples(size, figures);
  const MomentSpec spec{Family::kJacobi, 500, Method::kExact, 1, {0.3, 0.3}};
  PlanOptions options = for_many_images();
  options.device.kind = DeviceChoice::Kind::kCuda;
  options.precision = Precision::kFloat;
  const ArraySize cube{size, size, size};
  const auto plan = make_moment_plan(spec, cube, options);
  Moments moments(plan->moment_count());
  const ImageBatch batch(std::span<const float>(volume), 1, cube);
  const double seconds = median_seconds(3, [&] { plan->moments(batch, moments); });
  std::printf("  ours, order 500, moments alone, with transfers: %.4g ms\n", 1e3 * seconds);
}

void bench_published_gpu(PublishedFigures& figures) {
  print_kernels();
  bench_published_factorial(figures);
  bench_published_deng(figures);
  bench_published_jacobi(figures);
  bench_published_bessel(figures);
  bench_published_kintner(figures);
}

}  // namespace leafglyph
