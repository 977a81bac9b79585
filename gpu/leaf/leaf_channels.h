// The channels of prepared leaves on a GPU (features/leaf/channels.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/channels.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Works the channels out where their moments are taken, so that a leaf and its mask cross the link
/// to the GPU instead of an image for each channel. The high pass, the hull and colours come from
/// the processor. Used from one thread at a time.
class LeafChannels {
 public:
  /// Of leaves of `size` x `size` pixels.
  LeafChannels(std::span<const Channel> channels, int size, const GpuDevice& gpu);
  ~LeafChannels();
  LeafChannels(const LeafChannels&) = delete;
  LeafChannels& operator=(const LeafChannels&) = delete;

  /// Images in the GPU's memory, good until the next call: image i * channels + c is channel c of
  /// leaf i, as compute_channels has it up to the rounding of floats. made[i] becomes what
  /// compute_channels returns for leaf i. Throws Error when the GPU's memory does not suffice.
  ImageBatch compute(std::span<const PreparedLeaf* const> leaves, std::vector<MadeChannels>& made);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leafglyph::gpu
