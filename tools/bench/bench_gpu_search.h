// Searches on the GPU.
#pragma once

namespace leafglyph {

/// Prints the time of nearest-neighbour candidates in a large set.
void bench_search();

}  // namespace leafglyph
