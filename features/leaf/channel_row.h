// What a channel is, and what channels of one leaf share. Each has a file in channels/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "features/image/image.h"
#include "features/leaf/channels.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/leaf_shape.h"
#include "features/leaf/leaf_texture.h"

namespace leafglyph {

/// A leaf and the intermediate results that several of its channels need, each computed once.
class ChannelLeaf {
 public:
  /// The images of the channels that are wanted follow each other in `out`.
  ChannelLeaf(const PreparedLeaf& leaf, std::span<const Channel> wanted, std::span<float> out)
      : leaf_(leaf), box_(box_of(leaf.mask)), wanted_(wanted), all_(out) {}

  const PreparedLeaf& operator*() const { return leaf_; }
  const PreparedLeaf* operator->() const { return &leaf_; }
  const MaskBox& box() const { return box_; }
  /// The eroded leaf, which excludes the outline.
  const Image<std::uint8_t>& inside();
  /// The image of a channel; empty if it is not wanted.
  std::span<float> image_of(Channel channel) const;

  /// Writes value(i) to each pixel i of the mask, or of a part of it, and 0 to all others. Within
  /// the leaf's box, `value` is computed for every pixel: branch-free, so that compilers vectorise
  /// it.
  template <class Value>
  void put(const Image<std::uint8_t>& mask, std::span<float> out, Value value) const {
    const std::uint8_t* in = mask.data();
    float* to = out.data();
    std::size_t written = 0;
    for (int row = box_.top; row <= box_.bottom; ++row) {
      const std::size_t start = static_cast<std::size_t>(row) * mask.width();
      const std::size_t first = start + box_.left, end = start + box_.right + 1;
      std::fill(to + written, to + first, 0.0f);
#pragma omp simd
      for (std::size_t i = first; i < end; ++i) {
        const float here = value(i);
        to[i] = in[i] != 0 ? here : 0.0f;
      }
      written = end;
    }
    std::fill(to + written, to + out.size(), 0.0f);
  }
  /// Writes `values`, which may be `out`, divided by their mean inside, that of `all`. False, and
  /// 0, if the mean is below kLeastVariation.
  bool put_over_mean(std::span<const float> values, const InsideSum& all, std::span<float> out);
  /// Writes (g - mean) / standard deviation. False, and 0, if that is below kLeastVariation.
  bool put_standardised(std::span<float> out) const;
  /// Writes the images of kRadial and kOblique, which are made at once; false if they are constant.
  bool put_orientation();

  std::optional<double> mean_gradient;  ///< set by the channel that computed it

 private:
  const PreparedLeaf& leaf_;
  MaskBox box_;
  std::optional<Image<std::uint8_t>> inside_;
  std::span<const Channel> wanted_;
  std::span<float> all_;
  std::optional<bool> is_oriented_;
};

struct ChannelRow {
  std::string_view name;  ///< in configurations, columns and files
  /// Writes the N x N values of a leaf. False if they should vary but are constant; they are then
  /// 0. Null: the channel is not an image.
  bool (*make)(ChannelLeaf& leaf, std::span<float> out);
  bool is_of_colour = false;  ///< needs PreparedLeaf::colours; 0 without
};

}  // namespace leafglyph
