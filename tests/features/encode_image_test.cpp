// Written image files. OpenCV reads them, too.
#include "features/image_io/encode_image.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/image_io/sample_mat.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"

namespace leafglyph {
namespace {

using testing::refuses;
using testing::TemporaryFolder;

// Samples over the whole range of their type.
template <class T>
SampleImage noise(int width, int height, int channels) {
  std::mt19937 random(7);
  std::vector<T> samples(static_cast<std::size_t>(width * height * channels));
  for (T& sample : samples) {
    if constexpr (std::is_integral_v<T>) {
      sample = static_cast<T>(random());
    } else {
      sample = static_cast<T>(1e-3 * static_cast<double>(random()) - 1e6);
    }
  }
  return {width, height, channels, std::move(samples)};
}

// The values as OpenCV reads the file, in the order of SampleImage.
std::vector<double> values_by_opencv(const std::filesystem::path& file) {
  const cv::Mat image = cv::imread(file.string(), cv::IMREAD_UNCHANGED);
  cv::Mat values;
  image.convertTo(values, CV_64F);
  std::vector<double> list;
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      const double* pixel = values.ptr<double>(row) + column * image.channels();
      for (int c = image.channels(); c-- > 0;) list.push_back(pixel[c]);
    }
  }
  return list;
}

// oracle: our readers and OpenCV read what was written, in each format and depth that keeps
// samples. The sides are odd because BMP files pad their rows.
TEST(EncodeImage, SamplesAreKept) {
  const TemporaryFolder folder;
  for (const int channels : {1, 3}) {
    const SampleImage bytes = noise<std::uint8_t>(13, 9, channels);
    const SampleImage words = noise<std::uint16_t>(13, 9, channels);
    const SampleImage floats = noise<float>(13, 9, channels);
    const struct {
      const char* name;
      const SampleImage& image;
    } cases[] = {{"b.png", bytes}, {"b.tiff", bytes}, {"b.webp", bytes}, {"b.bmp", bytes},
                 {"w.png", words}, {"w.tif", words},  {"f.tiff", floats}};
    for (const auto& [name, image] : cases) {
      SCOPED_TRACE(std::string(name) + ", channels: " + std::to_string(channels));
      const auto file = folder / name;
      write_file(file, encode_image(image, image_format_of(file).value()));
      const SampleImage again = decode_samples(file);
      EXPECT_EQ(again.width, image.width);
      EXPECT_EQ(again.height, image.height);
      const bool grows = file.extension() == ".webp";  // WebP stores colours only
      EXPECT_EQ(again.channels, grows ? 3 : channels);
      const std::vector<double> values = values_of(image);
      if (!grows || channels == 3) {
        EXPECT_EQ(values_of(again), values);
        EXPECT_EQ(values_by_opencv(file), values);
      } else {
        EXPECT_EQ(values_of(decode_samples(file, /*grey=*/true)), values);
      }
    }
  }
}

// agreement: a JPEG file equals OpenCV's, which calls the same library with the same quality.
TEST(EncodeImage, JpegIsThatOfTheQuality) {
  for (const int quality : {30, 95}) {
    SampleImage image = noise<std::uint8_t>(40, 24, 1);
    std::vector<unsigned char> expected;
    ASSERT_TRUE(cv::imencode(".jpg", view(image), expected, {cv::IMWRITE_JPEG_QUALITY, quality}));
    EXPECT_EQ(encode_jpeg(image, quality), std::string(expected.begin(), expected.end()));
  }
  const SampleImage colours = noise<std::uint8_t>(40, 24, 3);
  const std::string whole = encode_jpeg(colours), optimised = encode_jpeg(colours, 95, true);
  EXPECT_LT(optimised.size(), whole.size());
  EXPECT_EQ(values_of(decode_picture(whole, "whole", 0)),
            values_of(decode_picture(optimised, "optimised", 0)));
}

// mechanics: the extension selects the format, and depths that a format would lose are refused.
TEST(EncodeImage, RefusesWhatAFormatDoesNotHold) {
  EXPECT_EQ(image_format_of("a/b.PNG"), ImageFormat::kPng);
  EXPECT_EQ(image_format_of("b.jpeg"), ImageFormat::kJpeg);
  EXPECT_EQ(image_format_of("png"), std::nullopt);
  EXPECT_EQ(image_format_of("b.gif"), std::nullopt);
  const SampleImage words = noise<std::uint16_t>(3, 2, 1), floats = noise<float>(3, 2, 1);
  for (const ImageFormat format : {ImageFormat::kPng, ImageFormat::kJpeg, ImageFormat::kTiff,
                                   ImageFormat::kWebp, ImageFormat::kBmp}) {
    for (const SampleImage* image : {&words, &floats}) {
      if (holds(format, image->depth())) {
        EXPECT_FALSE(encode_image(*image, format).empty());
      } else {
        EXPECT_THROW(encode_image(*image, format), UsageError);
      }
    }
  }
}

// mechanics: an image with more pixels than the format allows is an error that names its size.
TEST(EncodeImage, TooLargeImagesAreErrors) {
  const SampleImage wide = noise<std::uint8_t>(70000, 1, 1);
  for (const auto encode :
       {&encode_webp, +[](const SampleImage& image) { return encode_jpeg(image); }}) {
    EXPECT_TRUE(refuses([&] { encode(wide); }, "70000 x 1"));
  }
  EXPECT_EQ(values_of(decode_picture(encode_png(wide), "wide", 0)), values_of(wide));
}

}  // namespace
}  // namespace leafglyph
