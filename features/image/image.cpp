#include "features/image/image.h"

namespace leafglyph {

std::string describe(const ArraySize& size) {
  std::string text = std::to_string(size.width) + " x " + std::to_string(size.height);
  if (size.is_volume()) text += " x " + std::to_string(size.depth);
  return text;
}

}  // namespace leafglyph
