// How alike two glyphs are drawn as a whole: by the directions of their edges, each neighbourhood
// of which may move to where the other glyph has its like.
//
// The windows (glyph_windows.h) ask whether parts coincide. Readers also confuse characters that
// share no part because the same strokes lie a little elsewhere. Their edges show it: a stroke that
// is moved keeps its direction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph {

/// The edges of a glyph, in a form that is compared quickly.
using GlyphEdges = std::vector<float>;

/// `ink`: size x size, rows from the top, 0 to 255; other sizes than 24 are brought to it. Edges
/// are those of DirectionChannels at a blur of one pixel with power 0.7, opposite directions
/// together, smoothed by 0.6 pixels, with a mean square of 1 in the picture; all 0 without ink.
GlyphEdges glyph_edges(std::span<const std::uint8_t> ink, int size);

/// The mean over both directions and over the neighbourhoods of 1 - exp(-d / 1.3), with d as
/// EdgeKernels::differences; a neighbourhood counts with 1 - exp(-e), e the squared edges that both
/// have in it (EdgeKernels::amounts). From 0 to 1; symmetric, and 0 for equal glyphs.
double edge_difference(const GlyphEdges& a, const GlyphEdges& b);

}  // namespace leafglyph
