// Benchmark of what the host's threads cost beside GPUs: batches and single images from ordinary
// memory to moments and back.
//
//   bench_host_threads [cuda|cuda:all|cpu ...]     default: cuda, and cuda:all where there are
//   several
//
// Prints lines "device, what<tab>milliseconds of an image", medians of three calls after one, and
// "plan" lines. tools/bench/host_threads runs it in many processes and prints the worst of them,
// because it is the worst that a team of threads without processors shows.
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "gpu/devices.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20261128;
constexpr int kRepeats = 3;

std::vector<float> test_images(std::size_t count, int size) {
  std::mt19937 generator(kSeed);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<float> images(count * static_cast<std::size_t>(size) *
                            static_cast<std::size_t>(size));
  for (float& value : images) value = static_cast<float>(grey(generator));
  return images;
}

void print(const std::string& device, const std::string& what, double seconds) {
  std::printf("%s, %s\t%.4f\n", device.c_str(), what.c_str(), 1e3 * seconds);
  std::fflush(stdout);
}

struct Case {
  const char* name;
  MomentSpec spec;
  int size;
  std::size_t count;
  bool back;             // images, too
  bool on_cores = true;  // not if that takes minutes
};
const Case kCases[] = {
    {"Zernike 500, 64 images of 512", {Family::kZernike, 500}, 512, 64, true},
    {"Zernike 500, one image of 512", {Family::kZernike, 500}, 512, 1, true},
    {"Zernike 500 exact, one image of 512", {Family::kZernike, 500, Method::kExact}, 512, 1, false},
    {"Zernike 500 k=9, one image of 512",
     {Family::kZernike, 500, Method::kSubregion, 9},
     512,
     1,
     false},
    {"Bessel-Fourier 500, 16 images of 1024", {Family::kBesselFourier, 500}, 1024, 16, true},
    {"Bessel-Fourier 1000 k=15, one image of 1024",
     {Family::kBesselFourier, 1000, Method::kSubregion, 15},
     1024,
     1,
     false,
     /*on_cores=*/false},
};

void run(const Case& one, const std::string& device) {
  PlanOptions options;
  options.device = device_from_name(device);
  const std::vector<float> images = test_images(one.count, one.size);
  std::unique_ptr<MomentPlan> plan;
  const double made = seconds_of([&] {
    plan = make_moment_plan(one.spec, one.size, options);
    plan->prepare(MomentPlan::Direction::kMoments);
  });
  const std::string name = one.name;
  print(device, name + ": plan", made);
  std::vector<std::complex<double>> moments(one.count * plan->moment_count());
  const double forward = median_seconds(
      kRepeats, [&] { plan->moments(ImageBatch(images, one.count, one.size), moments); });
  print(device, name + ": moments", forward / static_cast<double>(one.count));
  if (!one.back) return;
  std::vector<double> back(images.size());
  const double backward = median_seconds(kRepeats, [&] {
    plan->reconstruct(moments, {0, one.spec.order, Repetitions::kAll}, back);
  });
  print(device, name + ": image", backward / static_cast<double>(one.count));
}

std::vector<std::string> devices_there() {
  const std::size_t gpus = gpu::find_gpus().devices.size();
  if (gpus == 0) return {"cpu"};
  return gpus == 1 ? std::vector<std::string>{"cuda"}
                   : std::vector<std::string>{"cuda", "cuda:all"};
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  using namespace leafglyph;
  std::vector<std::string> devices(argv + 1, argv + argc);
  try {
    if (devices.empty()) devices = devices_there();
    for (const std::string& device : devices) {
      // The first use of a GPU takes longer than any plan.
      PlanOptions options;
      options.device = device_from_name(device);
      make_moment_plan({Family::kZernike, 8}, 64, options)
          ->prepare(MomentPlan::Direction::kMoments);
      for (const Case& one : kCases) {
        if (one.on_cores || device != "cpu") run(one, device);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
