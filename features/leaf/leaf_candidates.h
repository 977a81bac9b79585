// Several ways to part the leaf of a photograph from its background, and which of them did best.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// What a photograph is parted by. All but the first and the last part grey values that were
/// levelled: first by the light that is named, then by light_around what that gave.
enum class PartedBy {
  kGrey,            ///< the grey values as they are
  kSmoothLight,     ///< by smooth_light
  kWideEnvelope,    ///< by envelope_light of a wide square
  kNarrowEnvelope,  ///< ... of a narrow one
  kEdges,           ///< inside closed sharp edges of the logarithm, which no light changes
  kColour,          ///< distance of the chromaticity from that along the frame
};
std::string_view parted_by_name(PartedBy by);  ///< "grey", "smooth light", ... for notes

/// How well a mask's outline and shape agree with a leaf on paper.
struct OutlineScore {
  /// Mean over the outline of the step across it, of what sets leaf and background apart in the
  /// whole picture, at most 1; 0 on the frame. A leaf's edge is sharp, a shadow's is not.
  double sharpness = 0;
  /// Share of the outline that is nearly as steep as its steeper half: where a shadow goes with a
  /// leaf the outline is steep here and gentle there.
  double evenness = 0;
  double solidity = 0;  ///< area / area of the convex hull
  double in_parts = 0;  ///< share of the foreground in parts of the size of a leaf; clutter is not
  double contrast = 0;  ///< grey values between foreground and background, of the parted picture
  double border = 0;    ///< share of the frame that the mask covers
  int crossing = 0;     ///< parts of the size of a leaf that touch two sides of the frame
  double total() const;
};

struct LeafCandidate {
  PartedBy by = PartedBy::kGrey;
  bool leaf_is_dark = true;    ///< of the grey ones
  Image<std::uint8_t> binary;  ///< 1 where the foreground is
  int threshold = 0;           ///< Otsu's, of the parted picture
  OutlineScore score;
};

/// The candidate that scores best, found on the photograph reduced to kCandidateSide pixels and
/// made again at its full size: the photograph's own grey values unless another is clearly better,
/// and its colours before grey values that are little better, since shadows have the colour of the
/// paper. Light of the paper, dark leaves or the other way round as `background` says; either with
/// Background::kAuto.
LeafCandidate best_candidate(const Photograph& photograph, Background background);
inline constexpr int kCandidateSide = 512;
/// Below this difference between the mean grey values of the two classes a photograph shows paper
/// and its shading, not a leaf, and colours are those of the light. The faintest Flavia leaf
/// has 52.
inline constexpr double kLeastContrast = 16;

/// Standard deviation of white noise, from the median of second differences; detail makes little
/// of it.
double noise_of(const Image<std::uint8_t>& grey);

}  // namespace leafglyph
