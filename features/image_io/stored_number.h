// Numbers in the headers and values of files of volumes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "features/base/npy.h"

namespace leafglyph::detail {

/// A number of `count` bytes in either byte order: 'u' without a sign, 'i' with one, 'f' of half,
/// single or double precision.
inline double number_at(const char* bytes, std::size_t count, char kind, bool is_big) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word = word << 8 | static_cast<unsigned char>(bytes[is_big ? i : count - 1 - i]);
  }
  if (kind == 'f') {
    if (count == 2) return float_of(Half{static_cast<std::uint16_t>(word)});
    return count == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(word))
                      : std::bit_cast<double>(word);
  }
  const std::size_t spare = 64 - 8 * count;
  return kind == 'u' ? static_cast<double>(word)
                     : static_cast<double>(static_cast<std::int64_t>(word << spare) >> spare);
}

}  // namespace leafglyph::detail
