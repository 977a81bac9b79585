// The published kernels beside this engine's, one image at a time.
#pragma once

namespace leafglyph {

/// Prints the GPU time of every published kernel and of the engine, 512 x 512, orders 100 and 300.
void bench_published();

}  // namespace leafglyph
