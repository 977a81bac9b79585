// The tables of a PolarPlan in the memory of a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "features/zernike/polar_plan.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Repetitions that one block of a kernel works on; a slice of repetitions is a multiple of it.
inline constexpr int kGpuRepetitions = 64;
/// Repetitions that are on the GPU at a time, which bounds the memory of partial sums.
inline constexpr int kSliceRepetitions = 512;

/// What the kernels at the nodes read. The recurrence of repetition m has its coefficients at
/// first_order[m] + i, order m + i step; the first coefficient keeps the start value.
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
