// Stands for the whole back end in a build without CUDA. find_gpus() says so, select_gpus()
// therefore never names a GPU, and nothing else here is reached by a caller that asked it first.
#include "features/base/errors.h"
#include "gpu/bessel_fourier/ring_transform.h"
#include "gpu/cuda/gpu_device.h"
#include "gpu/distance/nearest_candidates.h"
#include "gpu/distance/pairwise.h"
#include "gpu/folded/folded_forward.h"
#include "gpu/jacobi/axis_batch.h"
#include "gpu/jacobi/axis_transform.h"
#include "gpu/leaf/leaf_channels.h"
#include "gpu/separable/separable_transform.h"
#include "gpu/zernike/polar_backward.h"
#include "gpu/zernike/polar_forward.h"

namespace leafglyph::gpu {
namespace {

constexpr const char* kReason = "this build has no CUDA";

}  // namespace

GpuInventory find_gpus() { return {{}, kReason}; }

int gpu_of_memory(const void*) { return -1; }

std::shared_ptr<ForwardTransform> make_folded_forward(const MomentSpec&, int, Precision,
                                                      const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec&, int, const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec&, int,
                                                           const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec&, int, const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec&, int, const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<RingTransform> make_ring_transform(const MomentSpec&, int, Precision,
                                                   const GpuDevice&) {
  throw Error(kReason);
}

std::shared_ptr<AxisTransform> make_axis_transform(const MomentSpec&, const ArraySize&, Precision,
                                                   const GpuDevice&) {
  throw Error(kReason);
}

bool serves_batches(const MomentSpec&, const ArraySize&) { throw Error(kReason); }

std::shared_ptr<ForwardTransform> make_axis_batch(const MomentSpec&, const ArraySize&, Precision,
                                                  const GpuDevice&) {
  throw Error(kReason);
}

PairwiseStatistics pairwise_statistics(const FeatureRows&, const PairwiseOptions&,
                                       const GpuDevice&) {
  throw Error(kReason);
}

struct LeafChannels::State {};

LeafChannels::LeafChannels(std::span<const Channel>, int, const GpuDevice&) {
  throw Error(kReason);
}
LeafChannels::~LeafChannels() = default;

ImageBatch LeafChannels::compute(std::span<const PreparedLeaf* const>, std::vector<MadeChannels>&) {
  throw Error(kReason);
}

CandidateLists nearest_candidates(std::span<const float>, std::span<const float>, std::size_t,
                                  std::size_t, const GpuDevice&) {
  throw Error(kReason);
}

}  // namespace leafglyph::gpu
