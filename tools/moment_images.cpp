#include "tools/moment_images.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "classify/files.h"
#include "features/errors.h"

namespace leafglyph {
namespace {

// First row, or column, of the image inside its square.
int margin(int size, int length) { return (size - length) / 2; }

cv::Mat decode(const std::filesystem::path& path, bool grey) {
  const std::string bytes = read_file(path);
  const std::vector<unsigned char> buffer(bytes.begin(), bytes.end());
  cv::Mat image;
  if (!buffer.empty()) {
    try {
      image = cv::imdecode(buffer, grey ? cv::IMREAD_GRAYSCALE : cv::IMREAD_ANYCOLOR);
    } catch (const cv::Exception&) {
      image.release();
    }
  }
  if (image.empty()) throw InputError(path.string() + " is not an image that can be decoded");
  return image;
}

UsageError unknown_format(const std::filesystem::path& path) {
  return UsageError("images are not written as '" + path.extension().string() +
                    "'; use .png, .jpg or .tiff");
}

}  // namespace

SquareImage read_square_image(const std::filesystem::path& path, bool grey) {
  const cv::Mat image = decode(path, grey);
  SquareImage square;
  square.width = image.cols;
  square.height = image.rows;
  square.size = std::max(image.cols, image.rows);
  if (image.cols < 2 || image.rows < 2) {
    throw InputError(path.string() + " has " + std::to_string(image.cols) + " x " +
                     std::to_string(image.rows) + " pixels; use 2 x 2 or more");
  }
  const int count = image.channels();
  const std::vector<std::string> names = count == 1
                                             ? std::vector<std::string>{"grey"}
                                             : std::vector<std::string>{"red", "green", "blue"};
  const int top = margin(square.size, image.rows);
  const int left = margin(square.size, image.cols);
  for (std::size_t c = 0; c < names.size(); ++c) {
    SquareChannel channel{names[c], {}};
    channel.pixels.assign(static_cast<std::size_t>(square.size) * square.size, 0.0);
    // OpenCV stores blue, green, red.
    const auto stored = count == 1 ? 0 : 2 - static_cast<int>(c);
    for (int j = 0; j < image.rows; ++j) {
      const unsigned char* row = image.ptr<unsigned char>(j);
      double* to = channel.pixels.data() + static_cast<std::size_t>(top + j) * square.size + left;
      for (int i = 0; i < image.cols; ++i) to[i] = row[i * count + stored];
    }
    square.channels.push_back(std::move(channel));
  }
  return square;
}

void check_image_format(const std::filesystem::path& path) {
  if (!path.has_extension() || !cv::haveImageWriter(path.string())) throw unknown_format(path);
}

void write_square_image(const std::filesystem::path& path, int width, int height, int size,
                        const std::vector<std::vector<double>>& channels) {
  const int count = static_cast<int>(channels.size());
  if (count != 1 && count != 3) {
    throw UsageError("an image has 1 or 3 channels, not " + std::to_string(count));
  }
  cv::Mat image(height, width, CV_8UC(count));
  const int top = margin(size, height);
  const int left = margin(size, width);
  for (int c = 0; c < count; ++c) {
    const int stored = count == 1 ? 0 : 2 - c;
    for (int j = 0; j < height; ++j) {
      unsigned char* row = image.ptr<unsigned char>(j);
      const double* from = channels[static_cast<std::size_t>(c)].data() +
                           static_cast<std::size_t>(top + j) * size + left;
      for (int i = 0; i < width; ++i) {
        row[i * count + stored] =
            static_cast<unsigned char>(std::lround(std::clamp(from[i], 0.0, 255.0)));
      }
    }
  }
  std::vector<unsigned char> bytes;
  bool encoded = false;
  try {
    encoded = cv::imencode(path.extension().string(), image, bytes);
  } catch (const cv::Exception&) {
    encoded = false;
  }
  if (!encoded) throw unknown_format(path);
  write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace leafglyph
