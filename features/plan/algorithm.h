// A row of the registry: one algorithm on one back end, what it supports, how it is made, how much
// memory it takes and what it costs. Each algorithm's folder holds its row; gpu/plans.cpp and
// gpu/cuda_algorithms.cpp list them all.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "features/plan/cost.h"

namespace leafglyph {

/// One direction of an algorithm: images to moments, or moments to images.
template <class Transform, class... Device>
struct Direction {
  /// Whether the algorithm supports the request; null: never.
  bool (*supports)(const PlanRequest&) = nullptr;
  /// Null where one transform goes both ways (Algorithm::make_both).
  std::shared_ptr<Transform> (*make)(const PlanRequest&, const Device&...) = nullptr;
  /// Upper bound in bytes for the host memory of the transform and of its calls for one image,
  /// apart from the image and its moments. Allocates none of it.
  double (*bytes)(const PlanRequest&) = nullptr;
  /// How often the transform does what takes its time. Null: not known, and it costs nothing.
  TransformWork (*work)(const PlanRequest&) = nullptr;
};

/// `Device` is empty on the CPU, gpu::GpuDevice for CUDA.
template <class... Device>
struct Algorithm {
  std::string_view name;  ///< for -v and fitted_times()
  Direction<ForwardTransform, Device...> moments = {};
  Direction<BackwardTransform, Device...> images = {};
  std::shared_ptr<TwoWayTransform> (*make_both)(const PlanRequest&, const Device&...) = nullptr;
};
using CpuAlgorithm = Algorithm<>;

/// The first row that supports the request in a direction, &CpuAlgorithm::moments or ::images. Null
/// if there is none.
template <class Row, class Direction>
const Row* first_that_supports(std::span<const std::type_identity_t<Row>* const> rows,
                               Direction Row::*way, const PlanRequest& request) {
  for (const Row* row : rows) {
    const auto& direction = row->*way;
    if (direction.supports != nullptr && direction.supports(request)) return row;
  }
  return nullptr;
}

/// What a row that supports the request costs in a direction.
template <class Transform, class... Device>
Cost cost_of(const Algorithm<Device...>& row,
             Direction<Transform, Device...> Algorithm<Device...>::*way,
             const PlanRequest& request) {
  if ((row.*way).work == nullptr) return {};
  return cost_of((row.*way).work(request), sizeof...(Device) == 0 ? "cpu" : "cuda", row.name,
                 std::is_same_v<Transform, ForwardTransform> ? Way::kMoments : Way::kImages,
                 request.precision);
}

/// The row that costs least for the images of the request among those that support it; the first of
/// several. Null if there is none. Depends on nothing but the request. Counting the work may take
/// milliseconds, so a row without a rival is not asked.
template <class Row, class Direction>
const Row* cheapest(std::span<const std::type_identity_t<Row>* const> rows, Direction Row::*way,
                    const PlanRequest& request) {
  std::vector<const Row*> rivals;
  for (const Row* row : rows) {
    const auto& direction = row->*way;
    if (direction.supports != nullptr && direction.supports(request)) rivals.push_back(row);
  }
  if (rivals.size() < 2) return rivals.empty() ? nullptr : rivals.front();
  const Row* best = nullptr;
  double least = 0.0;
  for (const Row* row : rivals) {
    const double cost = cost_of(*row, way, request).of(request.images);
    if (best == nullptr || cost < least) {
      best = row;
      least = cost;
    }
  }
  return best;
}

}  // namespace leafglyph
