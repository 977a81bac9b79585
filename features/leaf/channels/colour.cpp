#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

template <Image<float> LeafColours::*kPlane>
bool make(ChannelLeaf& leaf, std::span<float> out) {
  if (leaf->colours) {
    std::ranges::copy(((*leaf->colours).*kPlane).pixels(), out.begin());
  } else {
    std::ranges::fill(out, 0.0f);
  }
  return true;
}

}  // namespace

const ChannelRow kRedGreenRow = {"a", make<&LeafColours::a>, true};
const ChannelRow kYellowBlueRow = {"b", make<&LeafColours::b>, true};

}  // namespace leafglyph
