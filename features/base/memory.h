// How much memory there is.
#pragma once

#include <cstddef>
#include <string>

namespace leafglyph {

/// Bytes that new allocations can use without swapping; the largest number when the system does
/// not say.
std::size_t available_memory_bytes();

/// "3.5 GiB", "120 MiB"
std::string bytes_text(std::size_t bytes);

/// Refuses what does not fit, before it is taken: throws InputError "`what` needs 3.5 GiB of memory
/// and 120 MiB are free; `advice`" when `bytes` are more than available_memory_bytes(). A
/// floating-point number, so that sizes of absurd requests do not wrap round.
void check_memory(double bytes, const std::string& what, const std::string& advice);

}  // namespace leafglyph
