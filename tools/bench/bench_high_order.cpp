// Benchmark of the transforms for high orders: moments and reconstruction of one image.
//
//   bench_high_order [cpu] [growth] [gpu] [gpu-growth] [PLAN]     default: cpu and growth
//
// cpu: N = 512, order 500. growth: how the time for Zernike moments grows with N, T and k, with
// fitted exponents for the time and for the number of operations. gpu and gpu-growth: the same on a
// GPU, including transfers. Times are medians of repeated runs on data in host memory. Plans are
// built beforehand. PLAN is exact, one, adaptive or rings: the first plan of its kind and the first
// image in this process, on both devices; only one PLAN a process says that.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"
#include "features/kernels/spread_kernels.h"
#include "features/moments/disk_grid.h"
#include "features/separable/recurrence_moments.h"
#include "gpu/devices.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20240605;
constexpr RunLimits kRuns = {1.0, 51};

std::vector<double> test_image(int size) {
  std::mt19937 generator(kSeed);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<double> image(static_cast<std::size_t>(size) * size);
  for (double& value : image) value = grey(generator);
  // Keep only pixels that every method counts, so that their results can be compared.
  const DiskGrid disk(size, Mask::kWhole);
  for (std::size_t p = 0; p < image.size(); ++p) {
    if (disk.mask().pixels()[p] == 0) image[p] = 0.0;
  }
  return image;
}

struct Measured {
  double plan_seconds = 0.0;
  double seconds = 0.0;
  std::vector<std::complex<double>> moments;
};

Measured measure(const MomentSpec& spec, int size, const PlanOptions& options) {
  const std::vector<double> image = test_image(size);
  Measured result;
  std::unique_ptr<MomentPlan> plan;
  result.plan_seconds = seconds_of([&] {
    plan = make_moment_plan(spec, size, options);
    plan->prepare(MomentPlan::Direction::kMoments);
  });
  result.moments.resize(plan->moment_count());
  result.seconds =
      median_seconds(kRuns, [&] { plan->moments(ImageBatch(image, 1, size), result.moments); });
  return result;
}

void print(const MomentSpec& spec, int size, const Measured& result) {
  std::printf("  %-52s N = %-5d %10.3f ms   (plan %.0f ms)\n", describe(spec).c_str(), size,
              1e3 * result.seconds, 1e3 * result.plan_seconds);
  std::fflush(stdout);
}

// Prints the root mean square difference over all moments, and that of the moments themselves.
void print_error(const std::string& what, const Measured& result, const Measured& reference) {
  double error = 0.0;
  double norm = 0.0;
  for (std::size_t c = 0; c < reference.moments.size(); ++c) {
    error += std::norm(result.moments[c] - reference.moments[c]);
    norm += std::norm(reference.moments[c]);
  }
  const auto count = static_cast<double>(reference.moments.size());
  std::printf("  rms error of %s: %.2e (rms moment %.2e)\n", what.c_str(), std::sqrt(error / count),
              std::sqrt(norm / count));
}

void print_reconstruction(const MomentSpec& spec, int size, const PlanOptions& options,
                          const std::vector<std::complex<double>>& moments) {
  const auto plan = make_moment_plan(spec, size, options);
  plan->prepare(MomentPlan::Direction::kImages);
  std::vector<double> image(static_cast<std::size_t>(size) * size);
  const double seconds = median_seconds(kRuns, [&] {
    plan->reconstruct(moments, {0, spec.order, Repetitions::kAll}, image);
  });
  std::printf("  reconstruction, %-36s N = %-5d %10.3f ms\n", describe(spec).c_str(), size,
              1e3 * seconds);
  std::fflush(stdout);
}

void run_order_500(const PlanOptions& options, bool all) {
  const int size = 512;
  const auto one = [&](const MomentSpec& spec) {
    Measured result = measure(spec, size, options);
    print(spec, size, result);
    return result;
  };
  const MomentSpec exact_spec{Family::kZernike, 500, Method::kExact};
  const Measured exact = one(exact_spec);
  const Measured direct = one({Family::kZernike, 500});
  print_error("k = 1", direct, exact);
  print_reconstruction(exact_spec, size, options, exact.moments);
  if (!all) return;
  const Measured nine = one({Family::kZernike, 500, Method::kSubregion, 9});
  print_error("k = 9", nine, exact);
  const double operations = RecurrenceMoments::operations(
      disk_rule({Family::kZernike, 500, Method::kSubregion, 9}, size));
  std::printf("  k = 9: %.2f T operations a second\n", operations / nine.seconds * 1e-12);
  one({Family::kZernike, 500, Method::kSubregion, 25});
  const MomentSpec adaptive_spec{Family::kPseudoZernike, 700, Method::kAdaptive};
  const Measured adaptive = one(adaptive_spec);
  const Measured dense = one({Family::kPseudoZernike, 700, Method::kGauss, 40});
  const Measured pseudo = one({Family::kPseudoZernike, 700});
  const Measured eleven = one({Family::kPseudoZernike, 700, Method::kSubregion, 11});
  print_error("k = 1", pseudo, dense);
  print_error("k = 11", eleven, dense);
  print_error("adaptive points", adaptive, dense);
  print_reconstruction({Family::kPseudoZernike, 700}, size, options, pseudo.moments);
  one({Family::kZernike, 1000, Method::kExact});
  one({Family::kZernike, 2000, Method::kExact});
  one({Family::kZernike, 1000});
}

// Least-squares slope of log(seconds) over log(x).
double exponent(const std::vector<double>& x, const std::vector<double>& seconds) {
  double sx = 0.0;
  double sy = 0.0;
  double sxx = 0.0;
  double sxy = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]);
    const double b = std::log(seconds[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

template <class MakeSpec>
void run_growth(const char* variable, const std::vector<int>& values, const PlanOptions& options,
                const MakeSpec& make) {
  std::vector<double> x;
  std::vector<double> seconds;
  std::vector<double> operations;
  for (const int value : values) {
    const auto [spec, size] = make(value);
    const Measured result = measure(spec, size, options);
    print(spec, size, result);
    x.push_back(value);
    seconds.push_back(result.seconds);
    operations.push_back(RecurrenceMoments::operations(disk_rule(spec, size)));
  }
  std::printf("  -> time grows as %s^%.2f, operations as %s^%.2f, %.1f to %.1f a nanosecond\n",
              variable, exponent(x, seconds), variable, exponent(x, operations),
              1e-9 * operations.front() / seconds.front(),
              1e-9 * operations.back() / seconds.back());
}

void run_growth(const PlanOptions& options) {
  using Case = std::pair<MomentSpec, int>;
  for (const Method method : {Method::kSubregion, Method::kExact}) {
    run_growth("N", {256, 512, 1024, 2048}, options, [&](int size) {
      return Case{{Family::kZernike, 500, method}, size};
    });
    run_growth("T", {250, 500, 1000, 2000}, options, [&](int order) {
      return Case{{Family::kZernike, order, method}, 512};
    });
  }
  run_growth("k", {3, 5, 9, 15}, options, [&](int k) {
    return Case{{Family::kZernike, 500, Method::kSubregion, k}, 512};
  });
}

struct FirstPlan {
  std::string_view name;
  MomentSpec spec;
  int size;
};
const FirstPlan kFirstPlans[] = {
    {"exact", {Family::kZernike, 500, Method::kExact}, 512},
    {"one", {Family::kZernike, 500}, 512},
    {"adaptive", {Family::kPseudoZernike, 700, Method::kAdaptive}, 512},
    {"rings", {Family::kBesselFourier, 1000, Method::kAdaptive}, 1024},
};

// The first plan and image of a process that has used the device before, if it is a GPU.
void print_first(const FirstPlan& first, const char* device, const PlanOptions& options) {
  const std::vector<double> image = test_image(first.size);
  std::unique_ptr<MomentPlan> plan;
  const double made = seconds_of([&] {
    plan = make_moment_plan(first.spec, first.size, options);
    plan->prepare(MomentPlan::Direction::kMoments);
  });
  std::vector<std::complex<double>> moments(plan->moment_count());
  const double computed =
      seconds_of([&] { plan->moments(ImageBatch(image, 1, first.size), moments); });
  std::printf("  %s, N = %d, %s: first plan %.1f ms, first image %.1f ms\n",
              describe(first.spec).c_str(), first.size, device, 1e3 * made, 1e3 * computed);
  std::fflush(stdout);
}

void run_first(const FirstPlan& first, const PlanOptions& cpu, const PlanOptions& gpu) {
  if (!gpu::find_gpus().devices.empty()) {
    const double context = seconds_of([&] {
      make_moment_plan({Family::kZernike, 8}, 64, gpu)->prepare(MomentPlan::Direction::kMoments);
    });
    std::printf("  first use of the GPU: %.1f ms\n", 1e3 * context);
    print_first(first, "GPU", gpu);
  }
  print_first(first, "CPU", cpu);
}

int run(const std::vector<std::string>& parts) {
  // What counts is an image when the tables are there.
  PlanOptions cpu = for_many_images();
  cpu.device.kind = DeviceChoice::Kind::kCpu;
  PlanOptions gpu = for_many_images();
  gpu.device.kind = DeviceChoice::Kind::kCuda;
  for (const std::string& part : parts) {
    if (part == "cpu") {
      std::printf("CPU, %s, %d threads\n", std::string(instruction_set_name()).c_str(),
                  thread_count());
      run_order_500(cpu, false);
    } else if (part == "growth") {
      std::printf("CPU, %s, %d threads: growth\n", std::string(instruction_set_name()).c_str(),
                  thread_count());
      run_growth(cpu);
    } else if (part == "gpu") {
      std::printf("GPU, transfers included\n");
      // The first use of a GPU takes longer than building any plan.
      make_moment_plan({Family::kZernike, 8}, 64, gpu)->prepare(MomentPlan::Direction::kMoments);
      run_order_500(gpu, true);
    } else if (part == "gpu-growth") {
      std::printf("GPU, transfers included: growth\n");
      run_growth(gpu);
    } else {
      const auto* first = std::find_if(std::begin(kFirstPlans), std::end(kFirstPlans),
                                       [&](const FirstPlan& one) { return one.name == part; });
      if (first == std::end(kFirstPlans)) {
        std::fprintf(stderr,
                     "unknown part '%s'; use cpu, growth, gpu, gpu-growth, exact, one, adaptive or "
                     "rings\n",
                     part.c_str());
        return 2;
      }
      run_first(*first, cpu, gpu);
    }
  }
  return 0;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  std::vector<std::string> parts(argv + 1, argv + argc);
  if (parts.empty()) parts = {"cpu", "growth"};
  try {
    return leafglyph::run(parts);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
