// Images from Bessel-Fourier and Legendre moments, through the plans of these families.
#pragma once

#include <memory>

#include "features/engine/reconstructor.h"

namespace leafglyph {

/// A reconstructor for kBesselFourier, kLegendre or kJacobi on the device that `options` choose.
/// Throws UsageError for another family.
std::unique_ptr<Reconstructor> make_plan_reconstructor(const MomentSpec& spec, int image_size,
                                                       const EngineOptions& options);

}  // namespace leafglyph
