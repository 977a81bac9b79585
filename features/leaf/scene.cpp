#include "features/leaf/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "features/image/resample.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/paper_light.h"

namespace leafglyph {
namespace {

// Longer side in pixels, at least, of the photograph in which strips are searched.
constexpr int kStripSide = 128;
// Values of frames, and most patches of charts, differ from those of the paper by more than kUnlike
// as a factor, paper by less than kLike. A shade at the side of the photograph passes from one to
// the other gradually, a strip in a step.
constexpr double kUnlike = 1.25, kLike = 1.12;
// Every line of a strip is unlike the paper over at least this share, and the line beyond its end
// is not; the share falls by kStraightEnd there.
constexpr double kLeastUnlike = 0.25, kStraightEnd = 0.35;
// A strip covers at most this share of the side across it: more is rather a leaf.
constexpr double kDeepest = 0.35;
// Between strips, and beside them, may be this share of the side across them.
constexpr double kGap = 0.06;
// What is left has at most this share of its outermost lines unlike the paper.
constexpr double kMostAround = 0.5;
// Strips end within this share of the side across them: frames are tilted and blurred.
constexpr double kEndWidth = 0.02;

/// The lines along one side of a rectangle, from the side inwards.
enum class Side { kTop, kBottom, kLeft, kRight };
constexpr std::array kSides = {Side::kTop, Side::kBottom, Side::kLeft, Side::kRight};

// Shares of the lines along a side that are 255 in `unlike`, and not 0.
std::vector<double> shares_along(const cv::Mat& unlike, Side side) {
  const bool is_row = side == Side::kTop || side == Side::kBottom;
  cv::Mat sums;
  cv::reduce(unlike, sums, is_row ? 1 : 0, cv::REDUCE_SUM, CV_32S);
  std::vector<double> shares(sums.begin<int>(), sums.end<int>());
  for (double& share : shares) share /= 255.0 * (is_row ? unlike.cols : unlike.rows);
  if (side == Side::kBottom || side == Side::kRight) std::ranges::reverse(shares);
  return shares;
}

/// How the lines along a side differ from the paper: shares of pixels.
struct Lines {
  std::vector<double> unlike;       // by kUnlike
  std::vector<double> hardly_like;  // by kLike
};

// How many of the lines form a strip; 0: none. Beyond its end comes the width of the end.
int strip_depth(const Lines& lines) {
  const auto count = static_cast<int>(lines.unlike.size());
  const int width = std::max(1, static_cast<int>(std::lround(kEndWidth * count)));
  const int most = std::min(static_cast<int>(kDeepest * count), count - 2 * width);
  int depth = 0, gap = 0;
  for (int line = 0; line < most && gap <= kGap * count; ++line) {
    const double share = lines.unlike[static_cast<std::size_t>(line)];
    gap = share < kLeastUnlike ? gap + 1 : 0;
    const auto beyond = static_cast<std::size_t>(line + width);
    const bool is_paper = lines.hardly_like[beyond] < kLeastUnlike;
    if (is_paper && share - lines.unlike[beyond] >= kStraightEnd) depth = line + width;
  }
  return depth;
}

void take_off(Side side, int depth, cv::Rect& box) {
  if (side == Side::kLeft) box.x += depth;
  if (side == Side::kTop) box.y += depth;
  (side == Side::kLeft || side == Side::kRight ? box.width : box.height) -= depth;
}

// The rectangle without its strips. One that ends at another is seen when that is gone.
cv::Rect without_strips(const cv::Mat& factors) {
  const cv::Mat unlike = factors > kUnlike, hardly_like = factors > kLike;
  cv::Rect box({0, 0}, factors.size());
  for (int pass = 0; pass < 2; ++pass) {
    for (const Side side : kSides) {
      const Lines lines{shares_along(unlike(box), side), shares_along(hardly_like(box), side)};
      take_off(side, strip_depth(lines), box);
    }
  }
  // Where a large leaf is taken for the paper, the paper is beyond its straight edge and all
  // around.
  for (const Side side : kSides) {
    if (shares_along(unlike(box), side).front() > kMostAround) return {{0, 0}, factors.size()};
  }
  return box;
}

// By which factor the values of a plane differ from those of the paper.
cv::Mat factors_from_paper(const Image<std::uint8_t>& plane) {
  const Image<float> paper = light_of_commonest(plane);
  cv::Mat factors(plane.height(), plane.width(), CV_32F);
  for (int row = 0; row < plane.height(); ++row) {
    for (int column = 0; column < plane.width(); ++column) {
      const float value = std::max<float>(1, plane.at(row, column));
      const float light = std::max<float>(1, paper.at(row, column));
      factors.at<float>(row, column) = std::max(value / light, light / value);
    }
  }
  return factors;
}

// The same of a photograph: the largest of its colours.
cv::Mat factors_from_paper(const Photograph& photograph) {
  if (!photograph.has_colour()) return factors_from_paper(photograph.grey);
  cv::Mat factors(photograph.grey.height(), photograph.grey.width(), CV_32F, cv::Scalar(1));
  Image<std::uint8_t> plane(photograph.grey.width(), photograph.grey.height());
  for (std::size_t colour = 0; colour < 3; ++colour) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      plane.data()[i] = photograph.colour[3 * i + colour];
    }
    cv::max(factors, factors_from_paper(plane), factors);
  }
  return factors;
}

bool is_whole(const PictureBox& box, const Image<std::uint8_t>& grey) {
  return box.width == grey.width() && box.height == grey.height();
}

template <class T>
Image<T> cropped(const Image<T>& image, const PictureBox& box) {
  Image<T> crop(box.width, box.height);
  for (int row = 0; row < box.height; ++row) {
    std::copy_n(&image.at(box.top + row, box.left), box.width, &crop.at(row, 0));
  }
  return crop;
}

// `within`, at its place in an image of this size that is 0 elsewhere.
template <class T>
Image<T> placed(const Image<T>& within, const PictureBox& box, const Image<std::uint8_t>& whole) {
  Image<T> result(whole.width(), whole.height());
  for (int row = 0; row < box.height; ++row) {
    std::copy_n(&within.at(row, 0), box.width, &result.at(box.top + row, box.left));
  }
  return result;
}

Photograph part_of(const Photograph& whole, const PictureBox& box) {
  Photograph part{cropped(whole.grey, box)};
  part.notes = whole.notes;
  if (!whole.has_colour()) return part;
  part.colour.reserve(3 * part.grey.size());
  for (int row = box.top; row < box.top + box.height; ++row) {
    const auto* from =
        &whole.colour[std::size_t{3} * (static_cast<std::size_t>(row) * whole.grey.width() +
                                        static_cast<std::size_t>(box.left))];
    part.colour.insert(part.colour.end(), from, from + std::ptrdiff_t{3} * box.width);
  }
  return part;
}

}  // namespace

PictureBox within_strips(const Photograph& photograph) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const int reduction = power_of_two_reduction(std::max(width, height), kStripSide);
  const Photograph small = resized(photograph, (width + reduction - 1) / reduction,
                                   (height + reduction - 1) / reduction);
  const cv::Rect box = without_strips(factors_from_paper(small));
  const auto scaled = [](int at, int from, int to) {
    return static_cast<int>(static_cast<std::int64_t>(at) * to / from);
  };
  const int left = scaled(box.x, small.grey.width(), width),
            top = scaled(box.y, small.grey.height(), height);
  return {left, top, scaled(box.br().x, small.grey.width(), width) - left,
          scaled(box.br().y, small.grey.height(), height) - top};
}

LeafScene::LeafScene(const Photograph& photograph, const PrepareSpec& spec, StageSink* sink)
    : whole_(photograph), sink_(sink) {
  if (spec.finder != Finder::kScene) return;
  box_ = within_strips(photograph);
  if (!is_whole(box_, photograph.grey)) within_ = part_of(photograph, box_);
}

void LeafScene::place(LeafRegion& region) const {
  if (!within_) return;
  region.mask = placed(region.mask, box_, whole_.grey);
  region.centroid_x += box_.left;
  region.centroid_y += box_.top;
  if (region.state == PartState::kNotALeaf) return;
  region.grey = placed(region.grey, box_, whole_.grey);
  if (region.colours) {
    region.colours = std::make_shared<const ChromaticPlanes>(
        ChromaticPlanes{placed(region.colours->a, box_, whole_.grey),
                        placed(region.colours->b, box_, whole_.grey)});
  }
  region.notes.emplace_back("a frame, a ruler or a chart along the sides was left out");
}

void LeafScene::stage(std::string_view name, const Image<std::uint8_t>& image) {
  sink_->stage(name, placed(image, box_, whole_.grey));
}

}  // namespace leafglyph
