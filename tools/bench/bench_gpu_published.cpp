#include "tools/bench/bench_gpu_published.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "features/base/relative_error.h"
#include "gpu/plans.h"
#include "gpu/published/published.h"
#include "tools/bench/gpu_timing.h"

namespace leafglyph {
namespace {

constexpr int kSize = 512;
constexpr int kRepeats = 3;
constexpr std::size_t kDengScratch = std::size_t{4} << 30;

using Moments = std::vector<std::complex<double>>;

template <class Call>
void print_published(const char* name, const Moments& reference, Call&& call) {
  std::vector<double> seconds;
  gpu::published::Result result = call();  // warm-up
  for (int i = 0; i < kRepeats; ++i) {
    result = call();
    seconds.push_back(result.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("  %-52s %10.3f ms   error %.1e\n", name, seconds[kRepeats / 2] * 1e3,
              relative_l2(result.moments, reference));
}

void bench_order(int order, const std::vector<double>& image) {
  const MomentSpec spec{Family::kZernike, order};
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  Moments reference(moment_count(spec.family, order));
  make_moment_plan(spec, kSize, options)->moments(ImageBatch(image, 1, kSize), reference);
  std::printf("\nZernike, 512 x 512, order %d, k = 1, one image\n", order);
  using gpu::published::KintnerVariant;
  for (const auto variant :
       {KintnerVariant::kStoreAndReduce, KintnerVariant::kAtomic, KintnerVariant::kAtomicConstant,
        KintnerVariant::kFourfold, KintnerVariant::kEightfold}) {
    print_published(std::string(gpu::published::kintner_variant_name(variant)).c_str(), reference,
                    [&] { return gpu::published::kintner_moments(variant, order, image, kSize); });
  }
  print_published("Deng's recursion", reference, [&] {
    return gpu::published::deng_moments(spec.family, order, image, kSize, kDengScratch);
  });
  options.device.kind = DeviceChoice::Kind::kCuda;
  auto engine = make_moment_plan(spec, kSize, options);
  const ImageBatch batch(image, 1, kSize);
  Moments got(reference.size());
  const double seconds = median_seconds(9, [&] { engine->moments(batch, got); });
  std::printf("  %-52s %10.3f ms   error %.1e\n", "this engine, host to host", seconds * 1e3,
              relative_l2(got, reference));
  std::printf("  (%s)\n", engine->describe().c_str());
}

}  // namespace

void bench_published() {
  std::mt19937 generator(512);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<double> image(std::size_t{kSize} * kSize);
  for (double& pixel : image) pixel = grey(generator);
  for (const int order : {100, 300}) bench_order(order, image);
  std::printf("\nfactorial sums, 512 x 512, order %d\n", gpu::published::kLargestFactorialOrder);
  const auto single = gpu::published::factorial_moment(34, 0, image, kSize);
  const auto row = gpu::published::factorial_order(34, image, kSize);
  std::printf("  one moment %.3f ms, the %zu moments of the order %.3f ms\n", single.seconds * 1e3,
              row.moments.size(), row.seconds * 1e3);
}

}  // namespace leafglyph
