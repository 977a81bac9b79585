// Compares the algorithms for Zernike moments. gpu/plans.cpp is based on the results. Prints the
// smallest medians of alternating runs on two threads of the CPU or, with `gpu`, on the first GPU
// including transfers.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/threads.h"
#include "features/folded/folded_forward.h"
#include "features/separable/separable_transform.h"
#include "features/zernike/polar_transform.h"
#include "gpu/cuda_algorithms.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20261121;
constexpr RunLimits kRuns = {0.25, 41};
constexpr int kRounds = 3;

// Smallest median seconds of two calls that are run alternately.
std::pair<double, double> race(const std::function<void()>& one,
                               const std::function<void()>& other) {
  std::pair<double, double> best{1e9, 1e9};
  for (int round = 0; round < kRounds; ++round) {
    best.first = std::min(best.first, median_seconds(kRuns, one));
    best.second = std::min(best.second, median_seconds(kRuns, other));
  }
  return best;
}

std::vector<unsigned char> random_bytes(std::size_t count) {
  std::mt19937 generator(kSeed);
  std::vector<unsigned char> bytes(count);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(generator() & 255U);
  return bytes;
}

// Uses tables or recurrences, as plans choose.
std::shared_ptr<ForwardTransform> separable_forward(const MomentSpec& spec, int size,
                                                    Precision precision = Precision::kDouble) {
  const PlanRequest request{spec, size, precision};
  static constexpr std::array kRows = {&kSeparableTables, &kSeparable};
  return first_that_supports(kRows, &CpuAlgorithm::moments, request)->moments.make(request);
}

void race_batches(int size, int order) {
  const std::size_t count = size >= 256 ? 128 : 512;
  const MomentSpec spec{Family::kZernike, order};
  const auto bytes = random_bytes(count * static_cast<std::size_t>(size) * size);
  const ImageBatch images(bytes, count, size);
  std::vector<float> magnitudes(count * moment_count(spec, size));
  std::printf("  %d images of %d x %d, order %d:", static_cast<int>(count), size, size, order);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const auto folded = make_folded_forward(spec, size, precision);
    const auto separable = separable_forward(spec, size, precision);
    const auto [a, b] = race([&] { folded->compute_magnitudes(images, magnitudes); },
                             [&] { separable->compute_magnitudes(images, magnitudes); });
    std::printf("  %s %.0f and %.0f images/s (%.2f)", precision_name(precision).c_str(),
                static_cast<double>(count) / a, static_cast<double>(count) / b, a / b);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// A transform, and the seconds it took to make.
template <class Transform>
struct Made {
  std::shared_ptr<Transform> transform;
  double seconds;
};

template <class Make>
auto timed(const Make& make) {
  Made<typename decltype(make())::element_type> made;
  made.seconds = seconds_of([&] { made.transform = make(); });
  return made;
}

template <class Transform>
void print_race(const std::string& what, const char* name, const Made<Transform>& other,
                const Made<Transform>& separable, const std::pair<double, double>& seconds) {
  std::printf("  %s: %s %.3f ms, separable %.3f ms (%.2f); plans %.0f and %.0f ms\n", what.c_str(),
              name, 1e3 * seconds.first, 1e3 * seconds.second, seconds.first / seconds.second,
              1e3 * other.seconds, 1e3 * separable.seconds);
  std::fflush(stdout);
}

std::string of_size(int size) { return ", " + std::to_string(size) + " x " + std::to_string(size); }

// make(separable) makes one of the two transforms.
template <class Make>
void race_images(const MomentSpec& spec, int size, const char* name, const Make& make) {
  const auto bytes = random_bytes(static_cast<std::size_t>(size) * size);
  const std::vector<double> image(bytes.begin(), bytes.end());
  const ImageBatch one(image, 1, size);
  std::vector<std::complex<double>> moments(moment_count(spec, size));
  const auto other = timed([&] { return make(false); });
  const auto separable = timed([&] { return make(true); });
  print_race(describe(spec) + of_size(size), name, other, separable,
             race([&] { other.transform->compute_moments(one, moments); },
                  [&] { separable.transform->compute_moments(one, moments); }));
}

template <class Make>
void race_reconstruction(int size, int order, const Make& make) {
  const MomentSpec spec{Family::kZernike, order};
  const std::vector<std::complex<double>> moments(moment_count(spec, size), {1.0, 0.5});
  std::vector<double> image(static_cast<std::size_t>(size) * size);
  const auto other = timed([&] { return make(spec, false); });
  const auto separable = timed([&] { return make(spec, true); });
  print_race("order " + std::to_string(order) + of_size(size), "polar", other, separable,
             race([&] { other.transform->compute_image(moments, order, image); },
                  [&] { separable.transform->compute_image(moments, order, image); }));
}

struct Sampled {
  int size;
  int order;
  int points;
};
constexpr Sampled kSampled[] = {
    {256, 120, 1}, {512, 500, 1}, {512, 1000, 1}, {512, 500, 5}, {512, 500, 9}};
constexpr std::pair<int, int> kSizesAndOrders[] = {{64, 30},   {256, 30},   {512, 100},
                                                   {512, 500}, {512, 1000}, {512, 2000}};

// The exact method has no other algorithm to compare with.
template <class Make>
void time_image(const MomentSpec& spec, int size, const Make& make) {
  const auto bytes = random_bytes(static_cast<std::size_t>(size) * size);
  const std::vector<double> image(bytes.begin(), bytes.end());
  std::vector<std::complex<double>> moments(moment_count(spec, size));
  const auto separable = timed([&] { return make(true); });
  const double seconds = median_seconds(
      kRuns, [&] { separable.transform->compute_moments(ImageBatch(image, 1, size), moments); });
  std::printf("  %s: separable %.3f ms; plan %.0f ms\n", (describe(spec) + of_size(size)).c_str(),
              1e3 * seconds, 1e3 * separable.seconds);
  std::fflush(stdout);
}

// Compares the algorithms on single images. The makers receive what to compute, and whether to use
// separation of variables.
template <class MakeForward, class MakeBackward>
void race_single_images(const MakeForward& forward, const MakeBackward& backward) {
  for (const Sampled& s : kSampled) {
    const MomentSpec spec{Family::kZernike, s.order, Method::kSubregion, s.points};
    race_images(spec, s.size, "polar",
                [&](bool separable) { return forward(spec, s.size, separable); });
  }
  for (const auto& [size, order] : kSizesAndOrders) {
    const MomentSpec spec{Family::kZernike, order, Method::kExact};
    time_image(spec, size, [&, n = size](bool separable) { return forward(spec, n, separable); });
  }
  std::printf("images from Z_nm\n");
  for (const auto& [size, order] : kSizesAndOrders) {
    race_reconstruction(size, order, [&, n = size](const MomentSpec& spec, bool separable) {
      return backward(spec, n, separable);
    });
  }
}

void run_cpu() {
  set_thread_count(2);
  std::printf("|Z_nm| of batches, 8-bit: folded products and separable\n");
  for (const auto& [size, order] :
       {std::pair{24, 12}, {64, 12}, {64, 40}, {128, 30}, {256, 8}, {256, 20}, {256, 30}}) {
    race_batches(size, order);
  }
  std::printf("Z_nm of one image, double\n");
  const MomentSpec low{Family::kZernike, 30};
  race_images(low, 256, "folded", [&](bool separable) {
    return separable ? separable_forward(low, 256)
                     : make_folded_forward(low, 256, Precision::kDouble);
  });
  race_single_images(
      [&](const MomentSpec& spec, int size, bool separable) {
        return separable ? separable_forward(spec, size) : make_polar_forward(spec, size);
      },
      [](const MomentSpec& spec, int size, bool separable) {
        return separable ? make_separable_backward(spec, size) : make_polar_backward(spec, size);
      });
}

const gpu::CudaAlgorithm& cuda_row(std::string_view name) {
  return **std::ranges::find(gpu::cuda_algorithms(), name,
                             [](const gpu::CudaAlgorithm* row) { return row->name; });
}

// Complex moments of 8-bit images in host memory.
void race_gpu_batch(const gpu::GpuDevice& gpu) {
  constexpr int kSize = 256;
  constexpr std::size_t kCount = 512;
  const MomentSpec spec{Family::kZernike, 30};
  const auto bytes = random_bytes(kCount * kSize * kSize);
  const ImageBatch images(bytes, kCount, kSize);
  std::vector<std::complex<double>> moments(kCount * moment_count(spec, kSize));
  const auto folded = cuda_row("folded").moments.make({spec, kSize}, gpu);
  const auto separable = cuda_row("separable").moments.make({spec, kSize}, gpu);
  const auto [a, b] = race([&] { folded->compute_moments(images, moments); },
                           [&] { separable->compute_moments(images, moments); });
  std::printf("%s%s, batches: folded %.0f and separable %.0f images/s\n", describe(spec).c_str(),
              of_size(kSize).c_str(), kCount / a, kCount / b);
}

int run_gpu() {
  const gpu::GpuInventory found = gpu::find_gpus();
  if (found.devices.empty()) {
    std::fprintf(stderr, "no GPU: %s\n", found.reason.c_str());
    return 1;
  }
  const gpu::GpuDevice& gpu = found.devices.front();
  race_gpu_batch(gpu);
  std::printf("Z_nm of one image on %s, double\n", gpu.name.c_str());
  const MomentSpec low{Family::kZernike, 30};
  race_images(low, 256, "folded", [&](bool separable) {
    return cuda_row(separable ? "separable" : "folded").moments.make({low, 256}, gpu);
  });
  race_single_images(
      [&](const MomentSpec& spec, int size, bool separable) {
        return cuda_row(separable ? "separable" : "polar").moments.make({spec, size}, gpu);
      },
      [&](const MomentSpec& spec, int size, bool separable) {
        return cuda_row(separable ? "separable" : "polar").images.make({spec, size}, gpu);
      });
  return 0;
}

int run(const std::vector<std::string>& parts) {
  if (parts.empty()) {
    run_cpu();
    return 0;
  }
  if (parts.size() == 1 && parts.front() == "gpu") return run_gpu();
  std::fprintf(stderr, "usage: bench_algorithms [gpu]\n");
  return 2;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    return leafglyph::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
