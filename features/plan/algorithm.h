// A row of the registry: one algorithm on one back end, what it supports, how it is made and what
// it takes. The folder of an algorithm has its row, gpu/plans.cpp the list of them all.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// What transforms are made for; spec and size are valid (validate(spec, size)).
struct PlanRequest {
  MomentSpec spec;
  ArraySize size;
  Precision precision = Precision::kDouble;

  int image_size() const { return size.width; }  ///< N of the families on the disk
};

/// One direction of an algorithm: images to moments, or moments to images.
template <class Transform, class... Device>
struct Direction {
  /// Whether the algorithm does that; null: never.
  bool (*supports)(const PlanRequest&) = nullptr;
  /// Null where one transform goes both ways (Algorithm::make_both).
  std::shared_ptr<Transform> (*make)(const PlanRequest&, const Device&...) = nullptr;
  /// Bytes of the host's memory that the transform and its calls for one image take at most, beside
  /// the image and its moments; works them out without taking any.
  double (*bytes)(const PlanRequest&) = nullptr;
};

/// `Device` is nothing on the CPU, gpu::GpuDevice for CUDA.
template <class... Device>
struct Algorithm {
  std::string_view name;  ///< for -v; algorithms that differ in their tables alone share it
  Direction<ForwardTransform, Device...> moments = {};
  Direction<BackwardTransform, Device...> images = {};
  std::shared_ptr<TwoWayTransform> (*make_both)(const PlanRequest&, const Device&...) = nullptr;
};
using CpuAlgorithm = Algorithm<>;

/// The first row that supports the request in a direction, &CpuAlgorithm::moments or ::images; null
/// where none does.
template <class Row, class Way>
const Row* first_that_supports(std::span<const std::type_identity_t<Row>* const> rows,
                               Way Row::*way, const PlanRequest& request) {
  for (const Row* row : rows) {
    const auto& direction = row->*way;
    if (direction.supports != nullptr && direction.supports(request)) return row;
  }
  return nullptr;
}

}  // namespace leafglyph
