#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) { return leaf.put_standardised(out); }

}  // namespace

const ChannelRow kStandardisedRow = {"standardised", make};

}  // namespace leafglyph
