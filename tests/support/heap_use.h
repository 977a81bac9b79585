// The heap used by this process, if the allocator counts it.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace leafglyph {

inline std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Other allocators, including those of sanitizers, do not count.
inline bool heap_is_counted() { return mallinfo2().uordblks > 0; }

}  // namespace leafglyph
