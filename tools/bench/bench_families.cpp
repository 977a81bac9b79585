// Bessel-Fourier and Jacobi moments of high order: times on the GPU and on two CPU threads, errors
// of float against double. Reads no data: generated images and volumes.
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "features/base/npy.h"
#include "features/base/relative_error.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/bessel_fourier.h"
#include "features/image/image_quality.h"
#include "features/image/volume.h"
#include "features/jacobi/jacobi_moments.h"
#include "features/moments/disk_grid.h"
#include "gpu/bessel_fourier/bessel_fourier.h"
#include "gpu/devices.h"
#include "gpu/jacobi/jacobi_moments.h"

namespace leafglyph {
namespace {

constexpr std::uint32_t kSeed = 20241101;

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Times of one half of a round trip.
struct Times {
  double wall = 0.0;    // seconds, transfers included
  double device = 0.0;  // seconds on the GPU alone
};

Times timed(int repeats, const std::function<void()>& call,
            const std::function<double()>& device_milliseconds) {
  call();
  std::vector<double> wall;
  std::vector<double> device;
  for (int i = 0; i < repeats; ++i) {
    wall.push_back(seconds_of(call));
    device.push_back(device_milliseconds() * 1e-3);
  }
  return {median(wall), median(device)};
}

std::vector<double> slice_image(int size) {
  const Volume bone = generate_bone(size, size, 1, kSeed);
  return bone.values;
}

BesselFourierSpec bessel_spec(int size, int order, Method method, int points) {
  BesselFourierSpec spec;
  spec.image_size = size;
  spec.radial_order = order;
  spec.angular_order = order;
  spec.method = method;
  spec.points = points;
  return spec;
}

std::string method_name(const BesselFourierSpec& spec) {
  return spec.method == Method::kAdaptive ? "adaptive" : "k = " + std::to_string(spec.points);
}

void print_row(const std::string& what, const char* arithmetic, const Times& moments,
               const Times& back, double plan, double multiplies, const char* note) {
  std::printf(
      "%-34s %-6s plan %7.3f s  moments %9.3f ms (%9.3f with transfers)  image %9.3f ms "
      "(%9.3f)  %5.1f TFLOP/s  %s\n",
      what.c_str(), arithmetic, plan, moments.device * 1e3, moments.wall * 1e3, back.device * 1e3,
      back.wall * 1e3, 2e-12 * multiplies / moments.device, note);
  std::fflush(stdout);
}

// PSNR over the disk of the image from the moments with n, m <= order.
void print_quality(const BesselFourierSpec& spec, BesselFourier& plan,
                   const std::vector<std::complex<double>>& moments,
                   const std::vector<double>& image) {
  const Image<unsigned char> mask = DiskGrid(spec.image_size, spec.method, spec.points).mask();
  std::printf("  PSNR over the disk by order:");
  for (int order = spec.radial_order / 5; order <= spec.radial_order;
       order += spec.radial_order / 5) {
    auto some = moments;
    for (int n = 1; n <= spec.radial_order; ++n) {
      for (int m = 0; m <= spec.angular_order; ++m) {
        if (n > order || m > order) some[spec.position(n, m)] = 0.0;
      }
    }
    std::vector<double> back(image.size());
    plan.reconstruct(some, back);
    std::printf("  %d: %.2f dB", order, image_error(image, back, mask).psnr_disk);
  }
  std::printf("\n");
}

void bessel_on_gpu(const GpuDevice& gpu, const std::vector<double>& image) {
  constexpr int kSize = 1024;
  constexpr int kOrder = 1000;
  for (const auto& spec : {bessel_spec(kSize, kOrder, Method::kSubregion, 1),
                           bessel_spec(kSize, kOrder, Method::kSubregion, 15),
                           bessel_spec(kSize, kOrder, Method::kAdaptive, 1)}) {
    std::vector<std::complex<double>> exact(spec.moment_count());
    std::vector<std::complex<double>> moments(spec.moment_count());
    std::vector<double> back(image.size());
    std::vector<double> exact_back;
    for (const Precision precision : {Precision::kExact, Precision::kFast}) {
      std::unique_ptr<GpuBesselFourier> plan;
      const double plan_seconds =
          seconds_of([&] { plan = make_gpu_bessel_fourier(spec, precision, gpu); });
      const auto device = [&] { return plan->device_milliseconds(); };
      const Times forward = timed(
          5, [&] { plan->moments(image, moments); }, device);
      if (precision == Precision::kExact) exact = moments;
      const Times backward = timed(
          5, [&] { plan->reconstruct(exact, back); }, device);
      const bool fast = precision == Precision::kFast;
      if (!fast) exact_back = back;
      if (!fast) print_quality(spec, *plan, exact, image);
      char note[120];
      std::snprintf(note, sizeof note, "%.1fM points, error to double %.1e, %.1e",
                    1e-6 * static_cast<double>(plan->points()),
                    fast ? relative_l2(moments, exact) : 0.0,
                    fast ? relative_l2(back, exact_back) : 0.0);
      print_row("Bessel-Fourier 1024, 1000, " + method_name(spec), fast ? "float" : "double",
                forward, backward, plan_seconds, plan->multiplies(), note);
    }
  }
}

void jacobi_on_gpu(const GpuDevice& gpu, int size, int order) {
  Volume bone;
  const double generation = seconds_of([&] { bone = generate_bone(size, size, size, kSeed); });
  std::printf("generated a volume of %d^3 in %.2f s\n", size, generation);
  for (const JacobiWeight weight : {JacobiWeight{0.3, 0.3}, JacobiWeight{0.3, 0.7}}) {
    CartesianSpec spec;
    spec.width = spec.height = spec.depth = size;
    spec.order = order;
    spec.weight = weight;
    std::vector<double> exact(spec.moment_count());
    std::vector<double> moments(spec.moment_count());
    Volume back = bone;
    std::vector<double> exact_back;
    for (const Precision precision : {Precision::kExact, Precision::kFast}) {
      std::unique_ptr<GpuCartesianMoments> plan;
      const double plan_seconds =
          seconds_of([&] { plan = make_gpu_cartesian(spec, precision, gpu); });
      const auto device = [&] { return plan->device_milliseconds(); };
      const Times forward = timed(
          5, [&] { plan->moments(bone.values, moments); }, device);
      const bool fast = precision == Precision::kFast;
      if (!fast) exact = moments;
      const Times backward = timed(
          5, [&] { plan->reconstruct(moments, order, back.values); }, device);
      if (!fast) exact_back = back.values;
      char note[120];
      std::snprintf(note, sizeof note, "PSNR %.2f dB, error to double %.1e, %.1e",
                    volume_psnr(bone, back, SampleRange{}),
                    fast ? relative_l2(moments, exact) : 0.0,
                    fast ? relative_l2(back.values, exact_back) : 0.0);
      print_row("Jacobi (" + std::to_string(weight.alpha).substr(0, 3) + ", " +
                    std::to_string(weight.beta).substr(0, 3) + ") " + std::to_string(size) +
                    "^3, order " + std::to_string(order),
                fast ? "float" : "double", forward, backward, plan_seconds, plan->multiplies(),
                note);
      if (fast) continue;
      for (int lower = order / 5; lower < order; lower += order / 5) {
        plan->reconstruct(exact, lower, back.values);
        std::printf("  order %d: PSNR %.2f dB\n", lower, volume_psnr(bone, back, SampleRange{}));
      }
    }
  }
}

Times timed_on_cpu(const std::function<void()>& call) {
  return timed(5, call, [] { return 0.0; });
}

void bessel_on_cpu(const BesselFourierSpec& spec, const EngineOptions& options) {
  const auto image = slice_image(spec.image_size);
  const auto plan = make_bessel_fourier(spec, options);
  std::vector<std::complex<double>> moments(spec.moment_count());
  std::vector<double> back(image.size());
  const Times forward = timed_on_cpu([&] { plan->moments(image, moments); });
  const Times backward = timed_on_cpu([&] { plan->reconstruct(moments, back); });
  std::printf("Bessel-Fourier %d, order %d, %s: moments %.3f s, image %.3f s\n", spec.image_size,
              spec.radial_order, method_name(spec).c_str(), forward.wall, backward.wall);
  std::fflush(stdout);
}

void jacobi_on_cpu(int size, int order, const EngineOptions& options) {
  Volume bone = generate_bone(size, size, size, kSeed);
  CartesianSpec spec;
  spec.width = spec.height = spec.depth = size;
  spec.order = order;
  spec.weight = {0.3, 0.3};
  const auto plan = make_cartesian_moments(spec, options);
  std::vector<double> moments(spec.moment_count());
  const Times forward = timed_on_cpu([&] { plan->moments(bone.values, moments); });
  const Times backward = timed_on_cpu([&] { plan->reconstruct(moments, spec.order, bone.values); });
  std::printf("Jacobi %d^3, order %d: moments %.3f s, volume %.3f s\n", size, order, forward.wall,
              backward.wall);
  std::fflush(stdout);
}

void on_cpu() {
  std::printf("CPU, %d threads; medians of 5\n", thread_count());
  EngineOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  for (const Precision precision : {Precision::kExact, Precision::kFast}) {
    options.precision = precision;
    std::printf("%s\n", precision == Precision::kFast ? "float" : "double");
    bessel_on_cpu(bessel_spec(1024, 1000, Method::kSubregion, 1), options);
    bessel_on_cpu(bessel_spec(512, 500, Method::kSubregion, 1), options);
    bessel_on_cpu(bessel_spec(256, 250, Method::kAdaptive, 1), options);
    jacobi_on_cpu(256, 250, options);
    jacobi_on_cpu(512, 500, options);
  }
}

}  // namespace
}  // namespace leafglyph

// Without an argument everything; "gpu" or "cpu" that part alone. A 1024 x 1024 image in a .npy
// file behind "gpu" takes the place of the generated one.
int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  const leafglyph::GpuInventory gpus = leafglyph::find_gpus();
  if (gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.reason.c_str());
  } else if (part != "cpu") {
    std::printf("%s\n", gpus.devices.front().name.c_str());
    const std::vector<double> image =
        argc > 2 ? leafglyph::read_npy<double>(argv[2]).values : leafglyph::slice_image(1024);
    leafglyph::bessel_on_gpu(gpus.devices.front(), image);
    leafglyph::jacobi_on_gpu(gpus.devices.front(), 512, 500);
  }
  if (part == "gpu") return 0;
  leafglyph::set_thread_count(2);
  leafglyph::on_cpu();
}
