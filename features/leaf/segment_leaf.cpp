#include "features/leaf/segment_leaf.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Below this difference between the mean grey values of the two classes a photograph shows paper
// and its shading, not a leaf. The faintest Flavia leaf has 52.
constexpr double kLeastContrast = 16;
// A leaf of fewer pixels has no outline to speak of.
constexpr double kLeastArea = 64;
// A leaf covers a smaller share of the frame's border than this, or it is the background.
constexpr double kMostBorderShare = 0.5;
// A part this large, as a share of the largest part, is another leaf rather than dirt.
constexpr double kOtherLeafShare = 0.1;

std::string message(std::string_view name, std::string_view reason) {
  return std::string(name) + ": " + std::string(reason);
}

cv::Mat view(Image<std::uint8_t>& image) {
  return cv::Mat(image.height(), image.width(), CV_8U, image.data());
}

// Of a photograph of one value every threshold would be Otsu's.
void check_values(const cv::Mat& photograph, std::string_view name) {
  double darkest = 0, lightest = 0;
  cv::minMaxLoc(photograph, &darkest, &lightest);
  if (darkest == lightest) {
    throw InputError(message(name, "every pixel has the same grey value; there is no leaf in it"));
  }
}

void check_contrast(const cv::Mat& photograph, const cv::Mat& mask, std::string_view name) {
  const double contrast =
      std::abs(cv::mean(photograph, mask)[0] - cv::mean(photograph, mask == 0)[0]);
  if (contrast < kLeastContrast) {
    throw InputError(message(name, "no leaf stands out: the dark and the light parts differ by " +
                                       std::to_string(static_cast<int>(std::lround(contrast))) +
                                       " of 255 grey values"));
  }
}

// Pixels that an outer contour encloses, itself included (Pick's theorem).
double enclosed_pixels(const std::vector<cv::Point>& contour) {
  return cv::contourArea(contour) + 0.5 * static_cast<double>(contour.size()) + 1;
}

// Keeps the 8-connected component that encloses most pixels, and fills its holes.
void keep_largest(Image<std::uint8_t>& mask, std::vector<std::string>& warnings) {
  cv::Mat pixels = view(mask);
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(pixels, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  if (contours.empty()) return;
  std::vector<double> areas;
  areas.reserve(contours.size());
  for (const auto& contour : contours) areas.push_back(enclosed_pixels(contour));
  const auto largest = std::max_element(areas.begin(), areas.end());
  const auto others =
      std::count_if(areas.begin(), areas.end(),
                    [&](double area) { return area >= kOtherLeafShare * *largest; }) -
      1;
  if (others > 0) {
    warnings.push_back("several leaves: " + std::to_string(others) + " other part" +
                       (others == 1 ? "" : "s") + " left out; the largest is used");
  }
  pixels.setTo(0);
  cv::drawContours(pixels, contours, static_cast<int>(largest - areas.begin()), cv::Scalar(1),
                   cv::FILLED);
}

void measure_region(LeafRegion& region) {
  const Image<std::uint8_t>& mask = region.mask;
  double m00 = 0, m10 = 0, m01 = 0;
  for (int row = 0; row < mask.height(); ++row) {
    const std::uint8_t* p = mask.data() + static_cast<std::size_t>(row) * mask.width();
    std::int64_t count = 0, columns = 0;
    for (int column = 0; column < mask.width(); ++column) {
      count += p[column];
      columns += p[column] * column;
    }
    m00 += static_cast<double>(count);
    m10 += static_cast<double>(columns);
    m01 += static_cast<double>(count) * row;
  }
  region.area = m00;
  if (m00 > 0) {
    region.centroid_x = m10 / m00;
    region.centroid_y = m01 / m00;
  }
}

// Share of the pixels on the frame's border that the mask covers.
double border_share(const Image<std::uint8_t>& mask) {
  const int right = mask.width() - 1, bottom = mask.height() - 1;
  int count = 0, covered = 0;
  const auto look = [&](int row, int column) {
    ++count;
    covered += mask.at(row, column);
  };
  for (int column = 0; column <= right; ++column) {
    look(0, column);
    look(bottom, column);
  }
  for (int row = 1; row < bottom; ++row) {
    look(row, 0);
    look(row, right);
  }
  return static_cast<double>(covered) / count;
}

Image<std::uint8_t> black_and_white(const Image<std::uint8_t>& mask) {
  Image<std::uint8_t> picture(mask.width(), mask.height());
  std::transform(mask.pixels().begin(), mask.pixels().end(), picture.pixels().begin(),
                 [](std::uint8_t inside) { return inside ? std::uint8_t{255} : std::uint8_t{0}; });
  return picture;
}

}  // namespace

LeafRegion segment_leaf(const Image<std::uint8_t>& photograph, std::string_view name,
                        const PrepareSpec& spec, StageSink* sink) {
  // OpenCV's functions take what they only read as cv::Mat, too.
  const cv::Mat grey = view(const_cast<Image<std::uint8_t>&>(photograph));
  check_values(grey, name);
  const bool leaf_is_dark = spec.background == Background::kLight;
  LeafRegion region;
  region.mask = Image<std::uint8_t>(photograph.width(), photograph.height());
  cv::Mat mask = view(region.mask);
  region.threshold = static_cast<int>(
      cv::threshold(grey, mask, 0, /*maxval=*/1,
                    cv::THRESH_OTSU | (leaf_is_dark ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY)));
  check_contrast(grey, mask, name);
  if (sink != nullptr) sink->stage("2-binary", black_and_white(region.mask));
  if (border_share(region.mask) > kMostBorderShare) {
    throw InputError(message(
        name, leaf_is_dark ? "the border of the photograph is dark, so its background is not "
                             "light; for leaves on a dark background set background: dark"
                           : "the border of the photograph is light, so its background is not "
                             "dark; for leaves on a light background set background: light"));
  }
  if (spec.parts == LeafParts::kLargest) keep_largest(region.mask, region.warnings);
  measure_region(region);
  if (region.area < kLeastArea) {
    throw InputError(message(name, "no leaf: the largest part that stands out has " +
                                       std::to_string(static_cast<int>(region.area)) + " pixels"));
  }
  if (border_share(region.mask) > 0) {
    region.warnings.push_back(
        "the leaf touches the border of the photograph, so part of it may be "
        "missing");
  }
  if (sink != nullptr) sink->stage("3-leaf", black_and_white(region.mask));
  return region;
}

}  // namespace leafglyph
