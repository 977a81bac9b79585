#include "features/image/sample_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr Names<SampleDepth, 3> kDepths = {"depth",
                                           {{{SampleDepth::k8Bit, "8-bit"},
                                             {SampleDepth::k16Bit, "16-bit"},
                                             {SampleDepth::kFloat, "float"}}}};
constexpr std::array<double, 3> kPeaks = {255.0, 65535.0, 1.0};

double peak_of(SampleDepth depth) { return kPeaks[static_cast<std::size_t>(depth)]; }

}  // namespace

double SampleRange::lowest() const {
  return depth == SampleDepth::kFloat ? -std::numeric_limits<double>::infinity() : 0.0;
}

double SampleRange::highest() const {
  return depth == SampleDepth::kFloat ? std::numeric_limits<double>::infinity() : peak_of(depth);
}

double SampleRange::clipped(double value) const { return std::clamp(value, lowest(), highest()); }

SampleRange full_range(SampleDepth depth) { return {depth, peak_of(depth)}; }

void validate(const SampleRange& range) {
  if (!(range.peak > 0.0) || !std::isfinite(range.peak)) {
    throw UsageError("the peak " + number_text(range.peak) + " of the samples; use one above 0");
  }
}

std::string_view depth_name(SampleDepth depth) { return name_of(kDepths, depth); }
SampleDepth depth_from_name(std::string_view name) { return from_name(kDepths, name); }

std::string describe(const SampleRange& range) {
  return std::string(depth_name(range.depth)) + ", peak " + number_text(range.peak);
}

}  // namespace leafglyph
