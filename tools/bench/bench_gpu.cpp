// Compares the images per second of the GPU engine with dense cuBLAS products, and shows where the
// time goes: Zernike magnitudes of 256 x 256 pixels, order 30. With several GPUs, how many times as
// fast all of them are, beside bare copies to all. Then times the search for nearest-neighbour
// candidates (bench_search).
//
//   bench_gpu [batches] [several] [search]     default: all three
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/folded/folded_basis.h"
#include "gpu/devices.h"
#include "gpu/folded/folded_plan.h"
#include "gpu/gpu_workers.h"
#include "gpu/plans.h"
#include "tools/bench/gpu_timing.h"

namespace leafglyph {
namespace {

constexpr int kSize = 256;
constexpr std::size_t kPixels = std::size_t{kSize} * kSize;
constexpr int kRepeats = 9;
const MomentSpec kSpec{Family::kZernike, 30};

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(std::string("cuBLAS: ") + cublasGetStatusString(status));
  }
}

class CublasHandle {
 public:
  CublasHandle() { check(cublasCreate(&handle_)); }
  ~CublasHandle() { static_cast<void>(cublasDestroy(handle_)); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  /// Row-major c (rows x columns) = a (rows x depth) b (columns x depth)^T.
  void multiply(int rows, int columns, int depth, const double* a, const double* b, double* c) {
    const double one = 1.0;
    const double zero = 0.0;
    check(cublasDgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, depth, &one, b, depth, a,
                      depth, &zero, c, columns));
  }
  void multiply(int rows, int columns, int depth, const float* a, const float* b, float* c) {
    const float one = 1.0F;
    const float zero = 0.0F;
    check(cublasSgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, depth, &one, b, depth, a,
                      depth, &zero, c, columns));
  }
  void multiply(int rows, int columns, int depth, const __half* a, const __half* b, float* c) {
    const float one = 1.0F;
    const float zero = 0.0F;
    check(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, columns, rows, depth, &one, b, CUDA_R_16F,
                       depth, a, CUDA_R_16F, depth, &zero, c, CUDA_R_32F, columns,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

// Images that resemble photographs: a smooth shape with texture, different for every image.
std::vector<unsigned char> make_images(std::size_t count) {
  std::mt19937 generator(20260717);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  std::vector<unsigned char> images(count * kPixels);
  for (std::size_t b = 0; b < count; ++b) {
    const float width = 0.3F + 0.5F * unit(generator);
    const float turn = 6.2832F * unit(generator);
    const float waves = 5.0F + 20.0F * unit(generator);
    std::uint32_t noise = static_cast<std::uint32_t>(generator());
    for (std::size_t p = 0; p < kPixels; ++p) {
      const std::size_t column = p % kSize;
      const std::size_t row = p / kSize;
      const float x = (2.0F * static_cast<float>(column) + 1.0F) / kSize - 1.0F;
      const float y = 1.0F - (2.0F * static_cast<float>(row) + 1.0F) / kSize;
      noise = noise * 1664525U + 1013904223U;
      const float u = x * std::cos(turn) + y * std::sin(turn);
      const float v = y * std::cos(turn) - x * std::sin(turn);
      const bool inside = u * u / 0.7F + v * v / (width * width) < 1.0F;
      const float grey = inside ? 90.0F + 60.0F * std::sin(waves * u) * std::cos(waves * v) : 0.0F;
      images[b * kPixels + p] = static_cast<unsigned char>(grey + static_cast<float>(noise >> 26) *
                                                                      (inside ? 1.0F : 0.0F));
    }
  }
  return images;
}

struct Ceilings {
  double copy;       // bytes/s, read plus written, on the device
  double link;       // bytes/s from page-locked memory
  double in_double;  // FLOP/s
  double in_half;
};

Ceilings measure_ceilings(CublasHandle& cublas) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  const gpu::Stream stream;
  Ceilings found{};
  gpu::DeviceBuffer<char> from(kBytes);
  gpu::DeviceBuffer<char> to(kBytes);
  const std::size_t quarter = kBytes / 4;
  gpu::PinnedBuffer<char> host(quarter);
  std::fill(host.data(), host.data() + quarter, '\1');
  CUDA_CHECK(cudaMemset(from.data(), 1, kBytes));
  found.copy = 2.0 * kBytes / median_gpu_seconds(kRepeats, stream, [&] {
                 CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), kBytes,
                                            cudaMemcpyDeviceToDevice, stream.get()));
               });
  found.link = static_cast<double>(quarter) / median_gpu_seconds(kRepeats, stream, [&] {
                 CUDA_CHECK(cudaMemcpyAsync(to.data(), host.data(), quarter, cudaMemcpyHostToDevice,
                                            stream.get()));
               });
  constexpr int kEdge = 8192;
  const double flops = 2.0 * kEdge * static_cast<double>(kEdge) * kEdge;
  std::vector<double> numbers(std::size_t{kEdge} * kEdge);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  for (double& number : numbers) number = value(generator);
  const auto time = [&](const auto& a, auto& c) {
    return flops / median_seconds(5, [&] {
             cublas.multiply(kEdge, kEdge, kEdge, a.data(), a.data(), c.data());
             CUDA_CHECK(cudaDeviceSynchronize());
           });
  };
  const auto a = gpu::copy_to_device(std::span<const double>(numbers));
  gpu::DeviceBuffer<double> c(numbers.size());
  found.in_double = time(a, c);
  std::vector<__half> halves(numbers.size());
  std::transform(numbers.begin(), numbers.end(), halves.begin(),
                 [](double number) { return __double2half(number); });
  const auto half = gpu::copy_to_device(std::span<const __half>(halves));
  gpu::DeviceBuffer<float> sums(numbers.size());
  found.in_half = time(half, sums);
  return found;
}

const DeviceChoice kOneGpu{DeviceChoice::Kind::kCuda, 0};
const DeviceChoice kAllGpus{DeviceChoice::Kind::kCuda, -1};

std::unique_ptr<MomentPlan> make_engine(Precision precision, const DeviceChoice& device) {
  PlanOptions options = for_many_images();
  options.device = device;
  options.precision = precision;
  return make_moment_plan(kSpec, kSize, options);
}

// The dense product that a user would write: all pixels times the basis of all real and imaginary
// parts.
template <class T>
void bench_dense(const char* name, CublasHandle& cublas, const std::vector<unsigned char>& images,
                 std::size_t count, const std::vector<std::complex<double>>& reference) {
  const FoldedBasis basis(kSpec, kSize);
  const auto indices = moment_indices(kSpec.family, kSpec.order);
  const std::size_t columns = 2 * indices.size();
  std::vector<T> dense(columns * kPixels);
  // Applying the exact engine to single white pixels would be slow. Moments are linear, so the
  // basis value of each mirror image follows from the folded one.
  FoldedBasis::Matrices folded;
  const auto& octant = basis.grid().octant();
  basis.evaluate(octant, folded);
  constexpr int kSigns[8][8] = {// the factor of f_q in sum s of fold_kernels.h
                                {1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1},
                                {1, -1, -1, 1, 1, -1, -1, 1}, {1, 1, -1, -1, 1, 1, -1, -1},
                                {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
                                {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0}};
  constexpr int kFirst[kFoldedProducts] = {0, 1, 2, 3, 4, 6};
  for (std::size_t g = 0; g < kFoldedProducts; ++g) {
    const FoldedProduct& product = basis.products()[g];
    for (std::size_t k = 0; k < product.moments.size(); ++k) {
      T* row = dense.data() + (2 * product.moments[k] + g % 2) * kPixels;
      for (std::size_t s = 0; s < product.sums_per_pixel; ++s) {
        const double* values = folded[g].data() + (k * product.sums_per_pixel + s) * octant.size();
        for (std::size_t p = 0; p < octant.size(); ++p) {
          for (std::size_t q = 0; q < 8; ++q) {
            row[octant[p].images[q]] +=
                static_cast<T>(kSigns[static_cast<std::size_t>(kFirst[g]) + s][q] * values[p]);
          }
        }
      }
    }
  }
  const std::vector<T> pixels(images.begin(), images.begin() + static_cast<long>(count * kPixels));
  const auto a = gpu::copy_to_device(std::span<const T>(pixels));
  const auto b = gpu::copy_to_device(std::span<const T>(dense));
  gpu::DeviceBuffer<T> c(count * columns);
  const double seconds = median_seconds(kRepeats, [&] {
    cublas.multiply(static_cast<int>(count), static_cast<int>(columns), static_cast<int>(kPixels),
                    a.data(), b.data(), c.data());
    CUDA_CHECK(cudaDeviceSynchronize());
  });
  std::vector<T> sums(count * columns);
  CUDA_CHECK(cudaMemcpy(sums.data(), c.data(), c.bytes(), cudaMemcpyDeviceToHost));
  std::vector<double> got;
  std::vector<double> expected;
  const std::size_t compared = std::min(sums.size(), 2 * reference.size());
  for (std::size_t e = 0; e < compared; ++e) {
    got.push_back(static_cast<double>(sums[e]));
    expected.push_back(e % 2 == 0 ? reference[e / 2].real() : reference[e / 2].imag());
  }
  std::printf("%-44s %10.3f million/s   error %.1e\n", name,
              static_cast<double>(count) / seconds * 1e-6, relative_l2(got, expected));
}

double engine_error(MomentPlan& engine, const ImageBatch& images,
                    const std::vector<std::complex<double>>& reference) {
  const std::size_t count = reference.size() / engine.moment_count();
  std::vector<std::complex<double>> got(reference.size());
  engine.moments(images.slice(0, count), got);
  return relative_l2(got, reference);
}

void bench_engine(const char* name, Precision precision, const ImageBatch& images,
                  const std::vector<std::complex<double>>& reference) {
  auto engine = make_engine(precision, kOneGpu);
  std::vector<float> magnitudes(images.count * engine->moment_count());
  const double seconds = median_seconds(kRepeats, [&] { engine->magnitudes(images, magnitudes); });
  std::printf("%-44s %10.3f million/s   error %.1e\n", name,
              static_cast<double>(images.count) / seconds * 1e-6,
              engine_error(*engine, images, reference));
}

// Times the three steps of a batch on the device and compares them with the ceilings.
void bench_steps(Precision precision, const ImageBatch& images, const Ceilings& ceilings) {
  const FoldedBasis basis(kSpec, kSize);
  const gpu::FoldedPlan plan(kSpec, basis, precision);
  gpu::FoldedWorkspace workspace;
  plan.reserve(workspace, images.type, images.count);
  gpu::DeviceBuffer<float> magnitudes(images.count * plan.moment_count());
  const gpu::Stream stream;
  const auto count = static_cast<double>(images.count);
  const auto time = [&](auto&& call) { return median_gpu_seconds(kRepeats, stream, call) / count; };
  const double both = time([&] { plan.compute_sums(images, workspace, stream); });
  const double fold = time([&] { plan.fold(images, workspace, stream); });
  const double finish =
      time([&] { plan.finish(workspace, images.count, magnitudes.data(), stream); });
  const bool exact = precision == Precision::kDouble;
  const double pieces = exact ? 1.0 : images.type == PixelType::kUint8 ? 2.0 : 3.0;
  const double flops = 2.0 * plan.useful_multiplies() * pieces;
  const double rate = exact ? ceilings.in_double : ceilings.in_half;
  const auto read = static_cast<double>(kPixels * images.bytes_per_pixel());
  const auto folded = static_cast<double>(plan.workspace_bytes(images.type));
  const double product = both - fold;
  std::printf(
      "  fold    %7.1f ns an image: %6.0f KB moved, %4.1f TB/s, %3.0f %% of the copy rate\n",
      fold * 1e9, (read + folded) * 1e-3, (read + folded) / fold * 1e-12,
      100.0 * (read + folded) / fold / ceilings.copy);
  std::printf(
      "  product %7.1f ns an image: %6.1f MFLOP, %5.1f TFLOP/s, %3.0f %% of cuBLAS's rate\n",
      product * 1e9, flops * 1e-6, flops / product * 1e-12, 100.0 * flops / product / rate);
  std::printf("  finish  %7.1f ns an image\n", finish * 1e9);
  const double floor = std::max((read + 2.0 * folded) / ceilings.copy, flops / rate);
  std::printf("  limit   %7.1f ns an image (bytes %.1f, arithmetic %.1f): reached %.0f %%\n",
              floor * 1e9, (read + 2.0 * folded) / ceilings.copy * 1e9, flops / rate * 1e9,
              100.0 * floor / (both + finish));
}

constexpr std::size_t kCount = 32768;

// kCount images in page-locked memory, of which the first `seed_images` are repeated.
gpu::PinnedBuffer<unsigned char> page_locked(const std::vector<unsigned char>& seed_images) {
  gpu::PinnedBuffer<unsigned char> host(kCount * kPixels);
  for (std::size_t at = 0; at < kCount * kPixels; at += seed_images.size()) {
    std::copy(seed_images.begin(), seed_images.end(), host.data() + at);
  }
  return host;
}

// Images per second that bare copies from page-locked memory bring to the GPUs, to each its share
// at the same time, in pieces as large as an engine's.
double copied_images(const std::vector<gpu::GpuDevice>& gpus,
                     const gpu::PinnedBuffer<unsigned char>& host) {
  constexpr std::size_t kPiece = std::size_t{1} << 28;
  const std::size_t share = host.bytes() / gpus.size() / kPiece * kPiece;
  const auto copy_share = [&](std::size_t g) {
    const gpu::DeviceScope scope(gpus[g].index);
    const gpu::Stream stream;
    gpu::DeviceBuffer<unsigned char> piece(kPiece);
    for (std::size_t at = 0; at < share; at += kPiece) {
      CUDA_CHECK(cudaMemcpyAsync(piece.data(), host.data() + g * share + at, kPiece,
                                 cudaMemcpyHostToDevice, stream.get()));
    }
    stream.wait();
  };
  gpu::GpuWorkers workers;
  const double seconds =
      median_seconds(kRepeats, [&] { workers.on_each(gpus.size(), copy_share, [] {}); });
  return static_cast<double>(gpus.size() * share / kPixels) / seconds;
}

double engine_images(const DeviceChoice& device, const ImageBatch& images) {
  auto engine = make_engine(Precision::kFloat, device);
  std::vector<float> magnitudes(images.count * engine->moment_count());
  return static_cast<double>(images.count) /
         median_seconds(kRepeats, [&] { engine->magnitudes(images, magnitudes); });
}

// How many times as fast as the first GPU all of them are, and what of bare copies they reach.
void bench_several() {
  std::string reason;
  const auto gpus = select_gpus(kAllGpus, reason);
  if (gpus.size() < 2) return;
  auto host = page_locked(make_images(1024));
  const ImageBatch images(host.span(), kCount, kSize);
  const double copied_one = copied_images({gpus.front()}, host);
  const double copied_all = copied_images(gpus, host);
  const double one = engine_images(kOneGpu, images);
  const double all = engine_images(kAllGpus, images);
  std::printf(
      "\n|Z_nm|, 256 x 256, order 30, fast, 8-bit images in page-locked host memory, %zu GPUs\n",
      gpus.size());
  const auto print = [](const char* what, double one_gpu, double all_gpus) {
    std::printf("%-12s one %6.3f, all %6.3f million/s: %.2f times\n", what, 1e-6 * one_gpu,
                1e-6 * all_gpus, all_gpus / one_gpu);
  };
  print("bare copies", copied_one, copied_all);
  print("moments", one, all);
  std::printf("moments of bare copies: one %.0f %%, all %.0f %%\n", 100.0 * one / copied_one,
              100.0 * all / copied_all);
}

void bench_batches() {
  std::string reason;
  const auto gpus = select_gpus(kOneGpu, reason);
  const gpu::DeviceScope scope(gpus[0].index);
  CublasHandle cublas;
  const Ceilings ceilings = measure_ceilings(cublas);
  std::printf(
      "%s: copies %.2f TB/s, link %.1f GB/s, products %.1f (double) and %.0f (half) TFLOP/s\n",
      gpus[0].name.c_str(), ceilings.copy * 1e-12, ceilings.link * 1e-9, ceilings.in_double * 1e-12,
      ceilings.in_half * 1e-12);
  constexpr std::size_t kCompared = 64;
  const auto seed_images = make_images(1024);
  auto host = page_locked(seed_images);
  const ImageBatch on_host(host.span(), kCount, kSize);
  const auto device_images = gpu::copy_to_device(std::span<const unsigned char>(host.span()));
  ImageBatch on_device = on_host;
  on_device.pixels = device_images.data();
  on_device.memory = MemoryKind::kDevice;
  std::vector<float> floats(1024 * kPixels);
  std::copy(seed_images.begin(), seed_images.end(), floats.begin());
  gpu::DeviceBuffer<float> device_floats(kCount * kPixels);
  for (std::size_t b = 0; b < kCount; b += 1024) {
    CUDA_CHECK(cudaMemcpy(device_floats.data() + b * kPixels, floats.data(),
                          floats.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  ImageBatch floats_on_device(floats, kCount, kSize);
  floats_on_device.pixels = device_floats.data();
  floats_on_device.memory = MemoryKind::kDevice;

  std::vector<std::complex<double>> reference(kCompared * moment_count(kSpec.family, kSpec.order));
  make_engine(Precision::kDouble, {DeviceChoice::Kind::kCpu, 0})
      ->moments(on_host.slice(0, kCompared), reference);
  std::printf("\n|Z_nm|, 256 x 256, order 30, images on the device\n");
  bench_engine("fast, 8-bit images", Precision::kFloat, on_device, reference);
  bench_engine("fast, float images", Precision::kFloat, floats_on_device, reference);
  bench_engine("exact, 8-bit images", Precision::kDouble, on_device, reference);
  bench_dense<double>("dense cuBLAS product, double images", cublas, seed_images, 1024, reference);
  bench_dense<float>("dense cuBLAS product, float images", cublas, seed_images, 1024, reference);
  std::printf(
      "\n|Z_nm|, 256 x 256, order 30, 8-bit images in page-locked host memory (limit %.3f)\n",
      ceilings.link / static_cast<double>(kPixels) * 1e-6);
  bench_engine("fast", Precision::kFloat, on_host, reference);
  bench_engine("exact", Precision::kDouble, on_host, reference);
  std::vector<unsigned char> pageable(host.data(), host.data() + 16384 * kPixels);
  bench_engine("fast, ordinary host memory", Precision::kFloat, ImageBatch(pageable, 16384, kSize),
               reference);
  std::printf("\nwhere the time goes on the device, 4096 images\n fast, 8-bit\n");
  bench_steps(Precision::kFloat, on_device.slice(0, 4096), ceilings);
  std::printf(" fast, float\n");
  bench_steps(Precision::kFloat, floats_on_device.slice(0, 4096), ceilings);
  std::printf(" exact, 8-bit\n");
  bench_steps(Precision::kDouble, on_device.slice(0, 4096), ceilings);
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  const std::vector<std::string> parts(argv + 1, argv + argc);
  const auto asked = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  try {
    if (asked("batches")) leafglyph::bench_batches();
    if (asked("several")) leafglyph::bench_several();
    if (asked("search")) leafglyph::bench_search();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gpu: %s\n", error.what());
    return 1;
  }
}
