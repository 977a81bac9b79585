// The engine for batches of Bessel-Fourier moments of high order.
#pragma once

#include <memory>

#include "features/bessel_fourier/bessel_fourier.h"
#include "features/engine/moment_engine.h"

namespace leafglyph {

/// The stored moments of the family kBesselFourier image by image through a plan made for
/// bessel_fourier_spec(spec, image_size): for orders whose basis would be too large to store, and
/// for adaptive points.
std::unique_ptr<MomentEngine> make_bessel_fourier_engine(const MomentSpec& spec, int image_size,
                                                         std::unique_ptr<BesselFourier> plan);

/// The plan's specification that holds the moments of `spec`. Throws UsageError for any family
/// other than kBesselFourier.
BesselFourierSpec bessel_fourier_spec(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
