#include "features/image/mask_box.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace leafglyph {

MaskBox box_of(const Image<std::uint8_t>& mask) {
  const auto width = static_cast<std::size_t>(mask.width());
  MaskBox box{mask.width(), mask.height(), -1, -1};
  for (int row = 0; row < mask.height(); ++row) {
    const std::uint8_t* first = mask.data() + static_cast<std::size_t>(row) * width;
    const void* inside = std::memchr(first, 1, width);
    if (inside == nullptr) continue;
    box.left =
        std::min(box.left, static_cast<int>(static_cast<const std::uint8_t*>(inside) - first));
    int last = mask.width() - 1;
    while (last > box.right && first[last] == 0) --last;
    box.right = std::max(box.right, last);
    box.top = std::min(box.top, row);
    box.bottom = row;
  }
  return box.bottom < 0 ? MaskBox{} : box;
}

}  // namespace leafglyph
