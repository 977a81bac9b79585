// The CPU engine for batches of Bessel-Fourier moments of high order.
#pragma once

#include <memory>

#include "features/bessel_fourier.h"
#include "features/moment_engine.h"

namespace leafglyph {

/// The stored moments of the family kBesselFourier image by image through a BesselFourier plan, for
/// orders whose basis would be too large to store. Throws UsageError for any other family.
std::unique_ptr<MomentEngine> make_bessel_fourier_engine(const MomentSpec& spec, int image_size,
                                                         Precision precision);

/// The plan's specification that holds the moments of `spec`.
BesselFourierSpec bessel_fourier_spec(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
