// Several ways to segment the leaf of a photograph from its background, and which of them worked
// best.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/leaf/outline_score.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// How a photograph is segmented. All but the first and the last segment corrected grey values:
/// divided first by the named estimate of the light, then by light_around the result.
enum class SegmentedBy {
  kGrey,            ///< the grey values as they are
  kSmoothLight,     ///< by smooth_light
  kWideEnvelope,    ///< by envelope_light of a wide square
  kNarrowEnvelope,  ///< ... of a narrow one
  kEdges,           ///< inside closed sharp edges of the logarithm, which the light does not change
  kColour,          ///< distance of the chromaticity from that along the frame
};
template <>
inline constexpr Names<SegmentedBy, 6> kNamesOf<SegmentedBy> = {
    "way to segment the leaf",
    {{{SegmentedBy::kGrey, "grey"},
      {SegmentedBy::kSmoothLight, "smooth light"},
      {SegmentedBy::kWideEnvelope, "wide envelope"},
      {SegmentedBy::kNarrowEnvelope, "narrow envelope"},
      {SegmentedBy::kEdges, "edges"},
      {SegmentedBy::kColour, "colour"}}}};

struct LeafCandidate {
  SegmentedBy by = SegmentedBy::kGrey;
  bool leaf_is_dark = true;    ///< of the grey ones
  Image<std::uint8_t> binary;  ///< 1 where the foreground is
  int threshold = 0;           ///< Otsu's, of the segmented picture
  OutlineScore score;
  bool light_is_even = false;  ///< the light on the paper around it was measured, and is even
  std::optional<LargestPart> largest = {};  ///< of `binary`, where it was looked for
};

/// The candidate that scores best, found on the photograph halved while at least kCandidateSide
/// pixels of its longer side are left, and made again at its full size: the photograph's own grey
/// values unless another is clearly better, and its colours before grey values that are little
/// better, since shadows have the colour of the paper. Light of the paper, dark leaves or the other
/// way round as `background` says; either with Background::kAuto.
LeafCandidate best_candidate(const Photograph& photograph, Background background);
inline constexpr int kCandidateSide = 384;
/// If the mean grey values of the two classes differ by less, the photograph shows paper and its
/// shading, not a leaf, and colours are those of the light. The faintest Flavia leaf has 52.
inline constexpr double kLeastContrast = 16;

/// Standard deviation of white noise, from the median of second differences, which ignores detail.
/// 0 if it is below `least`, which takes less time to find out.
double noise_of(const Image<std::uint8_t>& grey, double least = 0);

}  // namespace leafglyph
