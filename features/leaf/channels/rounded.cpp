#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  if (!leaf.put_standardised(out)) return false;
  round_leaf(leaf->mask, out, out);
  return true;
}

}  // namespace

const ChannelRow kRoundedRow = {"rounded", make};

}  // namespace leafglyph
