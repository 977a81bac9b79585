// Replaces the whole back end in a build without CUDA. find_gpus() reports that, so select_gpus()
// never returns a GPU, and callers that use it reach nothing else in this file.
#include "features/base/errors.h"
#include "gpu/cuda/gpu_device.h"
#include "gpu/cuda_algorithms.h"
#include "gpu/distance/nearest_candidates.h"
#include "gpu/leaf/leaf_channels.h"
#include "gpu/local/local_moments.h"

namespace leafglyph::gpu {
namespace {

constexpr const char* kReason = "this build has no CUDA";

}  // namespace

GpuInventory find_gpus() { return {{}, kReason}; }

std::string problem_of(const GpuDevice&) { return kReason; }

bool has_context(int) { return false; }

int gpu_of_memory(const void*) { return -1; }

std::span<const CudaAlgorithm* const> cuda_algorithms() { return {}; }

struct LeafChannels::State {};

LeafChannels::LeafChannels(std::span<const Channel>, int, const GpuDevice&) {
  throw Error(kReason);
}
LeafChannels::~LeafChannels() = default;

ImageBatch LeafChannels::compute(std::span<const PreparedLeaf* const>, std::vector<MadeChannels>&) {
  throw Error(kReason);
}

std::unique_ptr<LocalMoments> make_local_moments(const LocalSpec&, int, int, const GpuDevice&) {
  throw Error(kReason);
}

CandidateLists nearest_candidates(std::span<const float>, std::span<const float>, std::size_t,
                                  std::size_t, const GpuDevice&) {
  throw Error(kReason);
}

}  // namespace leafglyph::gpu
