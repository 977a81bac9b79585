// The CPU engine for batches: octant folding and matrix products.
#pragma once

#include <memory>

#include "features/moment_engine.h"

namespace leafglyph {

/// The CPU engine that suits spec, size and precision. Errors as make_moment_engine.
std::unique_ptr<MomentEngine> make_cpu_moment_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision);

}  // namespace leafglyph
