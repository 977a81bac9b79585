#include "classify/families/family_comparison.h"

#include <algorithm>
#include <chrono>
#include <complex>
#include <functional>
#include <map>
#include <set>

#include "features/base/errors.h"
#include "features/image/image_quality.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

FamilyPoint point_at(const ComparedFamily& family, int order) {
  validate(comparison_spec(family.kind, order));
  FamilyPoint point;
  point.family = family;
  point.order = order;
  point.moments = independent_count(family.family(), order);
  return point;
}

// Reconstructs the image from its moments and fills in the times.
std::vector<double> back_from_moments(std::span<const double> image, int size, PlanOptions options,
                                      FamilyPoint& point) {
  options.images = 1;
  const MomentSpec spec = comparison_spec(point.family.kind, point.order);
  const auto plan = make_moment_plan(spec, size, options);
  plan->prepare(MomentPlan::Direction::kMoments);
  plan->prepare(MomentPlan::Direction::kImages);
  std::vector<std::complex<double>> moments(plan->moment_count());
  std::vector<double> back(image.size());
  point.compute_seconds = seconds_of([&] { plan->moments(ImageBatch(image, 1, size), moments); });
  point.image_seconds = seconds_of([&] {
    plan->reconstruct(moments, {0, point.order, Repetitions::kAll}, back);
  });
  return back;
}

}  // namespace

ComparedFamily compared_family_from_name(std::string_view name) {
  return {std::string(name), weighted_family_from_text(name)};
}

std::size_t independent_count(Family family, int order) {
  std::size_t count = 0;
  for (const MomentIndex& index : moment_indices(family, order)) {
    count += is_circular(family) && index.m > 0 ? 2 : 1;
  }
  return count;
}

int order_for_count(Family family, std::size_t count) {
  int order = family.row().lowest_order;
  while (independent_count(family, order + 1) <= count) ++order;
  return order;
}

MomentSpec comparison_spec(const WeightedFamily& family, int order) {
  MomentSpec spec;
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = order;
  spec.method = default_method(family.family);
  return spec;
}

std::vector<FamilyPoint> points_by_count(std::span<const ComparedFamily> families,
                                         std::span<const std::size_t> counts) {
  if (counts.empty()) throw UsageError("no number of moments is given to compare at");
  std::vector<FamilyPoint> points;
  for (const std::size_t count : counts) {
    for (const ComparedFamily& family : families) {
      points.push_back(point_at(family, order_for_count(family.family(), count)));
    }
  }
  return points;
}

std::vector<FamilyPoint> points_by_order(std::span<const ComparedFamily> families,
                                         std::span<const int> orders) {
  if (orders.empty()) throw UsageError("no order is given to compare at");
  std::vector<FamilyPoint> points;
  for (const int order : orders) {
    for (const ComparedFamily& family : families) points.push_back(point_at(family, order));
  }
  return points;
}

void add_reconstructions(std::span<const double> image, int size, const SampleRange& range,
                         const PlanOptions& options, std::span<FamilyPoint> points) {
  const Image<unsigned char> mask = DiskGrid(size, Mask::kWhole).mask();
  for (FamilyPoint& point : points) {
    throw_if_interrupted();
    const std::vector<double> back = back_from_moments(image, size, options, point);
    point.psnr = image_error(image, back, mask, range).psnr_disk;
  }
}

void add_leaf_accuracy(const LeafConfig& config, const LeafRun& run,
                       std::span<FamilyPoint> points) {
  std::map<std::string, std::vector<FamilyPoint*>> families;
  for (FamilyPoint& point : points) families[point.family.name].push_back(&point);
  for (const auto& [name, of_family] : families) {
    std::set<int> distinct;
    for (const FamilyPoint* point : of_family) distinct.insert(point->order);
    const std::vector<int> orders(distinct.begin(), distinct.end());
    LeafConfig changed = config;
    changed.features.family = of_family.front()->family.kind.family;
    changed.features.weight = of_family.front()->family.kind.weight;
    changed.features.order = orders.back();
    const LeafSweep sweep = sweep_leaves(changed, orders, run);
    for (FamilyPoint* point : of_family) {
      const auto measured =
          std::find_if(sweep.points.begin(), sweep.points.end(),
                       [&](const SweepPoint& other) { return other.order == point->order; });
      if (measured != sweep.points.end()) point->leaf_accuracy = measured->top1.mean;
    }
  }
}

}  // namespace leafglyph
