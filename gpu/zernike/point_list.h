// The points of OctantPoints in GPU memory, sorted by interval and divided into segments.
#pragma once

#include <cstdint>
#include <vector>

#include "features/zernike/octant_points.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// The points that one block of a kernel processes. All are in one interval.
struct PointSegment {
  std::int32_t interval;
  std::uint32_t first;
  std::uint32_t count;
  std::int32_t last_repetition;  ///< higher repetitions are negligible at these points
};

/// Arrays of points on the GPU. Element p of each belongs to point p.
struct PointArrays {
  const double* position;  ///< in cells
  const double* angle;     ///< theta / pi
  const double* radius;
  const double* area;
  const std::uint32_t* pixel;
};

/// The points of a range of intervals.
class PointList {
 public:
  /// Points of intervals [first, last), in segments of at most `segment_points`; 0 chooses a length
  /// that occupies a large GPU.
  PointList(const PolarPlan& plan, const OctantPoints& points, int first, int last,
            std::size_t segment_points);

  PointArrays arrays() const;
  std::size_t points() const { return pixel_.size(); }
  const PointSegment* segments() const { return segments_.data(); }
  std::size_t segment_count() const { return segments_.size(); }
  /// The segments of interval i are [i] to [i + 1] of this array, which has an entry for every
  /// interval and one more.
  const std::uint32_t* interval_segments() const { return interval_segments_.data(); }

 private:
  DeviceBuffer<double> position_;
  DeviceBuffer<double> angle_;
  DeviceBuffer<double> radius_;
  DeviceBuffer<double> area_;
  DeviceBuffer<std::uint32_t> pixel_;
  DeviceBuffer<PointSegment> segments_;
  DeviceBuffer<std::uint32_t> interval_segments_;
};

/// Divides the intervals into ranges that together contain all points. Each has at most `limit`
/// points (or is a single interval with more), which are on the GPU at the same time.
std::vector<std::pair<int, int>> interval_slices(const PolarPlan& plan, const OctantPoints& points,
                                                 std::size_t limit);

}  // namespace leafglyph::gpu
