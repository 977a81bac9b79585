// Stands for the whole back end in a build without CUDA. find_gpus() says so, select_gpus()
// therefore never names a GPU, and nothing else here is reached by a caller that asked it first.
#include "features/base/errors.h"
#include "gpu/bessel_fourier/bessel_fourier.h"
#include "gpu/devices.h"
#include "gpu/distance/nearest_candidates.h"
#include "gpu/distance/pairwise.h"
#include "gpu/folded/folded_engine.h"
#include "gpu/jacobi/jacobi_moments.h"
#include "gpu/zernike/polar_reconstructor.h"

namespace leafglyph {
namespace {

constexpr const char* kReason = "this build has no CUDA";

}  // namespace

GpuInventory find_gpus() { return {{}, kReason}; }

std::unique_ptr<MomentEngine> make_gpu_moment_engine(const MomentSpec&, int, Precision,
                                                     const std::vector<GpuDevice>&) {
  throw Error(kReason);
}

std::unique_ptr<Reconstructor> make_gpu_reconstructor(const MomentSpec&, int, const GpuDevice&) {
  throw Error(kReason);
}

PairwiseStatistics pairwise_statistics_on_gpu(const FeatureRows&, const PairwiseOptions&,
                                              const GpuDevice&) {
  throw Error(kReason);
}

CandidateLists nearest_candidates(std::span<const float>, std::span<const float>, std::size_t,
                                  std::size_t, RowDifference, const GpuDevice&) {
  throw Error(kReason);
}

std::unique_ptr<GpuBesselFourier> make_gpu_bessel_fourier(const BesselFourierSpec&, Precision,
                                                          const GpuDevice&) {
  throw Error(kReason);
}

std::unique_ptr<GpuCartesianMoments> make_gpu_cartesian(const CartesianSpec&, Precision,
                                                        const GpuDevice&) {
  throw Error(kReason);
}

}  // namespace leafglyph
