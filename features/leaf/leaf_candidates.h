// Several methods for segmenting the leaf of a photograph from its background, and the choice of
// the best result.
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

/// Segmentation method. kSmoothLight to kEdges segment levelled grey values: the named method gives
/// a first foreground, the grey values are divided by light_around it, and the result is segmented.
enum class SegmentedBy {
  kGrey,            ///< the grey values without levelling
  kSmoothLight,     ///< first foreground by smooth_light
  kWideEnvelope,    ///< first foreground by envelope_light with a wide square
  kNarrowEnvelope,  ///< first foreground by envelope_light with a narrow square
  kEdges,           ///< first foreground inside closed sharp edges of the logarithm, which light
                    ///< does not change
  kUnruled,         ///< the grey values without the thin dark lines printed on the paper
  kColour,          ///< difference between the chromaticity and that along the frame
  kDarkColour,      ///< difference between the colour and those of paper in light or shadow
};
template <>
inline constexpr Names<SegmentedBy, 8> kNamesOf<SegmentedBy> = {
    "way to segment the leaf",
    {{{SegmentedBy::kGrey, "grey"},
      {SegmentedBy::kSmoothLight, "smooth light"},
      {SegmentedBy::kWideEnvelope, "wide envelope"},
      {SegmentedBy::kNarrowEnvelope, "narrow envelope"},
      {SegmentedBy::kEdges, "edges"},
      {SegmentedBy::kUnruled, "closing the lines on the paper"},
      {SegmentedBy::kColour, "colour"},
      {SegmentedBy::kDarkColour, "colour and darkness"}}}};

struct LeafCandidate {
  SegmentedBy by = SegmentedBy::kGrey;
  bool leaf_is_dark = true;    ///< for the grey methods
  Image<std::uint8_t> binary;  ///< 1 on the foreground
  int threshold = 0;           ///< Otsu's threshold for the segmented picture
  OutlineScore score;
  bool light_is_even = false;  ///< the light on the surrounding paper was measured and is even
  std::optional<LargestPart> largest = {};  ///< of `binary`, if it was determined
};

/// The candidate with the best score. Candidates are compared on the photograph, halved while its
/// longer side keeps at least kCandidateSide pixels; the best one is then computed at full size.
/// The plain grey values are preferred unless another candidate is clearly better. Colours, and
/// ruled paper without its lines, are preferred to grey values that are only slightly better,
/// because shadows have the colour of the paper, and lines would count as uneven light. Colours
/// that are darker than a shadow replace chromaticities only if they are clearly better.
/// `background` states whether dark leaves lie on light paper or light leaves on a dark background;
/// Background::kAuto tries both.
LeafCandidate best_candidate(const Photograph& photograph, Background background);
inline constexpr int kCandidateSide = 384;
/// If the mean grey values of the two classes differ by less than this, the photograph shows paper
/// and its shading, not a leaf, and its colours are those of the light. The faintest Flavia leaf
/// has 52.
inline constexpr double kLeastContrast = 16;

/// The grey values without dark lines that are thinner than a hundredth of the longer side (a
/// closing by a square). What else is as thin vanishes, too.
Image<std::uint8_t> without_lines(const Image<std::uint8_t>& grey);

/// Standard deviation of white noise, from the median magnitude of second differences, which
/// ignores detail. Returns 0 if it is below `least`, which is faster to determine.
double noise_of(const Image<std::uint8_t>& grey, double least = 0);

}  // namespace leafglyph
