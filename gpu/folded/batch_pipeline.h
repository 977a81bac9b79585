// Processes batches of images on one GPU, tile by tile, so that copies and computation overlap.
// Only for the files of gpu/.
//
// A tile has as many images as fit in kTileBytes of GPU memory (or an eighth of the free memory, if
// that is less). Two tiles are in progress at a time. Each has its input, workspace and results on
// the GPU, and its results in page-locked host memory. The memory used is therefore bounded for any
// batch size.
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

/// Where the results of a batch are written. One of the two is empty.
struct BatchResults {
  std::span<std::complex<double>> moments;
  std::span<float> magnitudes;
};

class BatchPipeline {
 public:
  /// `gpu` must be the current GPU.
  BatchPipeline(const MomentSpec& spec, const FoldedBasis& basis, Precision precision,
                const GpuDevice& gpu);

  const GpuDevice& gpu() const { return gpu_; }
  const FoldedPlan& plan() const { return plan_; }
  /// Returns when all results are written.
  void run(const ImageBatch& images, const BatchResults& results);

 private:
  // Images per tile, for a batch of `count` images.
  std::size_t tile_images(PixelType type, std::size_t count) const;

  struct Slot {
    Stream stream;
    Event done;
    FoldedWorkspace workspace;
    DeviceBuffer<std::byte> images;
    DeviceBuffer<std::byte> results;
    PinnedBuffer<std::byte> host_results;
    std::size_t first = 0;
    std::size_t count = 0;  // 0: nothing in progress
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
