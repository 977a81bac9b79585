#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  const float* grey = leaf->grey.data();
  leaf.put(leaf->mask, out, [grey](std::size_t i) { return 1 - grey[i] / 255; });
  return true;
}

}  // namespace

const ChannelRow kInvertedRow = {"inverted", make};

}  // namespace leafglyph
