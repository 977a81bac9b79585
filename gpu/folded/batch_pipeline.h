// Batches of images through one GPU, tile by tile, so that copies and computation overlap. For
// the files of gpu/ alone.
//
// A tile is as many images as fit kTileBytes of GPU memory (or an eighth of what is free, if that
// is less). Two tiles are in work at a time, each with its input, workspace and results on the GPU
// and its results in page-locked host memory. So the memory used is bounded whatever the batch's
// size.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <span>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"
#include "gpu/cuda/host_copy.h"
#include "gpu/folded/folded_plan.h"

namespace leafglyph::gpu {

inline constexpr std::size_t kTileBytes = std::size_t{1} << 30;

/// Where the results of a batch go: one of the two, the other empty.
struct BatchResults {
  std::span<std::complex<double>> moments;
  std::span<float> magnitudes;
};

class BatchPipeline {
 public:
  /// To be made while `gpu` is the current GPU.
  BatchPipeline(const MomentSpec& spec, const FoldedBasis& basis, Precision precision,
                const GpuDevice& gpu);

  const GpuDevice& gpu() const { return gpu_; }
  const FoldedPlan& plan() const { return plan_; }
  /// Returns when all results are in place.
  void run(const ImageBatch& images, const BatchResults& results);

 private:
  // Images a tile, for a batch of `count` images.
  std::size_t tile_images(PixelType type, std::size_t count) const;

  struct Slot {
    Stream stream;
    Event done;
    FoldedWorkspace workspace;
    DeviceBuffer<std::byte> images;
    DeviceBuffer<std::byte> results;
    PinnedBuffer<std::byte> host_results;
    std::size_t first = 0;
    std::size_t count = 0;  // 0 when nothing is in work
  };

  void start(Slot& slot, const ImageBatch& tile, bool want_moments);
  void collect(Slot& slot, const BatchResults& results);

  GpuDevice gpu_;
  int image_size_;
  FoldedPlan plan_;
  std::size_t tile_bytes_ = 0;
  std::array<Slot, 2> slots_;
  StagedCopy sent_;
};

}  // namespace leafglyph::gpu
