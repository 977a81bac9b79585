// Benchmark of the batch engine on the CPU: images per second, the error of float against double,
// and its arithmetic rate beside that of the matrix product alone. Uses random images.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/moments/disk_grid.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

constexpr int kSize = 256;
constexpr std::size_t kImages = 512;  // 128 MiB of floats: larger than any cache

template <class T>
std::vector<T> random_images(std::size_t count) {
  std::mt19937 generator(7);
  std::vector<T> pixels(count * kSize * kSize);
  for (T& pixel : pixels) pixel = static_cast<T>(generator() & 255U);
  return pixels;
}

std::unique_ptr<MomentPlan> cpu_engine(Family family, int order, Precision precision) {
  PlanOptions options = for_many_images();
  options.device.kind = DeviceChoice::Kind::kCpu;
  options.precision = precision;
  return make_moment_plan({family, order}, kSize, options);
}

// Relative l2 difference between the moments of the float and the double engine.
double float_error(int order) {
  const std::size_t count = 16;
  const auto images = random_images<float>(count);
  const ImageBatch batch(images, count, kSize);
  auto exact = cpu_engine(Family::kZernike, order, Precision::kDouble);
  auto fast = cpu_engine(Family::kZernike, order, Precision::kFloat);
  std::vector<std::complex<double>> a(count * exact->moment_count());
  std::vector<std::complex<double>> b(a.size());
  exact->moments(batch, a);
  fast->moments(batch, b);
  double difference = 0;
  double reference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::norm(b[i] - a[i]);
    reference += std::norm(a[i]);
  }
  return std::sqrt(difference / reference);
}

template <class T>
void run_magnitudes(benchmark::State& state, Precision precision) {
  const int order = static_cast<int>(state.range(0));
  auto engine = cpu_engine(Family::kZernike, order, precision);
  const auto images = random_images<T>(kImages);
  std::vector<float> magnitudes(kImages * engine->moment_count());
  for (auto _ : state) {
    engine->magnitudes(ImageBatch(images, kImages, kSize), magnitudes);
    benchmark::ClobberMemory();
  }
  const auto images_done = static_cast<double>(state.iterations() * kImages);
  state.counters["images/s"] = benchmark::Counter(images_done, benchmark::Counter::kIsRate);
  // On average 3 multiply-adds per moment and octant pixel: 2 for even m, 4 for odd m.
  const double octant = static_cast<double>(DiskGrid(kSize, Mask::kCentre, 1).octant().size());
  const double flops = 6.0 * static_cast<double>(engine->moment_count()) * octant;
  state.counters["Gflop/s"] =
      benchmark::Counter(images_done * flops * 1e-9, benchmark::Counter::kIsRate);
  if (precision == Precision::kFloat) state.counters["rel_l2_error"] = float_error(order);
}

// The upper bound: only a matrix product with the shape of the engine's tiles.
template <class T>
void BM_ProductAlone(benchmark::State& state) {
  const std::size_t rows = 512;
  const std::size_t columns = 128;
  const std::size_t depth = 1024;
  std::vector<T> a(rows * depth, T(1.25));
  std::vector<T> b(columns * depth, T(0.75));
  std::vector<T> c(rows * columns);
  for (auto _ : state) {
    add_product_nt(rows, columns, depth, a.data(), depth, b.data(), depth, c.data(), columns);
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * rows * columns * depth * static_cast<double>(state.iterations());
  state.counters["Gflop/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsRate);
}

void BM_MagnitudesOfBytes(benchmark::State& state, Precision precision) {
  run_magnitudes<std::uint8_t>(state, precision);
}
void BM_MagnitudesOfFloats(benchmark::State& state, Precision precision) {
  run_magnitudes<float>(state, precision);
}

BENCHMARK_CAPTURE(BM_MagnitudesOfBytes, fast, Precision::kFloat)
    ->ArgName("order")
    ->Arg(8)
    ->Arg(12)
    ->Arg(20)
    ->Arg(30)
    ->Arg(50)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_MagnitudesOfFloats, fast, Precision::kFloat)
    ->ArgName("order")
    ->Arg(30)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_MagnitudesOfFloats, exact, Precision::kDouble)
    ->ArgName("order")
    ->Arg(30)
    ->UseRealTime();
BENCHMARK_TEMPLATE(BM_ProductAlone, float)->UseRealTime();
BENCHMARK_TEMPLATE(BM_ProductAlone, double)->UseRealTime();

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  leafglyph::set_thread_count(0);
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("threads", std::to_string(leafglyph::thread_count()));
  benchmark::AddCustomContext("products", leafglyph::product_library());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
