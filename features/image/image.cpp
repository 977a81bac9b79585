#include <algorithm>
#include <cstddef>
#include <cstring>

#include "features/image/image.h"

namespace leafglyph {

std::string describe(const ArraySize& size) {
  std::string text = std::to_string(size.width) + " x " + std::to_string(size.height);
  if (size.is_volume()) text += " x " + std::to_string(size.depth);
  return text;
}

RowSpan span_of(const std::uint8_t* row, int width) {
  const auto count = static_cast<std::size_t>(width);
  const void* first = std::memchr(row, 1, count);
  if (first == nullptr) return {};
  const void* last = ::memrchr(row, 1, count);
  return {static_cast<int>(static_cast<const std::uint8_t*>(first) - row),
          static_cast<int>(static_cast<const std::uint8_t*>(last) - row)};
}

MaskBox box_of(const Image<std::uint8_t>& mask) {
  MaskBox box{mask.width(), mask.height(), -1, -1};
  for (int row = 0; row < mask.height(); ++row) {
    const std::size_t start = static_cast<std::size_t>(row) * mask.width();
    const RowSpan span = span_of(mask.data() + start, mask.width());
    if (span.first > span.last) continue;
    box.left = std::min(box.left, span.first);
    box.right = std::max(box.right, span.last);
    box.top = std::min(box.top, row);
    box.bottom = row;
  }
  return box.bottom < 0 ? MaskBox{} : box;
}

}  // namespace leafglyph
