// Segments a leaf in the middle of a photograph from a background that is not plain, such as the
// plant on which it grows. Only for the files that prepare photographs.
#pragma once

#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/leaf_candidates.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// The longer side of photographs in which cuts and their quality are computed.
inline constexpr int kCutSide = 112;
/// The photograph with that many pixels.
Photograph cut_size(const Photograph& photograph);

/// Share of the pixels of a small photograph (cut_size), away from the mask, across which grey
/// values change steeply. Paper and cloth have few, foliage and soil many. 0 if nothing is away.
double clutter_around(const Photograph& small, const Image<std::uint8_t>& mask);

/// The leaf in a small photograph (cut_size) by a graph cut (OpenCV's grabCut), from ellipses of
/// several sizes in its middle: masks of one part without holes, 1 inside. A cut that finds nothing
/// is left out. The same photograph has the same cuts, in any thread.
std::vector<Image<std::uint8_t>> cut_leaves(const Photograph& small);

/// How clearly a mask shows a leaf in a small photograph, 0 to 1: how much the colours on both
/// sides of its outline differ, times its solidity, times the share of the outline that is not on
/// the frame.
double mask_quality(const Photograph& small, const Image<std::uint8_t>& mask);

/// Whether most of what lies along the frame of a small photograph (cut_size) has the colour of its
/// middle, so that the leaf may fill the picture, with nothing around it to tell it from. False for
/// grey photographs and for middles that are about grey.
bool fills_picture(const Photograph& small);

/// A mask of a small photograph for the photograph in full: pixels near its outline belong to the
/// side whose colours near them are more like theirs, so that teeth are seen again. One part
/// without holes.
Image<std::uint8_t> refined_mask(const Photograph& photograph, const Image<std::uint8_t>& small);

/// Which mask shows the leaf of a photograph.
struct ClearestMask {
  Image<std::uint8_t> mask;  ///< of a graph cut; empty where the first candidate stays
  double quality = 1;        ///< mask_quality; 1 where it was not asked
};

/// Weighs the best candidate of best_candidate against the cuts by their quality, where its outline
/// is not clear and the background is not plain. Elsewhere it stays.
ClearestMask clearest_mask(const Photograph& photograph, const LeafCandidate& best);

}  // namespace leafglyph
