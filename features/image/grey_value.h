// The grey value of a colour.
#pragma once

#include <type_traits>

namespace leafglyph {

/// The weights of red, green and blue in thousandths, of ITU-R BT.601.
inline constexpr unsigned kRedWeight = 299, kGreenWeight = 587, kBlueWeight = 114;

/// By these weights; integers are rounded.
template <class T>
T grey_of(T red, T green, T blue) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((kRedWeight * red + kGreenWeight * green + kBlueWeight * blue + 500U) /
                          1000U);
  } else {
    return static_cast<T>(kRedWeight / 1000.0 * static_cast<double>(red) +
                          kGreenWeight / 1000.0 * static_cast<double>(green) +
                          kBlueWeight / 1000.0 * static_cast<double>(blue));
  }
}

}  // namespace leafglyph
