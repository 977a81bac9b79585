#include "features/leaf/photograph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <variant>

#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

bool all_grey(const std::vector<std::uint8_t>& colour) {
  for (std::size_t i = 0; i < colour.size(); i += 3) {
    if (colour[i] != colour[i + 1] || colour[i] != colour[i + 2]) return false;
  }
  return true;
}

void resize_into(const cv::Mat& from, cv::Mat to) {
  const bool shrinks = to.cols <= from.cols && to.rows <= from.rows;
  cv::resize(from, to, to.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
}

Photograph photograph_of(SampleImage image) {
  auto& samples = std::get<std::vector<std::uint8_t>>(image.samples);
  Photograph photograph = image.channels == 1
                              ? Photograph{{image.width, image.height, std::move(samples)}, {}}
                              : colour_photograph(image.width, image.height, std::move(samples));
  if (all_grey(photograph.colour)) photograph.colour.clear();
  photograph.file_width = image.file_width;
  photograph.file_height = image.file_height;
  photograph.pixel_aspect = image.pixel_aspect;
  photograph.notes = std::move(image.notes);
  return photograph;
}

}  // namespace

double shape_of(int width, int height, double pixel_aspect, double stated) {
  constexpr double kSame = 0.01;  // sides are whole pixels
  const double own = pixel_aspect * width / height;
  const auto is_own = [own](double shape) { return std::abs(shape / own - 1) < kSame; };
  return stated == 0 || is_own(stated) || is_own(1 / stated) ? own : stated;
}

double Photograph::shape(double stated) const {
  return shape_of(grey.width(), grey.height(), pixel_aspect, stated);
}

Photograph colour_photograph(int width, int height, std::vector<std::uint8_t> colour) {
  Photograph photograph{Image<std::uint8_t>(width, height), std::move(colour)};
  if (photograph.colour.size() != 3 * photograph.grey.size()) {
    throw UsageError("a colour photograph needs three values per pixel");
  }
  if (photograph.grey.empty()) return photograph;
  pixel_kernels().grey(photograph.colour.data(), photograph.grey.size(), photograph.grey.data());
  return photograph;
}

Photograph read_photograph(const std::filesystem::path& file, const PhotographRequest& request) {
  return photograph_of(decode_picture(file, request.enough, !request.colour, request.memory,
                                      request.bits, request.ground));
}

Photograph read_photograph(std::string_view bytes, const std::filesystem::path& file,
                           const PhotographRequest& request) {
  return photograph_of(decode_picture(bytes, file, request.enough, !request.colour, request.memory,
                                      request.bits, request.ground));
}

Photograph resized(const Photograph& photograph, int width, int height) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (grey.width() == width && grey.height() == height) return photograph;
  Photograph result{Image<std::uint8_t>(width, height), {}};
  result.notes = photograph.notes;
  const auto view = [](int columns, int rows, int type, const std::uint8_t* pixels) {
    return cv::Mat(rows, columns, type, const_cast<std::uint8_t*>(pixels));
  };
  resize_into(view(grey.width(), grey.height(), CV_8U, grey.data()),
              view(width, height, CV_8U, result.grey.data()));
  if (photograph.has_colour()) {
    result.colour.resize(3 * result.grey.size());
    resize_into(view(grey.width(), grey.height(), CV_8UC3, photograph.colour.data()),
                view(width, height, CV_8UC3, result.colour.data()));
  }
  return result;
}

}  // namespace leafglyph
