#include "classify/glyph_report/packed_outlines.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace leafglyph {
namespace {

constexpr double kTolerance = 1.0;          // of the grid: nobody sees it
constexpr std::size_t kMostContours = 255;  // a byte
constexpr std::size_t kMostCorners = 65535;

char grid_byte(float share) {
  const float place = std::clamp(share, 0.0F, static_cast<float>(kOutlineGrid));
  return static_cast<char>(static_cast<unsigned char>(std::lround(place)));
}

std::vector<cv::Point2f> corners_of(const GlyphContour& contour) {
  std::vector<cv::Point2f> points;
  points.reserve(contour.size());
  for (const GlyphPoint& point : contour) {
    points.emplace_back(kOutlineGrid * point.x, kOutlineGrid * point.y);
  }
  std::vector<cv::Point2f> corners;
  cv::approxPolyDP(points, corners, kTolerance, /*closed=*/true);
  return corners;
}

}  // namespace

std::string packed_outlines(const GlyphSource& font, std::u32string_view characters) {
  std::string bytes;
  for (const char32_t character : characters) {
    std::string contours;
    std::size_t count = 0;
    for (const GlyphContour& contour : font.outline(character)) {
      const std::vector<cv::Point2f> corners = corners_of(contour);
      if (corners.size() < 3 || corners.size() > kMostCorners || count == kMostContours) continue;
      ++count;
      contours.push_back(static_cast<char>(corners.size() & 0xFF));
      contours.push_back(static_cast<char>(corners.size() >> 8));
      for (const cv::Point2f& corner : corners) {
        contours.push_back(grid_byte(corner.x));
        contours.push_back(grid_byte(corner.y));
      }
    }
    bytes.push_back(static_cast<char>(count));
    bytes += contours;
  }
  return bytes;
}

}  // namespace leafglyph
