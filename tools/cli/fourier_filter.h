// The filters of moment_filter.h applied in the Fourier domain, for comparison.
#pragma once

#include <span>

#include "features/bessel_fourier/moment_filter.h"

namespace leafglyph {

/// Multiplies the discrete Fourier transform of a size x size image by the filter and transforms
/// back in place. The distance is D = hypot(u, v) in periods per image width, the cut-off is
/// D0 = alpha * size. Returns the power that the filter kept. Throws UsageError unless
/// 0 <= alpha <= 1 and the image has size * size pixels.
FilterPower filter_frequencies(FilterKind kind, double alpha, int size, std::span<double> image);

}  // namespace leafglyph
