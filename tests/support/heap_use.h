// The heap that this process uses, where the allocator counts it.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace leafglyph {

inline std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Other allocators, a sanitizer's among them, keep no such count.
inline bool heap_is_counted() { return mallinfo2().uordblks > 0; }

}  // namespace leafglyph
