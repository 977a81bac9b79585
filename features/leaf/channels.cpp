#include "features/leaf/channels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/image/image.h"
#include "features/leaf/leaf_orientation.h"
#include "features/leaf/leaf_shape.h"
#include "features/leaf/leaf_texture.h"

namespace leafglyph {
namespace {

constexpr std::array<Channel, 2> kColourChannels = {Channel::kRedGreen, Channel::kYellowBlue};
constexpr auto kChannelValues = kNamesOf<Channel>.values();
constexpr std::array<std::string_view, kMeasureCount> kMeasureNames = {
    "log-area",
    "mean-grey",
    "spread-grey",
    "mean-gradient",
};
constexpr std::array<std::string_view, kColourMeasureCount> kColourMeasureNames = {
    "mean-a",
    "spread-a",
    "mean-b",
    "spread-b",
};

// Standard deviation, in pixels, of the Gaussian blur that the high-pass channel subtracts: wider
// than a vein, narrower than the areas between veins.
constexpr double kHighPassSigma = 3;
// For log-area of a leaf without pixels; smaller than the share of any leaf that preparation
// accepts.
constexpr double kLeastAreaShare = 1e-9;

/// Computes the channels of one leaf. Intermediate results that several channels need are computed
/// once.
class ChannelMaker {
 public:
  /// The images of the channels follow each other in `out`.
  ChannelMaker(const PreparedLeaf& leaf, std::span<const Channel> channels, std::span<float> out)
      : leaf_(leaf), box_(box_of(leaf.mask)), channels_(channels), all_(out) {}

  /// Writes a channel to its image. False if it is constant; the image is then 0.
  bool make(Channel channel) {
    const std::span<float> out = image_of(channel);
    const float* grey = leaf_.grey.data();
    switch (channel) {
      case Channel::kGrey:
        put(leaf_.mask, out, [grey](std::size_t i) { return grey[i] / 255; });
        return true;
      case Channel::kInverted:
        put(leaf_.mask, out, [grey](std::size_t i) { return 1 - grey[i] / 255; });
        return true;
      case Channel::kMask:
        put(leaf_.mask, out, [](std::size_t) { return 1.0f; });
        return true;
      case Channel::kStandardised:
        return standardised(out);
      case Channel::kGradient: {
        gradient_magnitude(leaf_.grey, inside(), out);
        const InsideSum all = sum_inside(out, inside());
        mean_gradient_ = all.mean();
        return over_its_mean(out, all, out);
      }
      case Channel::kHighPass: {
        const Image<float> values = high_pass();
        return over_its_mean(values.pixels(), sum_inside(values.pixels(), inside()), out);
      }
      case Channel::kOutline:
        outline(out);
        return true;
      case Channel::kRadial:
      case Channel::kOblique:
        return is_oriented();
      case Channel::kRounded:
        return rounded(out);
      case Channel::kHullGaps:
        hull_gaps(leaf_.mask, out);
        return true;
      case Channel::kCurvature:
        throw UsageError("the channel curvature is not an image");
      case Channel::kRedGreen:
        plane(leaf_.colours ? &leaf_.colours->a : nullptr, out);
        return true;
      case Channel::kYellowBlue:
        plane(leaf_.colours ? &leaf_.colours->b : nullptr, out);
        return true;
    }
    throw UsageError("unknown channel");
  }

  /// Set if make() has computed it.
  std::optional<double> mean_gradient() const { return mean_gradient_; }

 private:
  // Writes value(i) to each pixel i of the mask, or of a part of it, and 0 to all others. Within
  // the leaf's box, `value` is computed for every pixel: branch-free, so that compilers vectorise
  // it.
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

  // A plane of the leaf's colours; 0 if it has none.
  static void plane(const Image<float>* values, std::span<float> out) {
    if (values == nullptr) {
      std::ranges::fill(out, 0.0f);
    } else {
      std::ranges::copy(values->pixels(), out.begin());
    }
  }

  const Image<std::uint8_t>& inside() {
    if (!inside_) inside_ = eroded(leaf_.mask);
    return *inside_;
  }

  bool standardised(std::span<float> out) const {
    const double spread = leaf_.measures.spread_grey;
    if (!(spread > kLeastVariation)) return nothing(out);
    const auto mean = static_cast<float>(leaf_.measures.mean_grey);
    const auto factor = static_cast<float>(1 / spread);
    const float* grey = leaf_.grey.data();
    put(leaf_.mask, out, [=](std::size_t i) { return (grey[i] - mean) * factor; });
    return true;
  }

  // Empty if the channel is not wanted.
  std::span<float> image_of(Channel channel) const {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(channels_, channel) - channels_.begin());
    const std::size_t pixels = leaf_.grey.size();
    return at < channels_.size() ? all_.subspan(at * pixels, pixels) : std::span<float>();
  }

  // Both channels of the orientation are made at once.
  bool is_oriented() {
    if (!is_oriented_) {
      is_oriented_ = leaf_orientation(leaf_.grey, inside(), image_of(Channel::kRadial),
                                      image_of(Channel::kOblique));
    }
    return *is_oriented_;
  }

  bool rounded(std::span<float> out) const {
    if (!standardised(out)) return false;
    round_leaf(leaf_.mask, out, out);
    return true;
  }

  // `out` may be `values`.
  bool over_its_mean(std::span<const float> values, const InsideSum& all, std::span<float> out) {
    if (!(all.mean() > kLeastVariation)) return nothing(out);
    const auto factor = static_cast<float>(all.count / all.sum);
    const float* from = values.data();
    put(inside(), out, [=](std::size_t i) { return from[i] * factor; });
    return true;
  }

  static bool nothing(std::span<float> out) {
    std::ranges::fill(out, 0.0f);
    return false;
  }

  // |g - Gaussian mean of g|. The mean only includes leaf pixels: blurred grey divided by blurred
  // mask. Both are 0 outside the leaf's box.
  Image<float> high_pass() const {
    const int size = leaf_.grey.width();
    Image<float> result(size, size);
    if (box_.width() == 0) return result;
    const cv::Rect part(box_.left, box_.top, box_.width(), box_.height());
    const cv::Mat grey = cv::Mat(size, size, CV_32F, const_cast<float*>(leaf_.grey.data()))(part);
    const cv::Mat mask =
        cv::Mat(size, size, CV_8U, const_cast<std::uint8_t*>(leaf_.mask.data()))(part);
    cv::Mat weight, blurred_grey, blurred_mask;
    mask.convertTo(weight, CV_32F);
    const int border = cv::BORDER_CONSTANT | cv::BORDER_ISOLATED;
    cv::GaussianBlur(grey, blurred_grey, {0, 0}, kHighPassSigma, 0, border);
    cv::GaussianBlur(weight, blurred_mask, {0, 0}, kHighPassSigma, 0, border);
    for (int row = 0; row < part.height; ++row) {
      for (int column = 0; column < part.width; ++column) {
        if (mask.at<std::uint8_t>(row, column) == 0) continue;
        const float mean =
            blurred_grey.at<float>(row, column) / blurred_mask.at<float>(row, column);
        result.at(part.y + row, part.x + column) = std::abs(grey.at<float>(row, column) - mean);
      }
    }
    return result;
  }

  void outline(std::span<float> out) const {
    std::ranges::fill(out, 0.0f);
    const int size = leaf_.mask.width();
    const auto background = [&](int row, int column) {
      return row < 0 || column < 0 || row >= size || column >= size ||
             leaf_.mask.at(row, column) == 0;
    };
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        if (background(row, column)) continue;
        if (background(row - 1, column) || background(row + 1, column) ||
            background(row, column - 1) || background(row, column + 1)) {
          out[static_cast<std::size_t>(row) * size + column] = 1;
        }
      }
    }
  }

  const PreparedLeaf& leaf_;
  MaskBox box_;
  std::optional<Image<std::uint8_t>> inside_;
  std::span<const Channel> channels_;
  std::span<float> all_;
  std::optional<bool> is_oriented_;
  std::optional<double> mean_gradient_;
};

}  // namespace

std::span<const Channel> all_channels() { return kChannelValues; }
std::vector<Channel> image_channels() {
  std::vector<Channel> images(kChannelValues.begin(), kChannelValues.end());
  std::erase(images, Channel::kCurvature);
  return images;
}

std::span<const Channel> colour_channels() { return kColourChannels; }
bool is_of_colour(Channel channel) {
  return std::ranges::find(kColourChannels, channel) != kColourChannels.end();
}

MadeChannels compute_channels(const PreparedLeaf& leaf, std::span<const Channel> channels,
                              std::span<float> out) {
  const std::size_t pixels = leaf.grey.size();
  if (out.size() != channels.size() * pixels || leaf.mask.size() != pixels) {
    throw UsageError("compute_channels: " + std::to_string(channels.size()) + " channels of " +
                     std::to_string(pixels) + " pixels do not fit " + std::to_string(out.size()) +
                     " values");
  }
  ChannelMaker maker(leaf, channels, out);
  MadeChannels made;
  for (const Channel channel : channels) {
    if (!maker.make(channel)) made.constant.push_back(channel);
  }
  made.mean_gradient = maker.mean_gradient();
  return made;
}

std::span<const std::string_view> measure_names() { return kMeasureNames; }

std::array<float, kMeasureCount> measure_columns(const PreparedLeaf& leaf,
                                                 std::optional<double> gradient) {
  return {static_cast<float>(std::log(std::max(leaf.measures.area_share, kLeastAreaShare))),
          static_cast<float>(leaf.measures.mean_grey),
          static_cast<float>(leaf.measures.spread_grey),
          static_cast<float>(gradient ? *gradient : mean_gradient(leaf))};
}

std::span<const std::string_view> colour_measure_names() { return kColourMeasureNames; }

std::array<float, kColourMeasureCount> colour_measure_columns(const PreparedLeaf& leaf) {
  if (!leaf.colours) return {};
  // measure_leaf computes the mean and standard deviation of any plane.
  const LeafMeasures a = measure_leaf(leaf.colours->a, leaf.mask, leaf.measures.area_share);
  const LeafMeasures b = measure_leaf(leaf.colours->b, leaf.mask, leaf.measures.area_share);
  return {static_cast<float>(a.mean_grey), static_cast<float>(a.spread_grey),
          static_cast<float>(b.mean_grey), static_cast<float>(b.spread_grey)};
}

}  // namespace leafglyph
