#include "features/leaf/leaf_picture.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

const cv::Scalar kAround(kAroundLeaf[0], kAroundLeaf[1], kAroundLeaf[2]);

// The colours inside the mask, in a box around it.
cv::Mat colours_inside(const Photograph& photograph, const Image<std::uint8_t>& mask,
                       const cv::Rect& box) {
  const cv::Mat grey = view(photograph.grey)(box);
  cv::Mat colours;
  if (photograph.has_colour()) {
    const cv::Mat all(photograph.grey.height(), photograph.grey.width(), CV_8UC3,
                      const_cast<std::uint8_t*>(photograph.colour.data()));
    colours = all(box).clone();
  } else {
    cv::cvtColor(grey, colours, cv::COLOR_GRAY2RGB);
  }
  colours.setTo(kAround, view(mask)(box) == 0);
  return colours;
}

}  // namespace

std::vector<std::uint8_t> leaf_picture(const Photograph& photograph,
                                       const Image<std::uint8_t>& mask, double pixel_aspect,
                                       int side) {
  constexpr double kFilled = 0.9;  // of the side, by the longer side of the leaf
  const cv::Rect box = cv::boundingRect(view(mask));
  const double longest = std::max(box.width * pixel_aspect, static_cast<double>(box.height));
  const double scale = kFilled * side / longest;
  const int width = std::clamp(cvRound(scale * pixel_aspect * box.width), 1, side);
  const int height = std::clamp(cvRound(scale * box.height), 1, side);
  std::vector<std::uint8_t> picture(3 * static_cast<std::size_t>(side) * side);
  cv::Mat square(side, side, CV_8UC3, picture.data());
  square.setTo(kAround);
  const cv::Rect place((side - width) / 2, (side - height) / 2, width, height);
  cv::resize(colours_inside(photograph, mask, box), square(place), place.size(), 0, 0,
             scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return picture;
}

}  // namespace leafglyph
