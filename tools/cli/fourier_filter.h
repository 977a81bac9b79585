// The filters of moment_filter.h in the plane of frequencies, for comparison.
#pragma once

#include <span>

#include "features/bessel_fourier/moment_filter.h"

namespace leafglyph {

/// Multiplies the discrete Fourier transform of a size x size image by the filter, D = hypot(u, v)
/// in periods an image width and D0 = alpha * size, and transforms back in place. Throws UsageError
/// when alpha or the number of pixels does not fit.
FilterPower filter_frequencies(FilterKind kind, double alpha, int size, std::span<double> image);

}  // namespace leafglyph
