// The tables of a PolarPlan in GPU memory.
#pragma once

#include <cstdint>
#include <vector>

#include "features/zernike/polar_plan.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Repetitions that one block of a kernel processes. A slice of repetitions is a multiple of it.
inline constexpr int kGpuRepetitions = 64;
/// Repetitions on the GPU at a time. Bounds the memory for partial sums.
inline constexpr int kSliceRepetitions = 512;

/// The tables for the kernels at the nodes. The coefficients of the recurrence of repetition m are
/// at first_order[m] + i for order m + i step. The first coefficient holds the start value.
struct NodeTables {
  bool pseudo;
  int order;
  int nodes;
  const double* radius;
  const double* slope;
  const double* shift;
  const double* back;
  const std::uint32_t* first_order;
  const std::int32_t* node_counts;
};

class PolarTables {
 public:
  explicit PolarTables(const PolarPlan& plan);

  NodeTables nodes() const;
  const double* cells_to_nodes() const { return cells_to_nodes_.data(); }
  std::size_t bytes() const;

 private:
  bool pseudo_;
  int order_;
  DeviceBuffer<double> cells_to_nodes_;
  DeviceBuffer<double> radius_;
  DeviceBuffer<double> slope_;
  DeviceBuffer<double> shift_;
  DeviceBuffer<double> back_;
  DeviceBuffer<std::uint32_t> first_order_;
  DeviceBuffer<std::int32_t> node_counts_;
};

}  // namespace leafglyph::gpu
