// A row of the registry: one algorithm on one back end, what it supports, how it is made and how
// much memory it takes. Each algorithm's folder holds its row; gpu/plans.cpp lists them all.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// What a transform is made for. spec and size are valid (validate(spec, size)).
struct PlanRequest {
  MomentSpec spec;
  ArraySize size;
  Precision precision = Precision::kDouble;

  int image_size() const { return size.width; }  ///< N for the families on the disk
};

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
  /// About how many multiply-adds one image takes on the CPU, apart from tables, within a factor of
  /// two. Null: not known.
  double (*operations)(const PlanRequest&) = nullptr;
};

/// `Device` is empty on the CPU, gpu::GpuDevice for CUDA.
template <class... Device>
struct Algorithm {
  std::string_view name;  ///< for -v; shared by algorithms that differ only in their tables
  Direction<ForwardTransform, Device...> moments = {};
  Direction<BackwardTransform, Device...> images = {};
  std::shared_ptr<TwoWayTransform> (*make_both)(const PlanRequest&, const Device&...) = nullptr;
};
using CpuAlgorithm = Algorithm<>;

/// The first row that supports the request in a direction, &CpuAlgorithm::moments or ::images. Null
/// if there is none.
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
