#include "features/leaf/channel_row.h"

#include "features/leaf/leaf_orientation.h"

namespace leafglyph {
namespace {

bool put_nothing(std::span<float> out) {
  std::ranges::fill(out, 0.0f);
  return false;
}

}  // namespace

const Image<std::uint8_t>& ChannelLeaf::inside() {
  if (!inside_) inside_ = eroded(leaf_.mask);
  return *inside_;
}

std::span<float> ChannelLeaf::image_of(Channel channel) const {
  const auto at = static_cast<std::size_t>(std::ranges::find(wanted_, channel) - wanted_.begin());
  const std::size_t pixels = leaf_.grey.size();
  return at < wanted_.size() ? all_.subspan(at * pixels, pixels) : std::span<float>();
}

bool ChannelLeaf::put_over_mean(std::span<const float> values, const InsideSum& all,
                                std::span<float> out) {
  if (!(all.mean() > kLeastVariation)) return put_nothing(out);
  const auto factor = static_cast<float>(all.count / all.sum);
  const float* from = values.data();
  put(inside(), out, [=](std::size_t i) { return from[i] * factor; });
  return true;
}

bool ChannelLeaf::put_standardised(std::span<float> out) const {
  const double spread = leaf_.measures.spread_grey;
  if (!(spread > kLeastVariation)) return put_nothing(out);
  const auto mean = static_cast<float>(leaf_.measures.mean_grey);
  const auto factor = static_cast<float>(1 / spread);
  const float* grey = leaf_.grey.data();
  put(leaf_.mask, out, [=](std::size_t i) { return (grey[i] - mean) * factor; });
  return true;
}

bool ChannelLeaf::put_orientation() {
  if (!is_oriented_) {
    is_oriented_ = leaf_orientation(leaf_.grey, inside(), image_of(Channel::kRadial),
                                    image_of(Channel::kOblique));
  }
  return *is_oriented_;
}

}  // namespace leafglyph
