// Moments on the GPU against the CPU in double, and their errors. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "gpu/cuda/cuda_raii.h"
#include "tests/support/plans.h"

namespace leafglyph {
namespace {

constexpr unsigned kGpuMomentSeed = 20260717;
constexpr double kMomentCanary = 12345.0;

// Sums of the same products in double in another order, relative to the norm of all moments; 1e-13
// is the possible difference at orders up to 60 with 200,000 pixels (n ulp of partial sums of mixed
// sign).
constexpr double kMomentExactTolerance = 1e-13;
constexpr double kMomentFastTolerance = 1e-6;  // what Precision::kFloat states for the GPU

template <class T>
std::vector<T> random_images(std::size_t count, int size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<T> images(count * static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (T& pixel : images) {
    const int value = grey(generator);
    // Integers fill their range; floats and doubles get values that do not fit in 8 bits.
    if constexpr (std::is_integral_v<T>) {
      pixel = static_cast<T>(value * (std::numeric_limits<T>::max() / 255));
    } else {
      pixel = static_cast<T>(value * 1.37 - 40.0);
    }
  }
  return images;
}

std::unique_ptr<MomentPlan> make_engine(const MomentSpec& spec, int size, Precision precision,
                                        DeviceChoice::Kind kind, int index = 0) {
  PlanOptions options = for_many_images();  // folded products, whose batches are tested here
  options.device = {kind, index};
  options.precision = precision;
  return make_moment_plan(spec, size, options);
}

class GpuMoments : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason = gpu::find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  // Moments and magnitudes of a batch on the GPU, with guard values around both outputs.
  static std::vector<std::complex<double>> moments_on_gpu(MomentPlan& engine,
                                                          const ImageBatch& images) {
    const std::size_t values = images.count * engine.moment_count();
    std::vector<std::complex<double>> out(values + 2, kMomentCanary);
    engine.moments(images, std::span(out).subspan(1, values));
    EXPECT_EQ(out.front(), kMomentCanary);
    EXPECT_EQ(out.back(), kMomentCanary);
    std::vector<float> magnitudes(values + 2, static_cast<float>(kMomentCanary));
    engine.magnitudes(images, std::span(magnitudes).subspan(1, values));
    EXPECT_EQ(magnitudes.front(), static_cast<float>(kMomentCanary));
    EXPECT_EQ(magnitudes.back(), static_cast<float>(kMomentCanary));
    std::vector<double> expected(values);
    std::transform(out.begin() + 1, out.end() - 1, expected.begin(),
                   [](const std::complex<double>& z) { return std::abs(z); });
    const std::vector<float> got(magnitudes.begin() + 1, magnitudes.end() - 1);
    EXPECT_LT(relative_l2(got, expected), 1e-7);  // the rounding to float
    return {out.begin() + 1, out.end() - 1};
  }

  template <class T>
  static void check_agreement(const MomentSpec& spec, int size, std::size_t count) {
    const auto images = random_images<T>(count, size, kGpuMomentSeed + static_cast<unsigned>(size));
    const ImageBatch batch(images, count, size);
    auto reference = make_engine(spec, size, Precision::kDouble, DeviceChoice::Kind::kCpu);
    std::vector<std::complex<double>> expected(count * reference->moment_count());
    reference->moments(batch, expected);
    for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
      auto engine = make_engine(spec, size, precision, DeviceChoice::Kind::kCuda);
      const double error = relative_l2(moments_on_gpu(*engine, batch), expected);
      const bool exact = precision == Precision::kDouble;
      EXPECT_LT(error, exact ? kMomentExactTolerance : kMomentFastTolerance)
          << describe(spec) << ", N = " << size << ", " << count << " images of "
          << batch.bytes_per_pixel() << " bytes per pixel, " << (exact ? "exact" : "fast")
          << ", seed " << kGpuMomentSeed;
      auto& worst = exact ? worst_exact_ : worst_fast_;
      worst = std::max(worst, error);
    }
  }

  static void TearDownTestSuite() {
    std::cout << "largest relative l2 errors: exact " << worst_exact_ << ", fast " << worst_fast_
              << "\n";
  }

  static inline double worst_exact_ = 0.0;
  static inline double worst_fast_ = 0.0;
};

// The same checks at sizes that are quick under compute-sanitizer (tools/check/gpu).
class GpuSanitized : public GpuMoments {};

// agreement: every kernel of the plan, at sizes that are multiples of no tile
TEST_F(GpuSanitized, EveryKernelOfTheBatchEngine) {
  check_agreement<unsigned char>({Family::kZernike, 19}, 21, 131);
  check_agreement<float>({Family::kPseudoZernike, 11}, 20, 9);
  check_agreement<double>({Family::kZernike, 5}, 11, 3);
}

// agreement: families, orders and sizes, even and odd
TEST_F(GpuMoments, AgreeWithTheCpuAtEveryOrderAndSize) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kBesselFourier}) {
    for (const int order : {0, 1, 2, 7, 12, 30, 60}) {
      if (order == 0 && family == Family::kBesselFourier) continue;
      for (const int size : {8, 9, 24, 33})
        check_agreement<unsigned char>({family, order}, size, 3);
    }
    check_agreement<unsigned char>({family, 20}, 127, 2);
    check_agreement<unsigned char>({family, 30}, 256, 5);
    check_agreement<unsigned char>({family, 45}, 511, 1);
  }
  check_agreement<unsigned char>({Family::kZernike, 60}, 512, 2);
}

// agreement: pixel types and sub-regions
TEST_F(GpuMoments, AgreeWithTheCpuForEveryPixelType) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int size : {8, 31, 128}) {
      MomentSpec spec{family, 24};
      spec.points = 1 + size % 3;
      check_agreement<unsigned char>(spec, size, 4);
      check_agreement<std::uint16_t>(spec, size, 4);
      check_agreement<float>(spec, size, 4);
      check_agreement<double>(spec, size, 4);
    }
  }
}

// agreement: batches that fill part of a block of images, several blocks, and several tiles
TEST_F(GpuMoments, AgreeWithTheCpuForEveryBatchSize) {
  for (const std::size_t count : {1, 2, 127, 128, 129, 1000, 5000}) {
    check_agreement<unsigned char>({Family::kZernike, 12}, 24, count);
    check_agreement<float>({Family::kPseudoZernike, 6}, 17, count);
  }
  check_agreement<double>({Family::kZernike, 10}, 256, 700);
}

// agreement: images of very different range in one batch each keep their own precision, including
// those just inside and outside the range that needs no scaling (a quarter to 4096)
TEST_F(GpuSanitized, FastKeepsTheRelativeErrorOfEachImage) {
  const int size = 32;
  const std::vector<float> factors = {1e-30F, 7e-4F, 9e-4F, 1e-2F, 1.0F, 13.0F,
                                      14.0F,  1e5F,  1.0F,  1e30F, 0.0F, 1e-7F};
  auto images = random_images<float>(factors.size(), size, kGpuMomentSeed);
  const std::size_t pixels = images.size() / factors.size();
  for (std::size_t p = 0; p < images.size(); ++p) images[p] *= factors[p / pixels];
  const ImageBatch batch(images, factors.size(), size);
  const MomentSpec spec{Family::kZernike, 20};
  auto reference = make_engine(spec, size, Precision::kDouble, DeviceChoice::Kind::kCpu);
  auto engine = make_engine(spec, size, Precision::kFloat, DeviceChoice::Kind::kCuda);
  const std::size_t row = engine->moment_count();
  std::vector<std::complex<double>> expected(factors.size() * row);
  reference->moments(batch, expected);
  const std::vector<std::complex<double>> got = moments_on_gpu(*engine, batch);
  for (std::size_t b = 0; b < factors.size(); ++b) {
    const auto of_image = [&](const std::vector<std::complex<double>>& all) {
      return std::vector<std::complex<double>>(
          all.begin() + static_cast<std::ptrdiff_t>(b * row),
          all.begin() + static_cast<std::ptrdiff_t>((b + 1) * row));
    };
    if (factors[b] == 0.0F) {
      EXPECT_EQ(of_image(got), of_image(expected));
      continue;
    }
    EXPECT_LT(relative_l2(of_image(got), of_image(expected)), kMomentFastTolerance)
        << "image " << b << ", times " << factors[b];
  }
}

// agreement: images in GPU memory give the same as images in host memory, to the last bit
TEST_F(GpuMoments, ImagesMayLieOnTheGpuOrInPageLockedMemory) {
  const int size = 40;
  const std::size_t count = 300;
  const auto images = random_images<float>(count, size, kGpuMomentSeed);
  const ImageBatch on_host(images, count, size);
  auto engine =
      make_engine({Family::kZernike, 15}, size, Precision::kFloat, DeviceChoice::Kind::kCuda);
  const auto expected = moments_on_gpu(*engine, on_host);
  const gpu::DeviceBuffer<float> copy = gpu::copy_to_device(std::span<const float>(images));
  ImageBatch on_gpu = on_host;
  on_gpu.pixels = copy.data();
  on_gpu.memory = MemoryKind::kDevice;
  EXPECT_EQ(moments_on_gpu(*engine, on_gpu), expected);
  gpu::PinnedBuffer<float> pinned(images.size());
  std::copy(images.begin(), images.end(), pinned.data());
  ImageBatch locked = on_host;
  locked.pixels = pinned.data();
  EXPECT_EQ(moments_on_gpu(*engine, locked), expected);
  ImageBatch lie = on_host;
  lie.memory = MemoryKind::kDevice;
  std::vector<std::complex<double>> out(expected.size());
  EXPECT_THROW(engine->moments(lie, out), UsageError);
}

// agreement: all GPUs of the host together give the same as one
TEST_F(GpuMoments, SharedAmongAllGpusTheBatchGivesTheSame) {
  const int size = 32;
  const std::size_t count = 2000;
  const auto images = random_images<unsigned char>(count, size, kGpuMomentSeed);
  const ImageBatch batch(images, count, size);
  const MomentSpec spec{Family::kZernike, 18};
  auto one = make_engine(spec, size, Precision::kDouble, DeviceChoice::Kind::kCuda);
  auto all = make_engine(spec, size, Precision::kDouble, DeviceChoice::Kind::kCuda, -1);
  std::cout << all->describe() << "\n";
  EXPECT_EQ(moments_on_gpu(*all, batch), moments_on_gpu(*one, batch));
}

// mechanics: pixels that are not finite are refused inside the disk and ignored outside it
TEST_F(GpuMoments, PixelsThatAreNotFiniteAreRefused) {
  const int size = 16;
  const auto good = random_images<float>(3, size, kGpuMomentSeed);
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    auto engine = make_engine({Family::kZernike, 6}, size, precision, DeviceChoice::Kind::kCuda);
    std::vector<std::complex<double>> out(3 * engine->moment_count());
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      auto images = good;
      images[static_cast<std::size_t>(size * size + 5 * size + 6)] = value;
      try {
        engine->moments(ImageBatch(images, 3, size), out);
        FAIL() << value << " was accepted";
      } catch (const InputError& error) {
        EXPECT_NE(
            std::string(error.what()).find("image 1 of the batch: the value in row 5, column 6"),
            std::string::npos)
            << error.what();
      }
      images = good;
      images[0] = value;  // the corner
      EXPECT_NO_THROW(engine->moments(ImageBatch(images, 3, size), out));
    }
    EXPECT_THROW(engine->moments(ImageBatch(good, 0, size), {}), UsageError);
  }
}

// mechanics: tables that do not fit into the free GPU memory are refused, with the size they need
// and what would fit
TEST_F(GpuMoments, TablesThatDoNotFitAreRefused) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  const gpu::DeviceBuffer<char> most(free - (std::size_t{150} << 20));
  try {
    make_engine({Family::kZernike, 60}, 256, Precision::kDouble, DeviceChoice::Kind::kCuda)
        ->prepare(MomentPlan::Direction::kMoments);
    FAIL() << "tables of 200 MiB were accepted where 150 were left";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("order 60"), std::string::npos) << message;
    EXPECT_NE(message.find("MiB are free; order "), std::string::npos) << message;
  }
}

// mechanics: running out of GPU memory during a run is an error, and the plan remains usable
TEST_F(GpuMoments, RunningOutOfMemoryIsAnErrorAndLeavesTheEngineUsable) {
  const int size = 256;
  const std::size_t count = 512;
  const auto images = random_images<unsigned char>(count, size, kGpuMomentSeed);
  auto engine =
      make_engine({Family::kZernike, 12}, size, Precision::kDouble, DeviceChoice::Kind::kCuda);
  std::vector<float> out(count * engine->moment_count());
  engine->prepare(MomentPlan::Direction::kMoments);
  {
    std::size_t free = 0;
    std::size_t total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    const gpu::DeviceBuffer<char> most(free - (std::size_t{48} << 20));
    try {
      engine->magnitudes(ImageBatch(images, count, size), out);
      FAIL() << "200 MiB were found where 48 were left";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("MiB of GPU memory were needed"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_NO_THROW(engine->magnitudes(ImageBatch(images, count, size), out));
}

}  // namespace
}  // namespace leafglyph
