// A character of any size and shape, brought to one frame by its moments and its strokes.
#pragma once

#include <span>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

class Keys;

/// The frame of every character. The circle inscribed in it is the unit circle of the moments.
struct CharacterFrame {
  int size = 64;  ///< S: pixels per side
  /// The geometric mean of the ink's two standard deviations, along x and along y, in radii of the
  /// unit circle.
  double spread = 0.458;
  /// The share of the logarithm of their ratio that is taken away: 0 keeps the shape, 1 makes them
  /// equal.
  double squaring = 0.5;
  /// How far lines move towards equal density: 0 not at all, 1 completely.
  double density = 0.5;
  /// How far the middle of the frame moves along x and along y, in halves of its side: 0.1 gives
  /// the left half nine tenths of the room that it has. A view of a frame has others than 0.
  double bend_x = 0, bend_y = 0;
  friend bool operator==(const CharacterFrame&, const CharacterFrame&) = default;
};

/// The largest bend: beyond 1/2 the order of pixels would change.
inline constexpr double kMostBend = 0.4;

/// The keys of the mapping `frame`: of a frame that is not bent.
void declare(Keys& keys, CharacterFrame& frame);

/// The ink (0 paper, 1 stroke) of one character in its frame, size x size values from 0 to 1. With
/// the centroid (cx, cy) of the ink and its standard deviations sx and sy, pixel u of the frame
/// along x shows
///     cx + (u - (S - 1) / 2) kx,   kx = sx^((1 + q) / 2) sy^((1 - q) / 2) / (spread S / 2)
/// with q = squaring, and likewise along y (moment normalisation: Casey, Moment normalization of
/// handprinted characters, IBM J. Res. Dev. 14, 1970). Of a straight stroke the smaller deviation
/// counts as 0.14 times the larger, so that 一 does not become a square; either is at least half a
/// pixel. Interpolation is cubic; where the picture has more than 1.6 pixels per pixel of the
/// frame, k of them, it is smoothed by a Gaussian of (k - 1) / 2 pixels first. Of a bent frame,
/// with t = (2 u - S + 1) / S, pixel u shows what u + bend_x (1 - t^2) S / 2 shows otherwise.
///
/// Then columns and rows with many edges get more room (line density equalisation: Tsukumo and
/// Tanaka, Classification of handprinted Chinese characters using nonlinear normalization and
/// correlation methods, ICPR 1988; Yamada, Yamamoto and Saito, A nonlinear normalization method for
/// handprinted Kanji character recognition, Pattern Recognition 23, 1990). The density of a column
/// is the sum of the horizontal differences in it, smoothed, plus 1.2 times its mean; a pixel shows
/// the mean, weighted by `density`, of its own place and of that with the same share of the density
/// before it.
///
/// All 0 if there is no ink. Never throws for a valid frame and finite values.
Image<float> normalised(const Image<float>& ink, const CharacterFrame& frame);
/// The ink in several frames of one size. What they share is computed once.
std::vector<Image<float>> normalised(const Image<float>& ink,
                                     std::span<const CharacterFrame> frames);

}  // namespace leafglyph
