// The grey value of a colour.
#pragma once

#include <type_traits>

namespace leafglyph {

/// By the weights 0.299, 0.587, 0.114 of ITU-R BT.601; integers are rounded.
template <class T>
T grey_of(T red, T green, T blue) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((299U * red + 587U * green + 114U * blue + 500U) / 1000U);
  } else {
    return static_cast<T>(0.299 * static_cast<double>(red) + 0.587 * static_cast<double>(green) +
                          0.114 * static_cast<double>(blue));
  }
}

}  // namespace leafglyph
