// Zernike moments of a glyph in overlapping round windows, and the distance that they give.
//
// Two characters are confused when most of their parts coincide. A distance over the whole glyph
// does not say so: one different part changes every moment of it. Hence moments in small windows,
// and the sum of the windows' unsquared distances, in which a window that coincides counts for
// nothing whatever the others do. Complex values, not magnitudes, tell a glyph from its turned and
// mirrored images. Weights that fall with the order forgive the exact edge of a stroke. And since
// the same part is drawn a little higher or narrower beside another neighbour, each window may move
// by a pixel to its best fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/glyph/glyph_profile.h"
#include "gpu/plans.h"

namespace leafglyph {

/// The window moments of glyphs of one size. Immutable, so that threads share it.
class GlyphWindows {
 public:
  /// `glyph_size`: side of the glyphs in pixels. Errors as validate(profile).
  GlyphWindows(const GlyphProfile& profile, int glyph_size);

  std::size_t windows() const { return corners_.size(); }
  /// Numbers a window: the real and, for m > 0, imaginary parts of its moments, each times
  ///   exp(-(n / falloff)^2) sqrt((pi / (n+1)) (m > 0 ? 2 : 1)) size / 2,
  /// so that without the falloff the squared Euclidean distance of two windows tends to the sum of
  /// the squared differences of their pixels (Parseval), ink from 0 to 1.
  std::size_t length() const { return length_; }
  /// How many of them belong to orders n <= order; they come first.
  std::size_t length_to(int order) const;
  std::size_t dimension() const { return windows() * length_; }
  /// Positions that a window is tried at, the unmoved one first, repeated up to a multiple of 16.
  std::size_t lanes() const { return lanes_; }

  /// Unmoved windows: component k of window w of glyph g is
  /// fixed[(g * windows() + w) * length() + k]. `ink`: glyph after glyph, rows from the top,
  /// 0 to 255.
  void fixed(std::span<const std::uint8_t> ink, std::span<float> fixed) const;

  /// Moved windows: position s of component k of window w of glyph g is
  /// moved[((g * windows() + w) * length() + k) * lanes() + s].
  void moved(std::span<const std::uint8_t> ink, std::span<float> moved) const;

  /// d(a, b) = 1 / (2 W) sum_w [ min_s |a_w^s - b_w^0| + min_s |a_w^0 - b_w^s| ]
  /// of two glyphs, from moved() of each; position 0 is the unmoved one. Symmetric, 0 for equal
  /// glyphs, but no metric: the triangle inequality need not hold.
  double distance(std::span<const float> moved_a, std::span<const float> moved_b) const;

 private:
  struct Corner {
    int row;
    int column;
  };

  void build_basis(const GlyphProfile& profile);
  // A glyph with a blank margin that every moved window stays within.
  void fill_canvas(const std::uint8_t* ink, std::vector<float>& canvas) const;
  // The window's pixels on the canvas, at the given move, to patch[0 ...].
  void copy_patch(const std::vector<float>& canvas, const Corner& corner, const Corner& move,
                  float* patch) const;
  // Moments of the patches (count x window pixels), in rows of length().
  std::vector<float> multiply(const std::vector<float>& patches) const;

  int glyph_size_;
  int window_size_ = 0;
  int margin_ = 0;  // blank pixels around a glyph on its canvas
  int canvas_side_ = 0;
  std::vector<Corner> corners_;  // top left pixel of each unmoved window
  std::vector<Corner> moves_;    // moves, (0, 0) first
  std::size_t length_ = 0;
  std::size_t lanes_ = 0;
  std::vector<float> basis_;  // length x window pixels: weighted moments of unit pixels
};

}  // namespace leafglyph
