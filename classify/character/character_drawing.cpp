#include "classify/character/character_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "features/base/errors.h"
#include "features/glyph/ink.h"

namespace leafglyph {
namespace {

// A picture squeezed to half of its width or height: every two pixels become their mean.
Image<float> halved(const Image<float>& picture, bool across) {
  Image<float> half(across ? picture.width() / 2 : picture.width(),
                    across ? picture.height() : picture.height() / 2);
  for (int row = 0; row < half.height(); ++row) {
    for (int column = 0; column < half.width(); ++column) {
      half.at(row, column) =
          across ? (picture.at(row, 2 * column) + picture.at(row, 2 * column + 1)) / 2
                 : (picture.at(2 * row, column) + picture.at(2 * row + 1, column)) / 2;
    }
  }
  return half;
}

void put(const Image<float>& part, int top, int left, Image<float>& picture) {
  for (int row = 0; row < part.height(); ++row) {
    std::copy_n(part.data() + static_cast<std::ptrdiff_t>(row) * part.width(), part.width(),
                &picture.at(top + row, left));
  }
}

// Two characters in the place of one: beside each other, each half as wide, as two narrow ones in a
// line; or at half of their size, as a cut that took two.
Image<float> two_in_one(const Image<float>& a, const Image<float>& b, bool squeezed) {
  Image<float> picture(a.width(), a.height());
  Image<float> first = halved(a, /*across=*/true), second = halved(b, /*across=*/true);
  int top = 0;
  if (!squeezed) {
    first = halved(first, /*across=*/false);
    second = halved(second, /*across=*/false);
    top = a.height() / 4;
  }
  put(first, top, 0, picture);
  put(second, top, a.width() / 2, picture);
  return picture;
}

// The left, right, upper or lower half.
Image<float> part_of(Image<float> picture, unsigned which) {
  const int width = picture.width(), height = picture.height();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const std::array is_gone = {column >= width / 2, column < width / 2, row >= height / 2,
                                  row < height / 2};
      if (is_gone[which]) picture.at(row, column) = 0;
    }
  }
  return picture;
}

bool has_ink(const Image<float>& picture) {
  return std::ranges::any_of(picture.pixels(), [](float ink) { return ink > 0.5F; });
}

}  // namespace

Image<float> drawn(const GlyphSource& source, char32_t character) {
  const int size = source.size(), side = size + 2 * kDrawnMargin;
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  source.render(character, ink);
  Image<float> picture(side, side);
  for (int row = 0, at = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column, ++at) {
      picture.at(row + kDrawnMargin, column + kDrawnMargin) =
          static_cast<float>(ink[static_cast<std::size_t>(at)]) / 255.0F;
    }
  }
  return picture;
}

Image<float> as_seen(const Image<float>& ink) {
  Image<std::uint8_t> picture(ink.width(), ink.height());
  std::ranges::transform(ink.pixels(), picture.data(), [](float share) {
    return static_cast<std::uint8_t>(std::lround(255 * (1 - std::clamp(share, 0.0F, 1.0F))));
  });
  try {
    return ink_of(picture);
  } catch (const InputError&) {
    return ink;
  }
}

Image<float> unlike_picture(const std::vector<Image<float>>& pictures, std::size_t i) {
  std::mt19937_64 random(i);
  const auto any = [&]() -> const Image<float>& { return pictures[random() % pictures.size()]; };
  if (i % 2 == 0) {
    const Image<float>& first = any();
    return two_in_one(first, any(), random() % 2 == 0);
  }
  const auto which = static_cast<unsigned>(random() % 4);
  Image<float> part = part_of(any(), which);
  return has_ink(part) ? part : two_in_one(any(), any(), /*squeezed=*/true);
}

}  // namespace leafglyph
