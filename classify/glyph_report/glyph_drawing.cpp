#include "classify/glyph_report/glyph_drawing.h"

#include <array>

#include "features/base/utf8.h"

namespace leafglyph {
namespace {

struct Cell {
  int width;
  int height;
};

Cell cell_of(DrawingStyle style) {
  return style == DrawingStyle::kBraille ? Cell{2, 4} : Cell{1, 2};
}

// Unicode numbers the dots of a Braille cell by columns, the fourth row last.
constexpr std::array<std::array<unsigned, 2>, 4> kDots = {
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
constexpr char32_t kBlankBraille = 0x2800;
constexpr std::array<char32_t, 4> kHalves = {U' ', U'▀', U'▄', U'█'};  // bit 0 upper, bit 1 lower

}  // namespace

int drawing_width(DrawingStyle style, int size) {
  const int width = cell_of(style).width;
  return (size + width - 1) / width;
}

std::vector<std::string> draw_lines(std::span<const std::uint8_t> ink, int size,
                                    DrawingStyle style) {
  const Cell cell = cell_of(style);
  const auto is_ink = [&](int row, int column) {
    return row < size && column < size && ink[static_cast<std::size_t>(row * size + column)] >= 128;
  };
  std::vector<std::string> lines;
  for (int top = 0; top < size; top += cell.height) {
    std::string line;
    for (int left = 0; left < size; left += cell.width) {
      unsigned bits = 0;
      for (int j = 0; j < cell.height; ++j) {
        for (int i = 0; i < cell.width; ++i) {
          if (!is_ink(top + j, left + i)) continue;
          bits |= style == DrawingStyle::kBraille
                      ? kDots[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]
                      : 1U << j;
        }
      }
      line += encode_utf8(style == DrawingStyle::kBraille ? kBlankBraille + bits : kHalves[bits]);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace leafglyph
