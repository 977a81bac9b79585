#include "features/leaf/petiole.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

/// The 8-connected parts of a binary image. Label 0 marks pixels in no part.
struct Parts {
  cv::Mat labels;             // int
  std::vector<double> areas;  // areas[0] is 0: not a part
  explicit Parts(const cv::Mat& binary) {
    cv::Mat boxes, centres;
    const int count = cv::connectedComponentsWithStats(binary, labels, boxes, centres);
    for (int i = 0; i < count; ++i) areas.push_back(boxes.at<int>(i, cv::CC_STAT_AREA));
    areas[0] = 0;
  }
  int count() const { return static_cast<int>(areas.size()) - 1; }
  int largest() const { return static_cast<int>(std::ranges::max_element(areas) - areas.begin()); }
  cv::Mat of(int label) const { return labels == label; }
};

// Distance of each pixel to the nearest pixel of a non-empty set.
cv::Mat distance_to(const cv::Mat& set) {
  cv::Mat distance;
  cv::distanceTransform(~set, distance, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  return distance;
}

// Files are never squeezed by more than this.
constexpr double kMostAspect = 4;

// The leaf resampled to square pixels, at most as large as before, 255 inside, with a frame of one
// pixel.
cv::Mat square_pixels(const Image<std::uint8_t>& mask, const MaskBox& box, double pixel_aspect) {
  const cv::Mat leaf = view(mask)(cv::Rect(box.left, box.top, box.width(), box.height())) * 255;
  const double aspect = std::clamp(pixel_aspect, 1 / kMostAspect, kMostAspect);
  const cv::Size size(static_cast<int>(std::lround(box.width() * std::max(1.0, aspect))),
                      static_cast<int>(std::lround(box.height() * std::max(1.0, 1 / aspect))));
  cv::Mat square;
  cv::resize(leaf, square, size, 0, 0, cv::INTER_NEAREST_EXACT);
  cv::copyMakeBorder(square, square, 1, 1, 1, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  return square;
}

/// How far each thin part extends from the blade, and how much of its area lies in its outer half.
struct Reach {
  std::vector<double> length, outer;
  Reach(const Parts& thin, const cv::Mat& beyond)
      : length(thin.areas.size()), outer(thin.areas.size()) {
    const auto each = [&](auto&& visit) {
      for (int row = 0; row < beyond.rows; ++row) {
        const int* label = thin.labels.ptr<int>(row);
        const float* far = beyond.ptr<float>(row);
        for (int column = 0; column < beyond.cols; ++column) {
          if (label[column] != 0) visit(static_cast<std::size_t>(label[column]), far[column]);
        }
      }
    };
    each([&](std::size_t i, double far) { length[i] = std::max(length[i], far); });
    each([&](std::size_t i, double far) { outer[i] += far > 0.5 * length[i]; });
  }
};

// The stalk and whatever hangs on it; nullopt if there is no stalk. See petiole.h for the criteria.
std::optional<cv::Mat> petiole_of(const cv::Mat& leaf) {
  const double area = cv::countNonZero(leaf);
  const double radius = kPetioleDisc * std::sqrt(area / std::numbers::pi);
  cv::Mat depth;
  cv::distanceTransform(leaf, depth, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  const cv::Mat thick = depth > radius;
  const Parts cores(thick);
  if (cores.count() == 0) return std::nullopt;
  const cv::Mat to_any = distance_to(thick);
  const cv::Mat to_blade = cores.count() == 1 ? to_any : distance_to(cores.of(cores.largest()));
  const Parts thin(leaf & (to_any > radius));
  const Reach reach(thin, to_blade - radius);
  int stalk = 0;
  for (int i = 1; i <= thin.count(); ++i) {
    const auto part = static_cast<std::size_t>(i);
    if (reach.length[part] >= kPetioleLength * 2 * radius &&
        reach.outer[part] >= kPetioleOuterShare * thin.areas[part] &&
        thin.areas[part] > thin.areas[static_cast<std::size_t>(stalk)]) {
      stalk = i;
    }
  }
  if (stalk == 0) return std::nullopt;
  const Parts left(leaf & ~thin.of(stalk));
  const cv::Mat gone = leaf & ~left.of(left.largest());
  const double beyond = cv::countNonZero(gone) - thin.areas[static_cast<std::size_t>(stalk)];
  if (beyond > kPetioleBeyond * area) return std::nullopt;
  return gone;
}

}  // namespace

double cut_petiole(Image<std::uint8_t>& mask, double pixel_aspect) {
  const MaskBox box = box_of(mask);
  if (box.width() == 0) return 0;
  const std::optional<cv::Mat> gone = petiole_of(square_pixels(mask, box, pixel_aspect));
  if (!gone) return 0;
  cv::Mat stalk;
  // Nearest-exact maps centres to centres, so every pixel returns to the position that it came
  // from.
  cv::resize((*gone)(cv::Rect(1, 1, gone->cols - 2, gone->rows - 2)), stalk,
             cv::Size(box.width(), box.height()), 0, 0, cv::INTER_NEAREST_EXACT);
  cv::Mat leaf = view(mask)(cv::Rect(box.left, box.top, box.width(), box.height()));
  const double before = cv::countNonZero(leaf);
  leaf.setTo(cv::Scalar(0), stalk);
  return 1 - cv::countNonZero(leaf) / before;
}

}  // namespace leafglyph
