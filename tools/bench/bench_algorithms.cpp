// The algorithms for Zernike moments on the CPU side by side: what features/plan/algorithm.cpp
// chooses by. Smallest medians of alternating runs on two threads.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "features/base/threads.h"
#include "features/folded/folded_forward.h"
#include "features/separable/separable_transform.h"
#include "features/zernike/polar_backward.h"
#include "features/zernike/polar_forward.h"
#include "features/zernike/ridge_forward.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20261121;
constexpr RunLimits kRuns = {0.25, 41};
constexpr int kRounds = 3;

// Seconds of two calls, run in turns.
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

void race_batches(int size, int order) {
  const std::size_t count = size >= 256 ? 128 : 512;
  const MomentSpec spec{Family::kZernike, order};
  const auto bytes = random_bytes(count * static_cast<std::size_t>(size) * size);
  const ImageBatch images(bytes, count, size);
  std::vector<float> magnitudes(count * moment_count(spec, size));
  std::printf("  %d images of %d x %d, order %d:", static_cast<int>(count), size, size, order);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const auto folded = make_folded_forward(spec, size, precision);
    const auto separable = make_separable_forward(spec, size, precision);
    const auto [a, b] = race([&] { folded->compute_magnitudes(images, magnitudes); },
                             [&] { separable->compute_magnitudes(images, magnitudes); });
    std::printf("  %s %.0f and %.0f images/s (%.2f)", precision_name(precision).c_str(),
                static_cast<double>(count) / a, static_cast<double>(count) / b, a / b);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void race_images(const MomentSpec& spec, int size, const char* name,
                 const std::shared_ptr<ForwardTransform>& other) {
  const auto bytes = random_bytes(static_cast<std::size_t>(size) * size);
  const std::vector<double> image(bytes.begin(), bytes.end());
  const ImageBatch one(image, 1, size);
  std::vector<std::complex<double>> moments(moment_count(spec, size));
  const auto separable = make_separable_forward(spec, size, Precision::kDouble);
  const auto [a, b] = race([&] { other->compute_moments(one, moments); },
                           [&] { separable->compute_moments(one, moments); });
  std::printf("  %s, %d x %d: %s %.2f ms, separable %.2f ms (%.2f)\n", describe(spec).c_str(), size,
              size, name, 1e3 * a, 1e3 * b, a / b);
  std::fflush(stdout);
}

void race_reconstruction(int size, int order) {
  const MomentSpec spec{Family::kZernike, order};
  const std::vector<std::complex<double>> moments(moment_count(spec, size), {1.0, 0.5});
  std::vector<double> image(static_cast<std::size_t>(size) * size);
  const auto polar = make_polar_backward(spec, size);
  const auto separable = make_separable_backward(spec, size);
  const auto [a, b] = race([&] { polar->compute_image(moments, order, image); },
                           [&] { separable->compute_image(moments, order, image); });
  std::printf("  order %d, %d x %d: polar %.2f ms, separable %.2f ms (%.2f)\n", order, size, size,
              1e3 * a, 1e3 * b, a / b);
  std::fflush(stdout);
}

void run() {
  std::printf("|Z_nm| of batches, 8-bit: folded products and separable\n");
  for (const auto& [size, order] :
       {std::pair{24, 12}, {64, 12}, {64, 40}, {128, 30}, {256, 8}, {256, 20}, {256, 30}}) {
    race_batches(size, order);
  }
  std::printf("Z_nm of one image, double\n");
  const MomentSpec low{Family::kZernike, 30};
  race_images(low, 256, "folded", make_folded_forward(low, 256, Precision::kDouble));
  for (const auto& [size, order, k] :
       {std::tuple{256, 120, 1}, {512, 500, 1}, {512, 1000, 1}, {512, 500, 5}, {512, 500, 9}}) {
    const MomentSpec spec{Family::kZernike, order, Method::kSubregion, k};
    race_images(spec, size, "polar", make_polar_forward(spec, size));
  }
  for (const auto& [size, order] :
       {std::pair{64, 30}, {256, 30}, {512, 100}, {512, 500}, {512, 1000}, {512, 2000}}) {
    const MomentSpec spec{Family::kZernike, order, Method::kExact};
    race_images(spec, size, "ridge", make_ridge_forward(spec, size));
  }
  std::printf("images from Z_nm\n");
  for (const auto& [size, order] :
       {std::pair{64, 30}, {256, 30}, {512, 100}, {512, 500}, {512, 1000}, {512, 2000}}) {
    race_reconstruction(size, order);
  }
}

}  // namespace
}  // namespace leafglyph

int main() {
  leafglyph::set_thread_count(2);
  leafglyph::run();
}
