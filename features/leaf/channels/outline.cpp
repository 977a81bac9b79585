#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  std::ranges::fill(out, 0.0f);
  const int size = leaf->mask.width();
  const auto background = [&](int row, int column) {
    return row < 0 || column < 0 || row >= size || column >= size ||
           leaf->mask.at(row, column) == 0;
  };
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      if (background(row, column)) continue;
      if (background(row - 1, column) || background(row + 1, column) ||
          background(row, column - 1) || background(row, column + 1)) {
        out[static_cast<std::size_t>(row) * size + column] = 1;
      }
    }
  }
  return true;
}

}  // namespace

const ChannelRow kOutlineRow = {"outline", make};

}  // namespace leafglyph
