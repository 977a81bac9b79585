// How GPUs share batches and images, with transforms that only record what they are asked for.
#include "gpu/shared_transform.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "features/plan/repetition_transform.h"

namespace leafglyph::gpu {
namespace {

constexpr int kRepetitions = 10;
constexpr int kSize = 4;

/// The moment of repetition m of an image is its first pixel plus m. Each call notes its GPU.
class Recorded : public ForwardTransform, public RepetitionTransform {
 public:
  explicit Recorded(int gpu) : gpu_(gpu) {}

  std::string describe() const override { return "recorded"; }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    images_ += static_cast<int>(images.count);
    for (std::size_t b = 0; b < images.count; ++b) {
      fill(images.slice(b, 1), 0, kRepetitions, moments.subspan(b * kRepetitions, kRepetitions));
    }
  }
  std::vector<int> cuts(std::size_t shares) const override {
    std::vector<int> cuts;
    for (std::size_t s = 0; s <= shares; ++s) {
      cuts.push_back(kRepetitions * static_cast<int>(s) / static_cast<int>(shares));
    }
    return cuts;
  }
  void compute_repetitions(const ImageBatch& image, int first, int last,
                           std::span<std::complex<double>> moments) override {
    if (fails) throw std::runtime_error("GPU " + std::to_string(gpu_));
    shares_ += last - first;
    fill(image, first, last, moments);
  }

  int images() const { return images_; }
  int shares() const { return shares_; }
  bool fails = false;

 private:
  static void fill(const ImageBatch& image, int first, int last,
                   std::span<std::complex<double>> moments) {
    for (int m = first; m < last; ++m) {
      moments[static_cast<std::size_t>(m)] = *static_cast<const double*>(image.pixels) + m;
    }
  }

  int gpu_;
  std::atomic<int> images_ = 0;
  std::atomic<int> shares_ = 0;
};

class SharedTransform : public ::testing::Test {
 protected:
  void make(std::size_t gpus, double seconds, const std::vector<std::string>& names = {""}) {
    std::vector<GpuDevice> devices;
    for (std::size_t g = 0; g < gpus; ++g)
      devices.push_back({.index = static_cast<int>(g), .name = names[g % names.size()]});
    shared_ = share_forward(devices, /*threads=*/4, seconds, [&](const GpuDevice& gpu) {
      made_.push_back(std::make_shared<Recorded>(gpu.index));
      return made_.back();
    });
  }

  // Whether the moments of so many images are right.
  bool computes(std::size_t count) {
    std::vector<double> pixels(count * kSize * kSize);
    for (std::size_t b = 0; b < count; ++b) {
      pixels[b * kSize * kSize] = 100.0 * static_cast<double>(1 + b);
    }
    std::vector<std::complex<double>> moments(count * kRepetitions);
    shared_->compute_moments(ImageBatch(pixels, count, kSize), moments);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const std::size_t expected = 100 * (1 + i / kRepetitions) + i % kRepetitions;
      if (moments[i] != static_cast<double>(expected)) return false;
    }
    return true;
  }

  int images_of_all() const {
    int sum = 0;
    for (const auto& one : made_) sum += one->images();
    return sum;
  }

  std::vector<std::shared_ptr<Recorded>> made_;
  std::shared_ptr<ForwardTransform> shared_;
};

// oracle: 1.3 of the time of one GPU against its half or quarter and a millisecond.
TEST(SharePays, OnlyForLongImages) {
  EXPECT_FALSE(share_pays(1.0, 1));
  EXPECT_FALSE(share_pays(0.0, 4));
  EXPECT_FALSE(share_pays(0.003, 2));
  EXPECT_TRUE(share_pays(0.004, 2));
  EXPECT_FALSE(share_pays(0.0018, 4));
  EXPECT_TRUE(share_pays(0.002, 4));
}

// mechanics: a long image is shared by repetitions, fewer images than GPUs one after another, more
// by images.
TEST_F(SharedTransform, LongImagesAreSharedByRepetitions) {
  make(4, /*seconds=*/0.1);
  EXPECT_NE(shared_->describe().find("by its repetitions"), std::string::npos);
  EXPECT_TRUE(computes(1));
  for (const auto& one : made_) EXPECT_GT(one->shares(), 0);
  EXPECT_TRUE(computes(3));
  EXPECT_EQ(images_of_all(), 0);
  EXPECT_TRUE(computes(9));
  EXPECT_EQ(images_of_all(), 9);
}

// mechanics: magnitudes are shared, too.
TEST_F(SharedTransform, MagnitudesOfALongImage) {
  make(2, /*seconds=*/0.1);
  std::vector<double> pixels(kSize * kSize, 5.0);
  std::vector<float> magnitudes(kRepetitions);
  shared_->compute_magnitudes(ImageBatch(pixels, 1, kSize), magnitudes);
  for (int m = 0; m < kRepetitions; ++m) {
    EXPECT_EQ(magnitudes[static_cast<std::size_t>(m)], static_cast<float>(5 + m));
  }
  EXPECT_EQ(made_[0]->shares() + made_[1]->shares(), kRepetitions);
}

// mechanics: a short image runs on the first GPU, and so does every one on a single GPU.
TEST_F(SharedTransform, ShortImagesRunOnOneGpu) {
  make(4, /*seconds=*/0.001);
  EXPECT_EQ(shared_->describe().find("by its repetitions"), std::string::npos);
  EXPECT_TRUE(computes(1));
  EXPECT_EQ(made_[0]->images(), 1);
  made_.clear();
  make(1, /*seconds=*/0.1);
  EXPECT_TRUE(computes(1));
  EXPECT_EQ(made_[0]->images(), 1);
}

// mechanics: GPUs of different names fetch parts, and every image is computed once.
TEST_F(SharedTransform, DifferentGpusFetchParts) {
  make(3, /*seconds=*/0.0, {"small", "large"});
  EXPECT_TRUE(computes(5000));
  EXPECT_EQ(images_of_all(), 5000);
}

// mechanics: what one GPU throws arrives, and the next image is computed.
TEST_F(SharedTransform, FailuresArrive) {
  make(3, /*seconds=*/0.1);
  made_[2]->fails = true;
  EXPECT_THROW(computes(1), std::runtime_error);
  made_[2]->fails = false;
  EXPECT_TRUE(computes(1));
}

}  // namespace
}  // namespace leafglyph::gpu
