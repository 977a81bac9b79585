// Searches and pair statistics on the GPU.
#pragma once

namespace leafglyph {

/// Prints the time of nearest-neighbour candidates in a large set and of all pairs of characters.
void bench_search();

}  // namespace leafglyph
