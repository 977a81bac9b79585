// The CPU engine for batches: octant folding and matrix products.
#pragma once

#include <cstddef>
#include <memory>

#include "features/engine/moment_engine.h"

namespace leafglyph {

/// A stored basis takes at most this much; beyond it the engine of zernike/polar_engine.h is used,
/// which stores none and computes in double.
inline constexpr std::size_t kMaxBasisBytes = std::size_t{512} << 20;

/// Whether a basis for the spec would take more than that.
bool basis_is_too_large(const MomentSpec& spec, int image_size, Precision precision);

/// The CPU engine that suits spec, size and precision. Errors as make_moment_engine.
/// The engines that there are on the CPU.
enum class CpuEngineKind { kCartesian, kBesselFourier, kExact, kDirect, kFolded };
CpuEngineKind cpu_engine_kind(const MomentSpec& spec, int image_size, Precision precision);

std::unique_ptr<MomentEngine> make_cpu_moment_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision);

}  // namespace leafglyph
