// The CPU plan for Bessel-Fourier moments.
#pragma once

#include <memory>

#include "features/bessel_fourier/bessel_fourier.h"

namespace leafglyph {

/// Products in double (kExact) or float (kFast: relative l2 error of the moments 5e-7, growing to
/// 7e-6 at order 1000 with many points in a pixel).
std::unique_ptr<BesselFourier> make_bessel_fourier_cpu(const BesselFourierSpec& spec,
                                                       Precision precision);

}  // namespace leafglyph
