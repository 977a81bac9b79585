// What a transform costs: how often it does each of a few things, times how long each takes. Plans
// take the algorithm that costs least.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "features/base/names.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// What a transform is made for. spec and size are valid (validate(spec, size)).
struct PlanRequest {
  MomentSpec spec;
  ArraySize size;
  Precision precision = Precision::kDouble;
  /// About how many images come, as far as calls have them together. Says which algorithm is the
  /// cheapest, and nothing else.
  std::size_t images = 1;

  int image_size() const { return size.width; }  ///< N for the families on the disk
  /// 1 / the images that share what is done once for `most` of them.
  double share(std::size_t most) const {
    return 1.0 / static_cast<double>(std::clamp<std::size_t>(images, 1, most));
  }
};

/// How often a transform does each of a few things; which, the algorithm says where it counts them.
inline constexpr std::size_t kWorkKinds = 8;
using WorkCounts = std::array<double, kWorkKinds>;

/// The work for the tables of a transform, and for an image when all have come.
struct TransformWork {
  WorkCounts plan{};
  WorkCounts image{};
};

/// Nanoseconds.
struct Cost {
  double plan = 0.0;
  double image = 0.0;

  double of(std::size_t images) const { return plan + static_cast<double>(images) * image; }
};

/// The two directions of a transform.
enum class Way { kMoments, kImages };
template <>
inline constexpr Names<Way, 2> kNamesOf<Way> = {
    "direction", {{{Way::kMoments, "moments"}, {Way::kImages, "images"}}}};

/// How many nanoseconds an algorithm takes for each thing once: a thread of the CPU, or the GPU
/// together with the thread that calls it.
struct WorkTimes {
  std::string_view back_end;   ///< cpu or cuda
  std::string_view algorithm;  ///< Algorithm::name
  Way way = Way::kMoments;
  Precision precision = Precision::kDouble;
  WorkCounts plan{};
  WorkCounts image{};
};

/// The times that tools/bench/bench_algorithms fitted to measurements (fitted_times.cpp).
std::span<const WorkTimes> fitted_times();

/// The cost of that work. An algorithm without times for a precision takes those of double; one
/// without any, such as one of yours, costs nothing.
Cost cost_of(const TransformWork& work, std::string_view back_end, std::string_view algorithm,
             Way way, Precision precision);

}  // namespace leafglyph
