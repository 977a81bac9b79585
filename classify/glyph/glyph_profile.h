// How two characters are compared in the search for look-alikes.
#pragma once

#include <cstddef>
#include <string>

#include "classify/glyph/lookalike_measure.h"

namespace leafglyph {

class Keys;

/// Zernike moments in a grid of overlapping round windows. Lengths are in pixels of a glyph of
/// 24 x 24 and scale with the glyph. The reasons for this form are in glyph_windows.h.
struct GlyphProfile {
  int grid = 5;        ///< windows per side
  double window = 8;   ///< diameter of a window
  double reach = 9;    ///< distance of the outermost window centres from the glyph's centre
  int order = 6;       ///< Zernike moments of order n <= order in each window
  double falloff = 4;  ///< weight exp(-(n / falloff)^2) of the moments of order n
  int shift = 2;       ///< a window may move by up to this many pixels in each direction
  double saturation =
      0.85;  ///< distance of windows that counts as 1 - 1/e of a complete mismatch; 0: unlimited
  std::size_t shortlist = 64;  ///< candidates by moments of low orders, then compared exactly
  int shortlist_order = 2;     ///< order of those moments
  LookalikeMeasure measure = LookalikeMeasure::kReaders;  ///< what orders the shortlist
  /// Whether all forms of a kana (は ば ぱ, つ っ) are results; otherwise one of each, and none of
  /// the query's own. By windows always.
  bool forms = false;

  friend bool operator==(const GlyphProfile&, const GlyphProfile&) = default;
};

/// The keys of the mapping `lookalikes`, beside its fonts.
void declare(Keys& keys, GlyphProfile& profile);
/// Throws UsageError with the parameter that is out of range.
void validate(const GlyphProfile& profile);

/// Every parameter that moments and distances depend on, in one line.
std::string describe(const GlyphProfile& profile);

}  // namespace leafglyph
