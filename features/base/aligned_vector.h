// Vectors whose memory is aligned: to cache lines, or to pages of 2 MiB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace leafglyph {

/// Storage that starts on a cache line. A register load that straddles two lines costs two loads.
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

/// Memory in pages of 2 MiB where the system has them. In the usual pages of 4 KiB a matrix of some
/// thousand columns takes longer to be given its memory than to be filled.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = std::size_t{2} << 20U;
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // where it fails, pages are small
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace leafglyph
