#include "gpu/zernike/point_list.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/threads.h"

namespace leafglyph::gpu {
namespace {

// Intervals that one thread on the host collects together.
constexpr int kTaskIntervals = 16;
// Number of segments that occupies a large GPU.
constexpr std::size_t kWantedSegments = 1024;
constexpr std::size_t kShortestSegment = 64;

struct HostPoints {
  std::vector<double> position;
  std::vector<double> angle;
  std::vector<double> radius;
  std::vector<double> area;
  std::vector<std::uint32_t> pixel;

  void add(const PointGroup& group) {
    for (std::size_t p = 0; p < group.count; ++p) {
      position.push_back(group.position[p]);
      angle.push_back(std::atan2(group.sine[p], group.cosine[p]) / std::numbers::pi);
      radius.push_back(group.radius[p]);
      area.push_back(group.area[p]);
      pixel.push_back(group.pixel[p]);
    }
  }
};

template <class T>
DeviceBuffer<T> joined(const std::vector<HostPoints>& parts, std::vector<T> HostPoints::*member) {
  std::vector<T> all;
  for (const HostPoints& part : parts) {
    all.insert(all.end(), (part.*member).begin(), (part.*member).end());
  }
  return copy_to_device(std::span<const T>(all));
}

}  // namespace

PointList::PointList(const PolarPlan& plan, const OctantPoints& points, int first, int last,
                     std::size_t segment_points) {
  // One part per interval.
  std::vector<HostPoints> parts(static_cast<std::size_t>(last - first));
  const SpreadKernels& kernels = spread_kernels();
  const auto tasks = static_cast<std::size_t>((last - first + kTaskIntervals - 1) / kTaskIntervals);
  parallel_for(tasks, [&](std::size_t task) {
    const int begin = first + static_cast<int>(task) * kTaskIntervals;
    const int end = std::min(begin + kTaskIntervals, last);
    points.for_intervals(plan, kernels, begin, end, [&](int interval, PointGroup& group) {
      parts[static_cast<std::size_t>(interval - first)].add(group);
    });
  });
  std::size_t total = 0;
  for (const HostPoints& part : parts) total += part.pixel.size();
  const std::size_t length =
      segment_points > 0 ? segment_points : std::max(kShortestSegment, total / kWantedSegments);
  std::vector<PointSegment> segments;
  std::vector<std::uint32_t> starts(static_cast<std::size_t>(plan.grid().intervals) + 1, 0);
  std::size_t at = 0;
  for (int interval = 0; interval < plan.grid().intervals; ++interval) {
    starts[static_cast<std::size_t>(interval)] = static_cast<std::uint32_t>(segments.size());
    if (interval < first || interval >= last) continue;
    const std::size_t count = parts[static_cast<std::size_t>(interval - first)].pixel.size();
    for (std::size_t begin = 0; begin < count; begin += length) {
      segments.push_back({interval, static_cast<std::uint32_t>(at + begin),
                          static_cast<std::uint32_t>(std::min(length, count - begin)),
                          plan.last_repetition(interval)});
    }
    at += count;
  }
  starts.back() = static_cast<std::uint32_t>(segments.size());
  position_ = joined(parts, &HostPoints::position);
  angle_ = joined(parts, &HostPoints::angle);
  radius_ = joined(parts, &HostPoints::radius);
  area_ = joined(parts, &HostPoints::area);
  pixel_ = joined(parts, &HostPoints::pixel);
  segments_ = copy_to_device(std::span<const PointSegment>(segments));
  interval_segments_ = copy_to_device(std::span<const std::uint32_t>(starts));
}

PointArrays PointList::arrays() const {
  return {position_.data(), angle_.data(), radius_.data(), area_.data(), pixel_.data()};
}

std::vector<std::pair<int, int>> interval_slices(const PolarPlan& plan, const OctantPoints& points,
                                                 std::size_t limit) {
  const int intervals = plan.grid().intervals;
  if (points.points() <= limit) return {{0, intervals}};
  std::vector<std::size_t> counts(static_cast<std::size_t>(intervals), 0);
  const SpreadKernels& kernels = spread_kernels();
  const auto tasks = static_cast<std::size_t>((intervals + kTaskIntervals - 1) / kTaskIntervals);
  parallel_for(tasks, [&](std::size_t task) {
    const int begin = static_cast<int>(task) * kTaskIntervals;
    const int end = std::min(begin + kTaskIntervals, intervals);
    points.for_intervals(plan, kernels, begin, end, [&](int interval, PointGroup& group) {
      counts[static_cast<std::size_t>(interval)] += group.count;
    });
  });
  std::vector<std::pair<int, int>> slices;
  int begin = 0;
  std::size_t held = 0;
  for (int i = 0; i < intervals; ++i) {
    const std::size_t count = counts[static_cast<std::size_t>(i)];
    if (held > 0 && held + count > limit) {
      slices.emplace_back(begin, i);
      begin = i;
      held = 0;
    }
    held += count;
  }
  slices.emplace_back(begin, intervals);
  return slices;
}

}  // namespace leafglyph::gpu
