#include "features/glyph/ink.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// What is stroke and what is noise is decided on a picture of at most this many pixels per side, if
// it is not as narrow as that.
constexpr int kSmallSide = 128;
// Strokes are a smaller part of the border than paper, unless the paper would then be thinner than
// they are by this factor. Over the characters of six fonts (three of them bold) of 18, 24 and 60
// pixels that is wrong for 0.013 % with a margin of one pixel and for 3.2 % without any; at 0.6 for
// 0.17 and 3.4 %, and by the border alone for 0 and 3.8 %.
constexpr double kMuchThinner = 0.4;
constexpr double kDarkest = 0.02;   // the share of the strokes whose deviations are clipped
constexpr int kLeastContrast = 12;  // grey values; paper in a photograph varies by about 10
// Of normal noise alone, 2 % of what looks like strokes deviates by 2.7 standard deviations, and
// the groups have a separation of 0.64. The first says little where narrow gaps are the only paper,
// the second where strokes are few.
constexpr double kContrastOfNoise = 4;
constexpr double kSeparate = 0.7;
constexpr std::uint64_t kEnoughPaper = 32;  // pixels whose values show the noise
constexpr double kAboveNoise = 2.5;         // standard deviations, where ink begins
constexpr double kDarkestOfNoise = 2;       // of a normal distribution, 2 % deviate by so many
// Thresholds at which ink is full. Rows of 900 characters of a Kai font, the nearest of 3,500 of a
// Hei font: 87.6 % right at 60 pixels, 86.0 at 24 and 72.3 with noise of 25 grey values; 86.7, 82.4
// and 70.6 without this limit, 85.2, 84.0 and 65.9 with ink from 1/2 to 3/2 of the threshold.
constexpr double kFullInk = 1.8;
// Characters fill a fifth of their box, or more.
constexpr double kPaperPerStroke = 4;
// The mean square of differences of neighbours over the variance: 2 for noise, less along strokes.
constexpr double kRoughAsNoise = 1.7;

// Four tables, because a pixel of the same value as the one before would wait for it.
GreyCounts counts_of(const cv::Mat& grey) {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  for (int row = 0; row < grey.rows; ++row) {
    const std::uint8_t* p = grey.ptr<std::uint8_t>(row);
    for (int column = 0; column < grey.cols; ++column) ++tables[column & 3][p[column]];
  }
  GreyCounts counts{};
  for (const auto& table : tables) {
    for (std::size_t v = 0; v < counts.size(); ++v) counts[v] += table[v];
  }
  return counts;
}

GreyCounts border_counts(const cv::Mat& grey) {
  const int last_row = grey.rows - 1, last_column = grey.cols - 1;
  GreyCounts counts{};
  for (int column = 0; column <= last_column; ++column) {
    ++counts[grey.at<std::uint8_t>(0, column)];
    ++counts[grey.at<std::uint8_t>(last_row, column)];
  }
  for (int row = 1; row < last_row; ++row) {
    ++counts[grey.at<std::uint8_t>(row, 0)];
    ++counts[grey.at<std::uint8_t>(row, last_column)];
  }
  return counts;
}

// The number of pixels with values from `first` to `last`.
std::uint64_t pixels_in(const GreyCounts& counts, int first, int last) {
  std::uint64_t number = 0;
  for (int v = std::max(first, 0); v <= last; ++v) number += counts[static_cast<std::size_t>(v)];
  return number;
}

// The lowest value v in first..last with more than `share` of these pixels in first..v; first - 1
// if there are none.
int quantile_in(const GreyCounts& counts, int first, int last, double share) {
  if (pixels_in(counts, first, last) == 0) return first - 1;
  const double limit = share * static_cast<double>(pixels_in(counts, first, last));
  double seen = 0;
  for (int v = first; v < last; ++v) {
    seen += static_cast<double>(counts[static_cast<std::size_t>(v)]);
    if (seen > limit) return v;
  }
  return last;
}

// The radius of the largest disc that has no pixel of the other group; it may leave the picture.
double thickness(const cv::Mat& group) {
  cv::Mat distance;
  cv::distanceTransform(group, distance, cv::DIST_L2, cv::DIST_MASK_5);
  double largest = 0;
  cv::minMaxLoc(distance, nullptr, &largest);
  return largest;
}

// Means over squares of pixels, whole ones, so that noise stays uncorrelated.
cv::Mat small_picture(const cv::Mat& grey) {
  const int shorter = std::min(grey.cols, grey.rows), longer = std::max(grey.cols, grey.rows);
  const int factor = std::min((longer + kSmallSide - 1) / kSmallSide, shorter);
  if (factor == 1) return grey;
  const cv::Size size(grey.cols / factor, grey.rows / factor);
  cv::Mat small;
  cv::resize(grey({0, 0, size.width * factor, size.height * factor}), small, size, 0, 0,
             cv::INTER_AREA);
  return small;
}

// What counts as light, and whether the strokes are not.
struct Polarity {
  int threshold = 0;  // light pixels have values above it
  bool dark = true;
};

Polarity polarity_of(const cv::Mat& small) {
  const int threshold = otsu_groups(counts_of(small)).threshold;
  const GreyCounts border = border_counts(small);
  const bool light_border = 2 * pixels_in(border, threshold + 1, 255) >= pixels_in(border, 0, 255);
  const double dark = thickness(small <= threshold), light = thickness(small > threshold);
  return {threshold, light_border ? light >= kMuchThinner * dark : dark < kMuchThinner * light};
}

// Dark strokes, by how far they deviate from the paper. Light ones are turned into them.
struct Strokes {
  bool have_margin = false;
  int paper = 255;
  GreyCounts deviations{};  // of the pixels; 0 for those that are lighter than the paper
  int darkest = 0;          // what 2 % of the strokes exceed
  int noise = 0;            // the standard deviation of the paper
};

// The values of pixels that have no stroke within two pixels.
GreyCounts open_paper(const cv::Mat& grey, const Polarity& polarity) {
  cv::Mat near;
  const cv::Mat strokes = polarity.dark ? grey <= polarity.threshold : grey > polarity.threshold;
  cv::dilate(strokes, near, cv::Mat::ones(5, 5, CV_8U));
  GreyCounts counts{};
  for (int row = 0; row < grey.rows; ++row) {
    const std::uint8_t* p = grey.ptr<std::uint8_t>(row);
    const std::uint8_t* is_near = near.ptr<std::uint8_t>(row);
    for (int column = 0; column < grey.cols; ++column) counts[p[column]] += is_near[column] == 0;
  }
  return counts;
}

// The standard deviation of the paper towards the strokes: on the other side white may be cut off.
int noise_of(const GreyCounts& open, int paper) {
  constexpr double kBelowOneDeviation = 0.1587;  // of a normal distribution
  if (pixels_in(open, 0, 255) < kEnoughPaper) return 0;
  return std::max(0, paper - quantile_in(open, 0, 255, kBelowOneDeviation));
}

// Leaves at most kPaperPerStroke pixels of paper for each pixel of stroke, as a close crop does.
// With more, the noise of much paper varies more than a small character does.
void limit_paper(Strokes& strokes) {
  const int last = static_cast<int>(kContrastOfNoise * strokes.noise);
  const auto paper = static_cast<double>(pixels_in(strokes.deviations, 0, last));
  const auto others = static_cast<double>(pixels_in(strokes.deviations, last + 1, 255));
  if (others == 0 || paper <= kPaperPerStroke * others) return;
  // In 1024ths of a pixel, because counts are whole numbers.
  const double share = 1024 * kPaperPerStroke * others / paper;
  for (int d = 0; d < 256; ++d) {
    std::uint64_t& count = strokes.deviations[static_cast<std::size_t>(d)];
    count = d <= last ? static_cast<std::uint64_t>(std::llround(share * static_cast<double>(count)))
                      : 1024 * count;
  }
}

Strokes strokes_of(GreyCounts values, const cv::Mat& grey, const Polarity& polarity) {
  GreyCounts border = border_counts(grey), open = open_paper(grey, polarity);
  int first = polarity.threshold + 1;
  if (!polarity.dark) {
    std::ranges::reverse(values);
    std::ranges::reverse(border);
    std::ranges::reverse(open);
    first = 255 - polarity.threshold;
  }
  Strokes strokes;
  strokes.have_margin = 4 * pixels_in(border, first, 255) >= 3 * pixels_in(border, 0, 255);
  strokes.paper = quantile_in(strokes.have_margin ? border : values, first, 255, 0.5);
  strokes.noise = noise_of(open, strokes.paper);
  for (int v = 0; v < 256; ++v) {
    strokes.deviations[static_cast<std::size_t>(std::max(0, strokes.paper - v))] +=
        values[static_cast<std::size_t>(v)];
  }
  if (strokes.have_margin) limit_paper(strokes);
  strokes.darkest = quantile_in(strokes.deviations, otsu_groups(strokes.deviations).threshold + 1,
                                255, 1 - kDarkest);
  return strokes;
}

[[noreturn]] void refuse(const std::string& reason) {
  throw InputError("there is no character in the picture: " + reason);
}

bool is_rough(const cv::Mat& small) {
  const cv::Mat values = as_float(small);
  cv::Mat mean, spread;
  cv::meanStdDev(values, mean, spread);
  const double variance = spread.at<double>(0) * spread.at<double>(0);
  const auto roughness = [&](const cv::Mat& a, const cv::Mat& b) {
    return a.empty() ? 2.0
                     : cv::norm(a, b, cv::NORM_L2SQR) / (static_cast<double>(a.total()) * variance);
  };
  const int columns = small.cols, rows = small.rows;
  return std::min(roughness(values.colRange(0, columns - 1), values.colRange(1, columns)),
                  roughness(values.rowRange(0, rows - 1), values.rowRange(1, rows))) >=
         kRoughAsNoise;
}

void check_contrast(const Strokes& strokes, const GreyCounts& counts, const cv::Mat& small) {
  if (strokes.darkest < kLeastContrast) {
    refuse("its contrast is " + std::to_string(strokes.darkest) + " of 255 grey values");
  }
  const bool stand_out =
      (strokes.have_margin && strokes.darkest >= kContrastOfNoise * strokes.noise) ||
      otsu_groups(counts).separation >= kSeparate;
  if (!stand_out || is_rough(small)) refuse("its pixels vary no more than noise does");
}

// The ink of each grey value.
std::array<float, 256> ink_table(Strokes strokes, bool dark) {
  const int darkest = strokes.darkest;
  for (std::size_t d = static_cast<std::size_t>(darkest) + 1; d < 256; ++d) {
    strokes.deviations[static_cast<std::size_t>(darkest)] += strokes.deviations[d];
    strokes.deviations[d] = 0;
  }
  const double threshold = otsu_groups(strokes.deviations).threshold + 0.5;  // t <= it < t + 1
  const double first = std::min(0.5 * threshold, kAboveNoise * strokes.noise);
  const double last = std::clamp<double>(darkest - kDarkestOfNoise * strokes.noise, threshold,
                                         kFullInk * threshold);
  const double range = last - first;
  std::array<float, 256> table{};
  for (int v = 0; v < 256; ++v) {
    table[static_cast<std::size_t>(v)] =
        static_cast<float>(std::clamp((strokes.paper - v - first) / range, 0.0, 1.0));
  }
  if (!dark) std::ranges::reverse(table);
  return table;
}

// The first principal component of the colours, as one grey value per pixel. Along it white is
// lighter than black.
Image<std::uint8_t> along_widest_colours(const Photograph& picture) {
  const std::size_t pixels = picture.grey.size();
  cv::Matx33d products = cv::Matx33d::zeros();
  cv::Vec3d sums;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* p = picture.colour.data() + 3 * i;
    const cv::Vec3d colour(p[0], p[1], p[2]);
    sums += colour;
    products += colour * colour.t();
  }
  const cv::Matx33d covariance = products - sums * sums.t() * (1.0 / static_cast<double>(pixels));
  cv::Mat variances, directions;
  cv::eigen(cv::Mat(covariance), variances, directions);
  cv::Vec3d d(directions.at<double>(0, 0), directions.at<double>(0, 1),
              directions.at<double>(0, 2));
  if (d[0] + d[1] + d[2] < 0) d = -d;
  // The values of any direction fit into 0 to 255 after division by sqrt(3).
  d *= 1 / std::sqrt(3.0);
  double lowest = 0;
  for (int c = 0; c < 3; ++c) lowest += 255 * std::min(d[c], 0.0);
  Image<std::uint8_t> grey(picture.grey.width(), picture.grey.height());
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* p = picture.colour.data() + 3 * i;
    grey.data()[i] =
        cv::saturate_cast<std::uint8_t>(d[0] * p[0] + d[1] * p[1] + d[2] * p[2] - lowest);
  }
  return grey;
}

}  // namespace

OtsuGroups otsu_groups(const GreyCounts& counts) {
  double all = 0, sum = 0, squares = 0;
  for (int v = 0; v < 256; ++v) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(v)]);
    all += count;
    sum += v * count;
    squares += v * v * count;
  }
  double below = 0, sum_below = 0, best = 0;
  int first = 0, last = 0;
  for (int t = 0; t < 255; ++t) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(t)]);
    below += count;
    sum_below += t * count;
    if (below == 0 || below == all) continue;
    const double apart = sum * below - sum_below * all;
    const double between = apart * apart / (below * (all - below));
    if (between > best) {
      best = between;
      first = last = t;
    } else if (count == 0 && last == t - 1) {
      last = t;
    }
  }
  // Both variances times the square of the number of pixels.
  return {(first + last) / 2, best > 0 ? best / (all * squares - sum * sum) : 0.0};
}

Image<float> ink_of(const Image<std::uint8_t>& grey) {
  if (grey.empty()) refuse("it has no pixels");
  const cv::Mat pixels = view(grey);
  const GreyCounts counts = counts_of(pixels);
  const cv::Mat small = small_picture(pixels);
  const Polarity polarity = polarity_of(small);
  const Strokes strokes = strokes_of(counts, pixels, polarity);
  check_contrast(strokes, counts, small);
  const std::array<float, 256> table = ink_table(strokes, polarity.dark);
  Image<float> ink(grey.width(), grey.height());
  std::ranges::transform(grey.pixels(), ink.data(),
                         [&](std::uint8_t value) { return table[value]; });
  return ink;
}

Image<float> ink_of(const Photograph& picture) {
  if (!picture.has_colour()) return ink_of(picture.grey);
  return ink_of(along_widest_colours(picture));
}

}  // namespace leafglyph
