#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  leaf.put(leaf->mask, out, [](std::size_t) { return 1.0f; });
  return true;
}

}  // namespace

const ChannelRow kMaskRow = {"mask", make};

}  // namespace leafglyph
