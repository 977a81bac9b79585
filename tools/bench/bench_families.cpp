// Moments on rings and Jacobi moments of high order: times on the GPU and on two CPU threads, and
// errors of float relative to double. Reads no data: images and volumes are generated.
#include <complex>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "features/base/npy.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/ring_transform.h"
#include "features/image/image_quality.h"
#include "features/image/volume.h"
#include "features/jacobi/axis_transform.h"
#include "features/plan/moment_plan.h"
#include "gpu/bessel_fourier/ring_transform.h"
#include "gpu/cuda_algorithms.h"
#include "gpu/devices.h"
#include "gpu/jacobi/axis_transform.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr std::uint32_t kSeed = 20241101;

// Times of one direction of a round trip.
struct Times {
  double wall = 0.0;    // seconds, including transfers
  double device = 0.0;  // seconds on the GPU only
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
  return {median(std::move(wall)), median(std::move(device))};
}

std::vector<double> slice_image(int size) {
  const Volume bone = generate_bone(size, size, 1, kSeed);
  return bone.values;
}

MomentSpec bessel_spec(int order, Method method, int points) {
  return {Family::kBesselFourier, order, method, points};
}

std::string method_text(const MomentSpec& spec) {
  return spec.method == Method::kAdaptive ? "adaptive" : "k = " + std::to_string(spec.points);
}

MomentSpec mellin_spec(int order, int points) {
  return {Family::kJacobiFourier, order, Method::kSubregion, points, {2.0, 2.0}};
}

MomentSpec exponent_spec(int order, int points) {
  return {Family::kExponentFourier, order, Method::kSubregion, points};
}

// "bessel-fourier 1024, 1000, k = 1"
std::string ring_text(const MomentSpec& spec, int size) {
  return family_text({spec.family, spec.weight}) + " " + std::to_string(size) + ", " +
         std::to_string(spec.order) + ", " + method_text(spec);
}

// A plan that uses this transform in both directions.
MomentPlan plan_through(const MomentSpec& spec, const ArraySize& size,
                        const std::shared_ptr<TwoWayTransform>& transform) {
  return {spec, size, {[transform] { return transform; }, [transform] { return transform; }}};
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

// Prints the PSNR of reconstructions from the moments of lower orders.
void print_quality(MomentPlan& plan, const std::vector<std::complex<double>>& moments,
                   const std::function<double(std::span<const double>)>& psnr_of) {
  const int top = plan.spec().order;
  std::printf("  PSNR by order:");
  std::vector<double> back(plan.size().elements());
  for (int order = top / 5; order <= top; order += top / 5) {
    plan.reconstruct(moments, {0, order}, back);
    std::printf("  %d: %.2f dB", order, psnr_of(back));
  }
  std::printf("\n");
}

// Measures one family on the GPU in both precisions.
template <class Make>
void on_gpu(const std::string& what, const MomentSpec& spec, const ArraySize& size,
            const std::vector<double>& values, const Make& make,
            const std::function<double(MomentPlan&, std::span<const double>)>& psnr_of) {
  const std::size_t count = moment_count(spec, size);
  std::vector<std::complex<double>> exact(count);
  std::vector<std::complex<double>> moments(count);
  std::vector<double> back(values.size());
  std::vector<double> exact_back;
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    decltype(make(precision)) transform;
    const double plan_seconds = seconds_of([&] { transform = make(precision); });
    MomentPlan plan = plan_through(spec, size, transform);
    const auto device = [&] { return transform->device_milliseconds(); };
    const bool fast = precision == Precision::kFloat;
    const Times forward = timed(
        5, [&] { plan.moments(ImageBatch(values, 1, size), moments); }, device);
    if (!fast) exact = moments;
    const Times backward = timed(
        5,
        [&] {
          plan.reconstruct(exact, {0, spec.order}, back);
        },
        device);
    if (!fast) {
      exact_back = back;
      print_quality(plan, exact,
                    [&](std::span<const double> image) { return psnr_of(plan, image); });
    }
    char note[120];
    std::snprintf(note, sizeof note, "PSNR %.2f dB, error to double %.1e, %.1e",
                  psnr_of(plan, back), fast ? relative_l2(moments, exact) : 0.0,
                  fast ? relative_l2(back, exact_back) : 0.0);
    print_row(what, fast ? "float" : "double", forward, backward, plan_seconds,
              transform->multiplies(), note);
  }
}

// The transform with its own measurements.
template <class Transform>
std::shared_ptr<Transform> both_ways_on(const gpu::GpuDevice& gpu, const PlanRequest& request) {
  const auto* row =
      first_that_supports(gpu::cuda_algorithms(), &gpu::CudaAlgorithm::images, request);
  return std::dynamic_pointer_cast<Transform>(row->make_both(request, gpu));
}

void rings_on_gpu(const gpu::GpuDevice& gpu, const std::vector<double>& image) {
  constexpr int kSize = 1024;
  constexpr int kOrder = 1000;
  for (const auto& spec :
       {bessel_spec(kOrder, Method::kSubregion, 1), bessel_spec(kOrder, Method::kSubregion, 15),
        bessel_spec(kOrder, Method::kAdaptive, 1), mellin_spec(kOrder, 1), mellin_spec(kOrder, 15),
        exponent_spec(kOrder / 2, 1), exponent_spec(kOrder / 2, 15)}) {
    on_gpu(
        ring_text(spec, kSize), spec, kSize, image,
        [&](Precision precision) {
          return both_ways_on<gpu::RingTransform>(gpu, {spec, kSize, precision});
        },
        [&](MomentPlan& plan, std::span<const double> back) {
          return image_error(image, back, plan.mask(), {}, Rounding::kNone).psnr_disk;
        });
  }
}

void jacobi_on_gpu(const gpu::GpuDevice& gpu, int size, int order) {
  Volume bone;
  const double generation = seconds_of([&] { bone = generate_bone(size, size, size, kSeed); });
  std::printf("generated a volume of %d^3 in %.2f s\n", size, generation);
  const ArraySize cube{size, size, size};
  for (const JacobiWeight weight : {JacobiWeight{0.3, 0.3}, JacobiWeight{0.3, 0.7}}) {
    const MomentSpec spec{Family::kJacobi, order, Method::kExact, 1, weight};
    on_gpu(
        "Jacobi (" + std::to_string(weight.alpha).substr(0, 3) + ", " +
            std::to_string(weight.beta).substr(0, 3) + ") " + std::to_string(size) + "^3, order " +
            std::to_string(order),
        spec, cube, bone.values,
        [&](Precision precision) {
          return both_ways_on<gpu::AxisTransform>(gpu, {spec, cube, precision});
        },
        [&](MomentPlan&, std::span<const double> back) {
          Volume volume(size, size, size);
          volume.values.assign(back.begin(), back.end());
          return volume_psnr(bone, volume, SampleRange{}, Rounding::kNone);
        });
  }
}

Times timed_on_cpu(const std::function<void()>& call) {
  return timed(5, call, [] { return 0.0; });
}

void both_ways_on_cpu(const std::string& what, const std::shared_ptr<TwoWayTransform>& transform,
                      const MomentSpec& spec, const ArraySize& size, std::vector<double> values) {
  MomentPlan plan = plan_through(spec, size, transform);
  std::vector<std::complex<double>> moments(plan.moment_count());
  const Times forward = timed_on_cpu([&] { plan.moments(ImageBatch(values, 1, size), moments); });
  const Times backward = timed_on_cpu([&] { plan.reconstruct(moments, {0, spec.order}, values); });
  std::printf("%s: moments %.3f s, image %.3f s\n", what.c_str(), forward.wall, backward.wall);
  std::fflush(stdout);
}

void rings_on_cpu(const MomentSpec& spec, int size, Precision precision) {
  both_ways_on_cpu(ring_text(spec, size), make_ring_transform(spec, size, precision), spec, size,
                   slice_image(size));
}

void jacobi_on_cpu(int size, int order, Precision precision) {
  const MomentSpec spec{Family::kJacobi, order, Method::kExact, 1, {0.3, 0.3}};
  const ArraySize cube{size, size, size};
  both_ways_on_cpu("Jacobi " + std::to_string(size) + "^3, order " + std::to_string(order),
                   make_axis_transform(spec, cube, precision), spec, cube,
                   generate_bone(size, size, size, kSeed).values);
}

void on_cpu() {
  std::printf("CPU, %d threads; medians of 5\n", thread_count());
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    std::printf("%s\n", precision == Precision::kFloat ? "float" : "double");
    rings_on_cpu(bessel_spec(1000, Method::kSubregion, 1), 1024, precision);
    rings_on_cpu(bessel_spec(500, Method::kSubregion, 1), 512, precision);
    rings_on_cpu(bessel_spec(250, Method::kAdaptive, 1), 256, precision);
    rings_on_cpu(mellin_spec(1000, 1), 1024, precision);
    rings_on_cpu(mellin_spec(500, 1), 512, precision);
    rings_on_cpu(exponent_spec(500, 1), 1024, precision);
    rings_on_cpu(exponent_spec(250, 1), 512, precision);
    jacobi_on_cpu(256, 250, precision);
    jacobi_on_cpu(512, 500, precision);
  }
}

}  // namespace
}  // namespace leafglyph

// Without an argument, runs everything; "gpu" or "cpu" runs that part only. A 1024 x 1024 image in
// a .npy file after "gpu" replaces the generated one.
int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  const leafglyph::gpu::GpuInventory gpus = leafglyph::gpu::find_gpus();
  if (gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.reason.c_str());
  } else if (part != "cpu") {
    std::printf("%s\n", gpus.devices.front().name.c_str());
    const std::vector<double> image =
        argc > 2 ? leafglyph::read_npy<double>(argv[2]).values : leafglyph::slice_image(1024);
    leafglyph::rings_on_gpu(gpus.devices.front(), image);
    leafglyph::jacobi_on_gpu(gpus.devices.front(), 512, 500);
  }
  if (part == "gpu") return 0;
  leafglyph::set_thread_count(2);
  leafglyph::on_cpu();
}
