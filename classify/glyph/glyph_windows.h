// Zernike moments of a glyph in overlapping round windows, and the distance between glyphs that
// they give.
//
// People confuse two characters when most of their parts coincide. A distance over the whole glyph
// does not show this, because a single different part changes every moment. Moments are therefore
// computed in small windows, and the unsquared distances of the windows are summed: a window that
// coincides adds nothing, whatever the others do. Moments are compared as complex values, because
// magnitudes would not distinguish a glyph from its rotated and mirrored images. Weights that fall
// with the order tolerate small differences at the edges of strokes. The same part is drawn a
// little higher or narrower beside a different neighbour, so each window may move to its best fit.
// Distances beyond the profile's saturation hardly grow, so that windows with nothing in common
// count alike, however much ink they hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/glyph/glyph_profile.h"
#include "gpu/plans.h"

namespace leafglyph {

/// The window moments of glyphs of one size. Immutable, so that threads can share it.
class GlyphWindows {
 public:
  /// `glyph_size`: side of the glyphs in pixels. Throws what validate(profile) throws.
  GlyphWindows(const GlyphProfile& profile, int glyph_size);

  std::size_t windows() const { return corners_.size(); }
  /// Numbers per window: the real and, for m > 0, imaginary parts of its moments, each times
  /// exp(-(n / falloff)^2) sqrt((pi / (n+1)) (m > 0 ? 2 : 1)) size / 2. Without the falloff, the
  /// squared Euclidean distance of two windows thus tends to the sum of the squared differences of
  /// their pixels, with ink from 0 to 1 (Parseval).
  std::size_t length() const { return length_; }
  /// How many of these belong to orders n <= order; they come first.
  std::size_t length_to(int order) const;
  std::size_t dimension() const { return windows() * length_; }
  /// Positions at which a window is tried, shortest moves first. Padded to a multiple of 16 by
  /// repeats.
  std::size_t lanes() const { return lanes_; }

  /// Unmoved windows: component k of window w of glyph g is fixed[(g * windows() + w) * length() +
  /// k]. It equals position 0 of moved() to the last bit. `ink`: glyph after glyph, rows from the
  /// top, 0 to 255.
  void fixed(std::span<const std::uint8_t> ink, std::span<float> fixed) const;

  /// Moved windows of one glyph: position s of component k of window w is moved[(w * length() + k)
  /// * lanes() + s]. Position 0 is the unmoved one.
  void moved(std::span<const std::uint8_t> ink, std::span<float> moved) const;

  /// The distance from glyph a, given by moved(), to glyph b, given by fixed(): 1 / W sum_w g(min_s
  /// |a_w^s - b_w|), where g(d) = 1 - exp(-(d / h)^2) with h = saturation size / 24, or g(d) = d
  /// without saturation. The distance of two glyphs is the mean of both directions. It is
  /// symmetric, and 0 for equal glyphs, but is not a metric: the triangle inequality need not hold.
  double one_way(std::span<const float> moved_a, std::span<const float> fixed_b) const;

  /// The data that another implementation of the same windows needs (the explorer's page).
  struct Layout {
    int window_size;                          ///< side of a window in pixels
    std::vector<std::array<int, 2>> corners;  ///< row and column of the first pixel of each window
    std::vector<std::array<int, 2>> moves;    ///< vertical and horizontal, the shortest first
    std::span<const float> basis;             ///< component k of pixel p at [k * pixels + p]
    double saturation;                        ///< h; 0: none
  };
  Layout layout() const;

  /// The data of one glyph for search(): the first components of its windows, at their nearest
  /// positions.
  class Sought;
  Sought sought(std::span<const std::uint8_t> ink, int order) const;

  /// Adds to sums[i] an approximation of one_way() from `glyph` to row i: the same sum over the
  /// windows, but over fewer positions and components, and with g(d) = d^2 / (d^2 + h^2), which
  /// grows similarly. Component k of window w of row i is rows[(w * length_to(order) + k) * stride
  /// + i], for i < sums.size(), which is a multiple of 16.
  void search(const Sought& glyph, const float* rows, std::size_t stride,
              std::span<float> sums) const;

 private:
  struct Corner {
    int row;
    int column;
  };

  void build_basis(const GlyphProfile& profile);
  double saturated(double square) const;
  // A glyph with a blank margin that every moved window stays within.
  void fill_canvas(const std::uint8_t* ink, std::vector<float>& canvas) const;
  // The first `kept` components of all windows at one position, window after window.
  void project(const std::vector<float>& canvas, const Corner& move, std::size_t kept,
               std::vector<float>& rows) const;

  int glyph_size_;
  int window_size_ = 0;
  int margin_ = 0;  // blank pixels around a glyph on its canvas
  int canvas_side_ = 0;
  std::vector<Corner> corners_;  // top left pixel of each unmoved window
  std::vector<Corner> moves_;    // moves, (0, 0) first
  double saturation_ = 0.0;      // h; 0: none
  std::size_t length_ = 0;
  std::size_t lanes_ = 0;
  std::vector<float> basis_;  // length x window pixels: weighted moments of unit pixels
};

class GlyphWindows::Sought {
 private:
  friend class GlyphWindows;
  std::size_t positions_ = 0;
  std::size_t kept_ = 0;
  std::vector<float> doubled_;  // as in SoughtWindow, window after window
  std::vector<float> squares_;
};

}  // namespace leafglyph
