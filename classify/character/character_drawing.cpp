#include "classify/character/character_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/glyph/ink.h"
#include "features/image/resample.h"

namespace leafglyph {
namespace {

constexpr int kWholeSide = kDrawnSide + 2 * kDrawnMargin;

std::uint8_t in_255ths(float share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F)));
}

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

// Two characters in the place of one, beside each other or, as in a column, one below the other:
// each half as wide or high, as two narrow ones; or at half of their size, as a cut that took two.
Image<float> two_in_one(const Image<float>& a, const Image<float>& b, bool squeezed, bool below) {
  Image<float> picture(a.width(), a.height());
  Image<float> first = halved(a, /*across=*/!below), second = halved(b, /*across=*/!below);
  int aside = 0;
  if (!squeezed) {
    first = halved(first, below);
    second = halved(second, below);
    aside = a.height() / 4;
  }
  const int half = a.width() / 2;
  put(first, below ? 0 : aside, below ? aside : 0, picture);
  put(second, below ? half : aside, below ? aside : half, picture);
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

// The first and last place at which there is ink.
struct InkRange {
  int first = std::numeric_limits<int>::max();
  int last = 0;
  void take(int place) {
    first = std::min(first, place);
    last = std::max(last, place);
  }
  int size() const { return last - first + 1; }
};

// The part of a picture that fills the square inside the margin, in its middle.
ResampleAxis axis_of(const InkRange& ink, int input_size, double scale) {
  const double middle = 0.5 * (kWholeSide - 1);
  return {input_size, kWholeSide, scale, 0.5 * (ink.first + ink.last), middle};
}

}  // namespace

FontDrawings drawings_of(FontOptions font, std::u32string_view characters) {
  font.pixel_size = kDrawnSide;
  const GlyphSource source(font);
  FontDrawings result;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    if (source.draws(characters[c])) result.labels.push_back(static_cast<int>(c));
  }
  if (result.labels.empty()) {
    throw InputError(font.file + ": draws none of the characters; choose others, or leave it out");
  }
  result.drawings.assign(result.labels.size(), Drawing(kWholeSide, kWholeSide));
  parallel_for_with_scratch({result.labels.size()}, [&]() -> RoundJob {
    const auto own = std::make_shared<const GlyphSource>(source);
    return [&, own](std::size_t i) {
      std::vector<std::uint8_t> ink(std::size_t{kDrawnSide} * kDrawnSide);
      own->render(characters[static_cast<std::size_t>(result.labels[i])], ink);
      for (int row = 0; row < kDrawnSide; ++row) {
        std::copy_n(ink.begin() + std::ptrdiff_t{row} * kDrawnSide, kDrawnSide,
                    &result.drawings[i].at(row + kDrawnMargin, kDrawnMargin));
      }
    };
  });
  return result;
}

Drawing as_drawing(const Image<float>& ink) {
  constexpr float kFaintest = 0.1F;
  InkRange across, down;
  for (int row = 0; row < ink.height(); ++row) {
    for (int column = 0; column < ink.width(); ++column) {
      if (ink.at(row, column) < kFaintest) continue;
      across.take(column);
      down.take(row);
    }
  }
  Drawing drawing(kWholeSide, kWholeSide);
  if (down.size() < 1) return drawing;
  const double scale = static_cast<double>(kDrawnSide) / std::max(across.size(), down.size());
  std::vector<float> square(drawing.size());
  resample(ink.pixels(), axis_of(across, ink.width(), scale), axis_of(down, ink.height(), scale),
           square);
  std::ranges::transform(square, drawing.data(), in_255ths);
  return drawing;
}

Image<float> ink_in(const Drawing& drawing) {
  Image<float> ink(drawing.width(), drawing.height());
  std::ranges::transform(drawing.pixels(), ink.data(),
                         [](std::uint8_t value) { return static_cast<float>(value) / 255.0F; });
  return ink;
}

Image<float> as_seen(const Image<float>& ink) {
  Image<std::uint8_t> picture(ink.width(), ink.height());
  std::ranges::transform(ink.pixels(), picture.data(),
                         [](float share) { return in_255ths(1 - share); });
  try {
    return ink_of(picture);
  } catch (const InputError&) {
    return ink;
  }
}

Image<float> unlike_picture(const std::vector<Drawing>& drawings, std::size_t i) {
  std::mt19937_64 random(i);
  const auto any = [&] { return ink_in(drawings[random() % drawings.size()]); };
  if (i % 2 == 0) {
    const Image<float> first = any();
    const auto way = random() % 4;
    return two_in_one(first, any(), way % 2 == 0, way / 2 == 0);
  }
  const auto which = static_cast<unsigned>(random() % 4);
  Image<float> part = part_of(any(), which);
  return has_ink(part) ? part : two_in_one(any(), any(), /*squeezed=*/true, /*below=*/false);
}

}  // namespace leafglyph
