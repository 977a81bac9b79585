// Channels of leaves on a GPU against those on the CPU. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/statistics.h"
#include "features/leaf/leaf_texture.h"
#include "features/leaf/preprocess.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/leaf/leaf_channels.h"

namespace leafglyph {
namespace {

constexpr std::uint64_t kGpuLeafSeed = 20261122;
// Floats; the GPU fuses their products with sums.
constexpr double kTolerance = 2e-6;
// Where the last bits of the map differ, a position is rounded to the next 1/32 of a pixel.
constexpr double kRoundedTolerance = 1e-4;

class GpuSanitizedLeaf : public ::testing::Test {
 protected:
  void SetUp() override {
    const gpu::GpuInventory found = gpu::find_gpus();
    if (found.devices.empty()) GTEST_SKIP() << found.reason;
    gpu_ = found.devices.front();
  }

  // Leaves of several species, and one of a single grey value, whose channels are constant.
  static std::vector<PreparedLeaf> leaves_of(int size) {
    PrepareSpec spec;
    spec.size = size;
    spec.area = 0.12 * size * size;
    std::vector<PreparedLeaf> leaves;
    leaves.reserve(5);  // with the flat one
    for (int i = 0; i < 4; ++i) {
      leaves.push_back(prepare_leaf(draw_synthetic_leaf(i, i, kGpuLeafSeed), "leaf", spec));
    }
    PreparedLeaf flat = leaves.front();
    for (std::size_t i = 0; i < flat.mask.size(); ++i) {
      flat.grey.data()[i] = flat.mask.data()[i] != 0 ? 90.0F : 0.0F;
    }
    flat.measures = measure_leaf(flat.grey, flat.mask, 0.1);
    leaves.push_back(std::move(flat));
    return leaves;
  }

  static std::vector<float> to_host(const ImageBatch& images) {
    std::vector<float> values(images.count * images.pixels_per_image());
    CUDA_CHECK(cudaMemcpy(values.data(), images.pixels, values.size() * sizeof(float),
                          cudaMemcpyDeviceToHost));
    return values;
  }

  gpu::GpuDevice gpu_;
};

// agreement: every channel, and which of them are constant, as on the CPU
TEST_F(GpuSanitizedLeaf, ChannelsAreThoseOfTheProcessor) {
  for (const int size : {49, 128}) {
    const std::vector<PreparedLeaf> leaves = leaves_of(size);
    std::vector<const PreparedLeaf*> batch;
    batch.reserve(leaves.size());
    for (const PreparedLeaf& leaf : leaves) batch.push_back(&leaf);
    gpu::LeafChannels channels(image_channels(), size, gpu_);
    std::vector<MadeChannels> made;
    const std::vector<float> found = to_host(channels.compute(batch, made));
    const std::size_t pixels = leaves[0].grey.size(), per_leaf = image_channels().size() * pixels;
    ASSERT_EQ(found.size(), leaves.size() * per_leaf);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      std::vector<float> expected(per_leaf);
      const MadeChannels other = compute_channels(leaves[i], image_channels(), expected);
      EXPECT_EQ(made[i].constant, other.constant) << i;
      EXPECT_NEAR(*made[i].mean_gradient, *other.mean_gradient, kTolerance * *other.mean_gradient);
      for (std::size_t c = 0; c < image_channels().size(); ++c) {
        const Channel channel = image_channels()[c];
        const auto part = [&](const std::vector<float>& all, std::size_t first) {
          const auto at = all.begin() + static_cast<std::ptrdiff_t>(first + c * pixels);
          return std::vector<double>(at, at + static_cast<std::ptrdiff_t>(pixels));
        };
        const std::vector<double> one = part(found, i * per_leaf), wanted = part(expected, 0);
        if (std::ranges::all_of(wanted, [](double value) { return value == 0; })) {
          EXPECT_EQ(one, wanted) << name_of(channel) << ", leaf " << i;
          continue;
        }
        EXPECT_LT(relative_l2(one, wanted),
                  channel == Channel::kRounded ? kRoundedTolerance : kTolerance)
            << name_of(channel) << ", leaf " << i << ", size " << size;
      }
    }
  }
}

// invariant: the result for a leaf does not depend on the others in its batch, to the last bit
TEST_F(GpuSanitizedLeaf, ALeafDoesNotDependOnItsBatch) {
  const std::vector<PreparedLeaf> leaves = leaves_of(96);
  std::vector<const PreparedLeaf*> batch;
  batch.reserve(leaves.size());
  for (const PreparedLeaf& leaf : leaves) batch.push_back(&leaf);
  gpu::LeafChannels channels(image_channels(), 96, gpu_);
  std::vector<MadeChannels> made;
  const std::vector<float> together = to_host(channels.compute(batch, made));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::vector<float> alone = to_host(channels.compute({&batch[i], 1}, made));
    EXPECT_TRUE(
        std::ranges::equal(alone, std::span(together).subspan(i * alone.size(), alone.size())))
        << i;
  }
}

}  // namespace
}  // namespace leafglyph
