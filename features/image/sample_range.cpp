#include "features/image/sample_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/number_text.h"

namespace leafglyph {
namespace {

struct Depth {
  SampleDepth depth;
  std::string_view name;
  double peak;
};
constexpr std::array kDepths = {
    Depth{SampleDepth::k8Bit, "8-bit", 255.0},
    Depth{SampleDepth::k16Bit, "16-bit", 65535.0},
    Depth{SampleDepth::kFloat, "float", 1.0},
};

const Depth& entry(SampleDepth depth) { return kDepths[static_cast<std::size_t>(depth)]; }

}  // namespace

double SampleRange::lowest() const {
  return depth == SampleDepth::kFloat ? -std::numeric_limits<double>::infinity() : 0.0;
}

double SampleRange::highest() const {
  return depth == SampleDepth::kFloat ? std::numeric_limits<double>::infinity() : entry(depth).peak;
}

double SampleRange::clipped(double value) const { return std::clamp(value, lowest(), highest()); }

SampleRange full_range(SampleDepth depth) { return {depth, entry(depth).peak}; }

void validate(const SampleRange& range) {
  if (!(range.peak > 0.0) || !std::isfinite(range.peak)) {
    throw UsageError("the peak " + number_text(range.peak) + " of the samples; use one above 0");
  }
}

std::string_view depth_name(SampleDepth depth) { return entry(depth).name; }

SampleDepth depth_from_name(std::string_view name) {
  for (const Depth& depth : kDepths) {
    if (depth.name == name) return depth.depth;
  }
  throw UsageError("depth '" + std::string(name) + "' is unknown; use 8-bit, 16-bit or float");
}

std::string describe(const SampleRange& range) {
  return std::string(depth_name(range.depth)) + ", peak " + number_text(range.peak);
}

}  // namespace leafglyph
