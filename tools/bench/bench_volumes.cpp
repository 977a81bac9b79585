// 3-D Zernike moments of many volumes: seconds on a GPU from page-locked memory, link included,
// beside bare copies; seconds on the CPU; and the error of float.
//
// bench_volumes [gpu|cpu] [--volumes N] [--held N] [--side N] [--orders A,B...]. `held` volumes of
// noise are in memory and are taken in turn until N are done. The GPU's time is the least of three
// runs; the CPU's is that of some volumes, times their share.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <exception>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/devices.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20261129;
constexpr std::size_t kOnCpu = 64;   // volumes that are timed there
constexpr std::size_t kChecked = 4;  // volumes that are compared with double

struct Asked {
  bool on_gpu = true;
  std::size_t volumes = 10'000;
  std::size_t held = 2'000;
  int side = 100;
  std::vector<int> orders = {20, 40};
};

void fill(std::span<float> values) {
  std::mt19937 generator(kSeed);
  constexpr std::size_t kRepeated = std::size_t{1} << 22;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i < kRepeated ? static_cast<float>(generator() & 255U) : values[i - kRepeated];
  }
}

std::unique_ptr<MomentPlan> plan_of(const Asked& asked, int order, DeviceChoice::Kind device,
                                    Precision precision) {
  PlanOptions options;
  options.device.kind = device;
  options.precision = precision;
  options.images = asked.volumes;
  auto plan =
      make_moment_plan({Family::kZernike3d, order}, {asked.side, asked.side, asked.side}, options);
  plan->prepare(MomentPlan::Direction::kMoments);
  return plan;
}

// The moments of `volumes` volumes, those that are held in turn.
void compute(MomentPlan& plan, std::span<const float> held, std::size_t volumes,
             std::vector<std::complex<double>>& moments) {
  const std::size_t voxels = plan.size().elements();
  for (std::size_t done = 0; done < volumes;) {
    const std::size_t some = std::min(volumes - done, held.size() / voxels);
    plan.moments(ImageBatch(held.first(some * voxels), some, plan.size()),
                 std::span(moments).first(some * plan.moment_count()));
    done += some;
  }
}

// Seconds in which as many bytes are copied and nothing is computed.
double bare_seconds(std::span<const float> held, std::size_t bytes) {
  const std::size_t part = std::min(held.size_bytes(), std::size_t{1} << 30);
  gpu::DeviceBuffer<std::byte> device(part);
  const gpu::Stream stream;
  const double seconds = seconds_of([&] {
    for (std::size_t done = 0; done < bytes; done += part) {
      CUDA_CHECK(
          cudaMemcpyAsync(device.data(), held.data(), part, cudaMemcpyHostToDevice, stream.get()));
    }
    stream.wait();
  });
  return seconds * static_cast<double>(bytes) /
         static_cast<double>((bytes + part - 1) / part * part);
}

double error_of(const Asked& asked, int order, std::span<const float> held,
                std::span<const std::complex<double>> moments) {
  const std::size_t voxels = held.size() / asked.held;
  const std::size_t checked = std::min(kChecked, asked.held);
  const auto plan = plan_of(asked, order, DeviceChoice::Kind::kCpu, Precision::kDouble);
  std::vector<std::complex<double>> expected(checked * plan->moment_count());
  plan->moments(ImageBatch(held.first(checked * voxels), checked, plan->size()), expected);
  return relative_l2(moments.first(expected.size()),
                     std::span<const std::complex<double>>(expected));
}

void measure(const Asked& asked, int order, std::span<const float> held) {
  const auto device = asked.on_gpu ? DeviceChoice::Kind::kCuda : DeviceChoice::Kind::kCpu;
  const std::size_t volumes = asked.on_gpu ? asked.volumes : std::min(asked.volumes, kOnCpu);
  const auto plan = plan_of(asked, order, device, Precision::kFloat);
  std::vector<std::complex<double>> moments(std::min(asked.held, volumes) * plan->moment_count());
  compute(*plan, held, std::min(asked.held, volumes), moments);
  double least = 1e30;
  for (int run = 0; run < 3; ++run) {
    least = std::min(least, seconds_of([&] { compute(*plan, held, volumes, moments); }));
  }
  std::printf("%s\n  order %d of %zu volumes of %d^3: %.3f s, %.3f ms each; error of float %.2g\n",
              plan->describe().c_str(), order, asked.volumes, asked.side,
              least * static_cast<double>(asked.volumes) / static_cast<double>(volumes),
              1e3 * least / static_cast<double>(volumes), error_of(asked, order, held, moments));
}

Asked asked_by(const std::vector<std::string>& arguments) {
  Asked asked;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "gpu" || argument == "cpu") {
      asked.on_gpu = argument == "gpu";
      continue;
    }
    if (i + 1 == arguments.size()) throw UsageError(argument + " needs a value");
    const std::string& value = arguments[++i];
    if (argument == "--volumes") {
      asked.volumes = std::stoul(value);
    } else if (argument == "--held") {
      asked.held = std::stoul(value);
    } else if (argument == "--side") {
      asked.side = std::stoi(value);
    } else if (argument == "--orders") {
      asked.orders.clear();
      std::istringstream stream(value);
      for (std::string order; std::getline(stream, order, ',');) {
        asked.orders.push_back(std::stoi(order));
      }
    } else {
      throw UsageError("'" + argument + "' is unknown");
    }
  }
  asked.held = std::min(asked.held, asked.on_gpu ? asked.volumes : kOnCpu);
  return asked;
}

int run(const Asked& asked) {
  const std::size_t numbers = asked.held * ArraySize(asked.side, asked.side, asked.side).elements();
  if (!asked.on_gpu) {
    std::vector<float> held(numbers);
    fill(held);
    for (const int order : asked.orders) measure(asked, order, held);
    return 0;
  }
  gpu::PinnedBuffer<float> held(numbers);
  fill(held.span());
  const std::size_t bytes = asked.volumes * (held.bytes() / asked.held);
  bare_seconds(held.span(), std::size_t{1} << 30);
  const double bare = bare_seconds(held.span(), bytes);
  std::printf("bare copies of %zu volumes: %.3f s, %.1f GB/s\n", asked.volumes, bare,
              1e-9 * static_cast<double>(bytes) / bare);
  for (const int order : asked.orders) measure(asked, order, held.span());
  return 0;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    return leafglyph::run(leafglyph::asked_by({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
