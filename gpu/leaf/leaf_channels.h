// The channels of prepared leaves on a GPU (features/leaf/channels.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/channels.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Computes the channels on the GPU that computes their moments, so that only a leaf and its mask
/// cross the link to the GPU instead of one image per channel. The high pass, the hull and colours
/// are computed on the CPU. Must be used from one thread at a time.
class LeafChannels {
 public:
  /// For leaves of `size` x `size` pixels.
  LeafChannels(std::span<const Channel> channels, int size, const GpuDevice& gpu);
  ~LeafChannels();
  LeafChannels(const LeafChannels&) = delete;
  LeafChannels& operator=(const LeafChannels&) = delete;

  /// Returns images in the GPU's memory that are valid until the next call. Image i * channels + c
  /// is channel c of leaf i, equal to that of compute_channels up to float rounding. made[i] is set
  /// to what compute_channels returns for leaf i. Throws Error if the GPU's memory does not
  /// suffice.
  ImageBatch compute(std::span<const PreparedLeaf* const> leaves, std::vector<MadeChannels>& made);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leafglyph::gpu
