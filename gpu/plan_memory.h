// How much memory the plans of single images take, known before any of it is taken.
#pragma once

#include "features/bessel_fourier/bessel_fourier.h"
#include "features/engine/moment_engine.h"

namespace leafglyph {

/// Bytes that an engine on the CPU, its tables and the moments of one image take at most. One on a
/// GPU builds the same tables in the host's memory first.
double moment_engine_bytes(const MomentSpec& spec, int image_size, Precision precision);

/// The same for a reconstructor, its moments and its image.
double reconstructor_bytes(const MomentSpec& spec, int image_size, Precision precision);

/// The same for a Bessel-Fourier plan.
double bessel_fourier_bytes(const BesselFourierSpec& spec, Precision precision);

/// Throw InputError, naming family, order and size, when that is more than is free.
void check_engine_memory(const MomentSpec& spec, int image_size, Precision precision);
void check_reconstructor_memory(const MomentSpec& spec, int image_size, Precision precision);
void check_bessel_fourier_memory(const BesselFourierSpec& spec, Precision precision);

}  // namespace leafglyph
