// The part of an image in which a mask lies.
#pragma once

#include <cstdint>

#include "features/image/image.h"

namespace leafglyph {

/// The smallest rectangle that holds every pixel of a mask: columns [left, right], rows [top,
/// bottom]; width() and height() are 0 for an empty mask.
struct MaskBox {
  int left = 0, top = 0, right = -1, bottom = -1;
  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
};

MaskBox box_of(const Image<std::uint8_t>& mask);

/// The columns of a row that hold something of a mask: first to last, first > last for none.
struct RowSpan {
  int first = 0;
  int last = -1;
};

/// Of a row of `width` pixels of a mask of 0 and 1.
RowSpan span_of(const std::uint8_t* row, int width);

}  // namespace leafglyph
