#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float>) { return leaf.put_orientation(); }

}  // namespace

const ChannelRow kRadialRow = {"radial", make};
const ChannelRow kObliqueRow = {"oblique", make};

}  // namespace leafglyph
