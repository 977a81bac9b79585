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

}  // namespace leafglyph
