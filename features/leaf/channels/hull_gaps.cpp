#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  hull_gaps(leaf->mask, out);
  return true;
}

}  // namespace

const ChannelRow kHullGapsRow = {"hull-gaps", make};

}  // namespace leafglyph
