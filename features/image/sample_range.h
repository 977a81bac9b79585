// Depths of image samples, and the value of white in each. No other file defines these.
#pragma once

#include <string>

#include "features/base/names.h"

namespace leafglyph {

/// How an image stores a sample.
enum class SampleDepth { k8Bit, k16Bit, kFloat };
template <>
inline constexpr Names<SampleDepth, 3> kNamesOf<SampleDepth> = {"depth",
                                                                {{{SampleDepth::k8Bit, "8-bit"},
                                                                  {SampleDepth::k16Bit, "16-bit"},
                                                                  {SampleDepth::kFloat, "float"}}}};

/// Whether a computed image is compared with its original as it would be stored, rounded to whole
/// samples, or with its own values.
enum class Rounding { kSamples, kNone };

/// The values that the samples of an image can have.
struct SampleRange {
  SampleDepth depth = SampleDepth::k8Bit;
  double peak = 255.0;  ///< white: the peak value in PSNR and structural similarity

  /// The range of values that a sample of the depth can have: 0 to 255 or 65535; unlimited for
  /// floats.
  double lowest() const;
  double highest() const;
  /// The nearest value in that range to `value`, not rounded.
  double clipped(double value) const;
  /// What PSNR and structural similarity compare: clipped, and with kSamples also rounded, unless
  /// the samples are floats.
  double compared(double value, Rounding rounding) const;

  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

/// The range of a depth, with peak 255, 65535 or 1.
SampleRange full_range(SampleDepth depth);

/// Throws UsageError unless the peak is finite and above 0.
void validate(const SampleRange& range);

/// "16-bit, peak 65535"
std::string describe(const SampleRange& range);

}  // namespace leafglyph
