#include "features/jacobi/jacobi_moments.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/jacobi/jacobi_cpu.h"
#include "gpu/devices.h"
#include "gpu/jacobi/jacobi_moments.h"

namespace leafglyph {
namespace {

std::string sizes_text(const CartesianSpec& spec) {
  std::string text = std::to_string(spec.width) + " x " + std::to_string(spec.height);
  if (spec.is_volume()) text += " x " + std::to_string(spec.depth);
  return text;
}

CartesianSpec shrunk(const CartesianSpec& spec, double factor) {
  CartesianSpec smaller = spec;
  const auto shrink = [factor](int length) {
    return std::max(1, static_cast<int>(length * factor));
  };
  smaller.width = shrink(spec.width);
  smaller.height = shrink(spec.height);
  if (spec.is_volume()) smaller.depth = shrink(spec.depth);
  return smaller;
}

// Work memory and the larger of what goes in and comes out.
std::size_t wanted_bytes(const CartesianSpec& spec, Precision precision) {
  return cartesian_work_bytes(spec, precision) +
         sizeof(double) * std::max(spec.element_count(), spec.moment_count());
}

// Refuses what this machine's memory does not hold; a plan on a GPU checks that one's as well.
void check_volume_memory(const CartesianSpec& spec, Precision precision) {
  const std::size_t wanted = wanted_bytes(spec, precision);
  const std::size_t available = available_memory_bytes();
  if (wanted > available) {
    CartesianSpec smaller = spec;
    for (double factor = 0.95; factor > 1e-6 && wanted_bytes(smaller, precision) > available;
         factor *= 0.95) {
      smaller = shrunk(spec, factor);
    }
    const bool fits = wanted_bytes(smaller, precision) <= available;
    check_memory(static_cast<double>(wanted),
                 "an array of " + sizes_text(spec) + " to order " + std::to_string(spec.order),
                 fits ? sizes_text(smaller) + " would fit" : "only a lower order would fit");
  }
}

}  // namespace

std::size_t CartesianSpec::moment_count() const {
  return cartesian_count(is_volume() ? 3 : 2, order);
}

void validate(const CartesianSpec& spec) {
  if (spec.width < 1 || spec.height < 1 || spec.depth < 0) {
    throw UsageError("an array of " + sizes_text(spec) + "; every axis needs 1 or more");
  }
  if (std::max({spec.width, spec.height, spec.depth}) > kMaxCartesianLength) {
    throw UsageError("an array of " + sizes_text(spec) + "; no axis may be longer than " +
                     std::to_string(kMaxCartesianLength));
  }
  if (spec.order < 0 || spec.order > kMaxCartesianOrder) {
    throw UsageError("order " + std::to_string(spec.order) + "; use 0 to " +
                     std::to_string(kMaxCartesianOrder));
  }
  if (spec.method != Method::kExact) validate_points_a_side(spec.points);
  validate(spec.weight);
}

std::size_t cartesian_count(int dimensions, int order) {
  if (order < 0) return 0;
  const auto t = static_cast<std::size_t>(order);
  const std::size_t square = (t + 1) * (t + 2) / 2;
  return dimensions == 3 ? square * (t + 3) / 3 : square;
}

std::size_t cartesian_position(int m, int n) {
  return cartesian_count(2, m + n - 1) + static_cast<std::size_t>(n);
}

std::size_t cartesian_position(int m, int n, int o) {
  const int total = m + n + o;
  // before this o: total + 1, total, ... moments
  const auto before = static_cast<std::size_t>(o) * static_cast<std::size_t>(2 * total + 3 - o) / 2;
  return cartesian_count(3, total - 1) + before + static_cast<std::size_t>(n);
}

CartesianMoments::CartesianMoments(const CartesianSpec& spec) : spec_(spec) { validate(spec); }

void CartesianMoments::moments(std::span<const double> values, std::span<double> out) {
  if (values.size() != spec_.element_count() || out.size() != spec_.moment_count()) {
    throw UsageError("an array of " + std::to_string(values.size()) + " values and room for " +
                     std::to_string(out.size()) + " moments, but the plan is for " +
                     sizes_text(spec_) + " values and " + std::to_string(spec_.moment_count()) +
                     " moments");
  }
  compute_moments(values, out);
  // A value that is not finite makes every moment so.
  if (std::isfinite(out[0])) return;
  const auto bad = std::find_if_not(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == values.end()) throw InputError("the values are too large for their moments");
  const auto element = static_cast<std::size_t>(bad - values.begin());
  const auto width = static_cast<std::size_t>(spec_.width);
  const auto height = static_cast<std::size_t>(spec_.height);
  throw InputError("the value in slice " + std::to_string(element / (width * height)) + ", row " +
                   std::to_string(element / width % height) + ", column " +
                   std::to_string(element % width) + " is not a finite number");
}

void CartesianMoments::reconstruct(std::span<const double> moments, int order,
                                   std::span<double> values) {
  if (order < 0 || order > spec_.order) {
    throw UsageError("order " + std::to_string(order) + "; the plan goes from 0 to " +
                     std::to_string(spec_.order));
  }
  const std::size_t needed = cartesian_count(spec_.is_volume() ? 3 : 2, order);
  if (values.size() != spec_.element_count() || moments.size() < needed) {
    throw UsageError("room for " + std::to_string(values.size()) + " values and " +
                     std::to_string(moments.size()) + " moments, but order " +
                     std::to_string(order) + " of " + sizes_text(spec_) + " values needs " +
                     std::to_string(needed));
  }
  compute_values(moments.first(needed), order, values);
}

std::unique_ptr<CartesianMoments> make_cartesian_moments(const CartesianSpec& spec,
                                                         const EngineOptions& options) {
  validate(spec);
  check_volume_memory(spec, options.precision);
  std::string reason;
  const std::vector<GpuDevice> gpus = select_gpus(options.device, reason);
  std::unique_ptr<CartesianMoments> plan;
  if (gpus.empty()) {
    plan = make_cartesian_cpu(spec, options.precision);
  } else {
    plan = make_gpu_cartesian(spec, options.precision, gpus.front());
  }
  if (options.log) {
    options.log("Jacobi moments: " + plan->describe() +
                (reason.empty() ? std::string() : "; not on a GPU: " + reason));
  }
  return plan;
}

}  // namespace leafglyph
