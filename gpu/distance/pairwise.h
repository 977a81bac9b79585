// Statistics of the distances between all pairs of feature rows, on a GPU.
#pragma once

#include "features/distance/pairwise.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// As pairwise_statistics, and with its results: distances are made of the same rounded operations,
/// so counts, largest distance and closest pairs agree to the last bit; the mean is summed in
/// another order. Needs memory for the rows, the histogram and the closest pairs alone.
PairwiseStatistics pairwise_statistics(const FeatureRows& rows, const PairwiseOptions& options,
                                       const GpuDevice& gpu);

}  // namespace leafglyph::gpu
