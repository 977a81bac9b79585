#include "features/base/number_text.h"

#include <charconv>

namespace leafglyph {

std::string number_text(double value) {
  char text[32];  // 24 at most: sign, 17 digits, point, exponent of three digits
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace leafglyph
