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

double SampleRange::compared(double value, Rounding rounding) const {
  const bool rounds = rounding == Rounding::kSamples && depth != SampleDepth::kFloat;
  return rounds ? std::round(clipped(value)) : clipped(value);
}

SampleRange full_range(SampleDepth depth) { return {depth, peak_of(depth)}; }

void validate(const SampleRange& range) {
  if (!(range.peak > 0.0) || !std::isfinite(range.peak)) {
    throw UsageError("the peak " + number_text(range.peak) + " of the samples; use one above 0");
  }
}

std::string describe(const SampleRange& range) {
  return std::string(name_of(range.depth)) + ", peak " + number_text(range.peak);
}

}  // namespace leafglyph
