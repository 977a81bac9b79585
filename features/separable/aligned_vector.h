// Vectors whose storage starts on a cache line. A register load that straddles two lines costs two
// loads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace leafglyph {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* pointer, std::size_t) {
    ::operator delete (pointer, std::align_val_t{kCacheLine});
  }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace leafglyph
