// The points of OctantPoints in GPU memory, sorted by interval and divided into segments. They are
// made there.
#pragma once

#include <cstdint>
#include <utility>
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

/// The pixels of OctantPoints and their rules on the GPU, and the grid of a PolarPlan. Point
/// first_point[p] + sy * points along a side + sx is number (sy, sx) of the pixel of rank p.
struct OctantOnGpu {
  const double* x;
  const double* y;
  const double* weight;
  const std::uint16_t* rule;
  const std::uint64_t* first_point;  ///< one more than there are pixels
  std::size_t pixels;
  const double* nodes;  ///< of all rules, one after another
  const double* weights;
  const std::uint32_t* rule_start;  ///< one more than there are rules
  double half_side;
  double triangle_side;  ///< OctantPoints::triangle_side
  bool pseudo;
  double cells_per_radian;
  int intervals;
};

/// Owns the arrays of OctantOnGpu.
class OctantBuffers {
 public:
  OctantBuffers(const PolarPlan& plan, const OctantPoints& points);

  const OctantOnGpu& octant() const { return octant_; }
  std::uint64_t first_point(std::size_t pixel) const { return starts_[pixel]; }

 private:
  std::vector<std::uint64_t> starts_;
  DeviceBuffer<double> x_;
  DeviceBuffer<double> y_;
  DeviceBuffer<double> weight_;
  DeviceBuffer<std::uint16_t> rule_;
  DeviceBuffer<std::uint64_t> first_point_;
  DeviceBuffer<double> nodes_;
  DeviceBuffer<double> weights_;
  DeviceBuffer<std::uint32_t> rule_start_;
  OctantOnGpu octant_{};
};

/// The points of a range of intervals.
class PointList {
 public:
  /// Points of intervals [first, last), in segments of at most `segment_points`; 0 chooses a length
  /// that occupies a large GPU. In an interval they have the order of their numbers. Waits until
  /// they are made.
  PointList(const PolarPlan& plan, const OctantPoints& points, const OctantBuffers& buffers,
            int first, int last, std::size_t segment_points, const Stream& stream);

  PointArrays arrays() const;
  std::size_t points() const { return points_; }
  const PointSegment* segments() const { return segments_.data(); }
  std::size_t segment_count() const { return segments_.size(); }
  /// The segments of interval i are [i] to [i + 1] of this array, which has an entry for every
  /// interval and one more.
  const std::uint32_t* interval_segments() const { return interval_segments_.data(); }

 private:
  void divide(const PolarPlan& plan, const std::vector<std::uint32_t>& starts,
              std::size_t segment_points);

  std::size_t points_ = 0;
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
                                                 const OctantBuffers& buffers, std::size_t limit,
                                                 const Stream& stream);

}  // namespace leafglyph::gpu
