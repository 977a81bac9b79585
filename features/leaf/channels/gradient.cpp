#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

bool make(ChannelLeaf& leaf, std::span<float> out) {
  gradient_magnitude(leaf->grey, leaf.inside(), out);
  const InsideSum all = sum_inside(out, leaf.inside());
  leaf.mean_gradient = all.mean();
  return leaf.put_over_mean(out, all, out);
}

}  // namespace

const ChannelRow kGradientRow = {"gradient", make};

}  // namespace leafglyph
