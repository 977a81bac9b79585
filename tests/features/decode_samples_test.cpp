// Samples of image files at their own depth. OpenCV and libpng write the files.
#include <gtest/gtest.h>
#include <png.h>

#include <opencv2/imgcodecs.hpp>
#include <string>

#include "features/base/errors.h"
#include "features/image/image.h"
#include "features/image_io/decode_image.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"

namespace leafglyph {
namespace {

using testing::read_bytes;
using testing::refuses;
using testing::TemporaryFolder;
using testing::write_bytes;

// A picture whose values cover the whole range of the type, with all colours different.
template <class T>
cv::Mat wide(int channels, double step, double low) {
  cv::Mat image(9, 13, CV_MAKETYPE(cv::DataType<T>::depth, channels));
  double value = low;
  for (int row = 0; row < image.rows; ++row) {
    for (int i = 0; i < image.cols * channels; ++i, value += step) {
      image.ptr<T>(row)[i] = static_cast<T>(value);
    }
  }
  return image;
}

template <class T>
void expect_kept(const std::filesystem::path& file, const cv::Mat& image, SampleDepth depth) {
  std::vector<int> options;
  // Without this option OpenCV stores float colours as logarithms.
  if (image.type() == CV_32FC3) options = {cv::IMWRITE_TIFF_COMPRESSION, /*none=*/1};
  ASSERT_TRUE(cv::imwrite(file.string(), image, options));
  const SampleImage decoded = decode_samples(file);
  EXPECT_EQ(decoded.depth(), depth) << file;
  ASSERT_EQ(decoded.width, image.cols) << file;
  ASSERT_EQ(decoded.height, image.rows) << file;
  ASSERT_EQ(decoded.channels, image.channels()) << file;
  const std::vector<double> values = values_of(decoded);
  const int channels = image.channels();
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      for (int c = 0; c < channels; ++c) {
        const int stored = channels - 1 - c;  // OpenCV stores blue first
        const auto at = static_cast<std::size_t>((row * image.cols + column) * channels + c);
        ASSERT_EQ(values[at], static_cast<double>(image.ptr<T>(row)[column * channels + stored]))
            << file << ", row " << row << ", column " << column << ", channel " << c;
      }
    }
  }
}

// oracle: every sample of the lossless formats is read as it was written, at its depth.
TEST(DecodeSamples, DepthAndColoursAreKept) {
  const TemporaryFolder folder;
  for (const int channels : {1, 3}) {
    const cv::Mat bytes = wide<std::uint8_t>(channels, 255.0 / (13 * 9 * channels), 0);
    for (const char* name : {"b.png", "b.tif", "b.bmp"}) {
      expect_kept<std::uint8_t>(folder / name, bytes, SampleDepth::k8Bit);
    }
    const cv::Mat words = wide<std::uint16_t>(channels, 65535.0 / (13 * 9 * channels), 0);
    for (const char* name : {"w.png", "w.tif"}) {
      expect_kept<std::uint16_t>(folder / name, words, SampleDepth::k16Bit);
    }
    expect_kept<float>(folder / "f.tif", wide<float>(channels, 0.37, -20.5), SampleDepth::kFloat);
    // OpenCV cannot write double colours to any file.
    if (channels > 1) continue;
    expect_kept<double>(folder / "d.tif", wide<double>(channels, 1e-3, -1e9), SampleDepth::kFloat);
  }
}

// oracle: grey is the weighted sum, rounded in integers; for 8 bits it is that of decode_image.
TEST(DecodeSamples, GreyIsWeighted) {
  const TemporaryFolder folder;
  const cv::Mat bytes = wide<std::uint8_t>(3, 0.7, 0);
  for (const std::string name : {"g.png", "g.tif", "g.bmp", "g.jpg"}) {
    ASSERT_TRUE(cv::imwrite((folder / name).string(), bytes));
    const SampleImage grey = decode_samples(folder / name, /*grey=*/true);
    ASSERT_EQ(grey.channels, 1) << name;
    const Image<std::uint8_t> expected = decode_image(folder / name).grey;
    EXPECT_EQ(std::get<std::vector<std::uint8_t>>(grey.samples),
              std::vector<std::uint8_t>(expected.pixels().begin(), expected.pixels().end()))
        << name;
  }
  const cv::Mat word(4, 4, CV_16UC3, cv::Scalar(/*blue=*/1000, /*green=*/40001, /*red=*/65535));
  ASSERT_TRUE(cv::imwrite((folder / "w.png").string(), word));
  // 0.299 * 65535 + 0.587 * 40001 + 0.114 * 1000 = 43189.552
  EXPECT_EQ(values_of(decode_samples(folder / "w.png", /*grey=*/true)),
            std::vector<double>(16, 43190.0));
}

// Writes pixels with libpng, because OpenCV cannot write grey with alpha.
void write_png(const std::filesystem::path& file, png_uint_32 format, int width, int height,
               const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  ASSERT_NE(png_image_write_to_file(&image, file.c_str(), 0, pixels, 0, nullptr), 0);
}

// oracle: transparent samples are blended with the white of their depth; grey with alpha becomes
// one channel.
TEST(DecodeSamples, TransparencyIsWhite) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> grey = {0, 0, 0, 255, 100, 51, 200, 255};
  write_png(folder / "ga.png", PNG_FORMAT_GA, 2, 2, grey.data());
  const SampleImage one = decode_samples(folder / "ga.png");
  EXPECT_EQ(one.channels, 1);
  // 1/5 of 100 plus 4/5 of 255
  EXPECT_EQ(values_of(one), (std::vector<double>{255, 0, 224, 200}));
  cv::Mat words(1, 2, CV_16UC4, cv::Scalar(100, 200, 300, 65535));
  words.at<cv::Vec<std::uint16_t, 4>>(0, 1) = {100, 200, 300, 0};
  ASSERT_TRUE(cv::imwrite((folder / "w.png").string(), words));
  EXPECT_EQ(values_of(decode_samples(folder / "w.png")),
            (std::vector<double>{300, 200, 100, 65535, 65535, 65535}));
}

// oracle: an interlaced image with a two-bit palette decodes to its colours.
TEST(DecodeSamples, PalettesBecomeColours) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> indices = {0, 1, 2, 3, 3, 2, 1, 0, 1};
  std::vector<std::uint8_t> colours = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 3;
  image.height = 3;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 4;
  ASSERT_NE(png_image_write_to_file(&image, (folder / "p.png").c_str(), 0, indices.data(), 0,
                                    colours.data()),
            0);
  const SampleImage decoded = decode_samples(folder / "p.png");
  ASSERT_EQ(decoded.channels, 3);
  const std::vector<double> values = values_of(decoded);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], colours[3 * indices[i / 3] + i % 3]) << i;
  }
}

// mechanics: truncated files of every depth are refused by both functions; nothing is printed.
TEST(DecodeSamples, RefusesTruncatedFiles) {
  const TemporaryFolder folder;
  cv::Mat noise(150, 200, CV_16UC3);
  cv::randu(noise, 0, 65535);
  cv::Mat bytes, floats;
  noise.convertTo(bytes, CV_8U, 1.0 / 257);
  noise.convertTo(floats, CV_32F);
  for (const auto& [name, image] : {std::pair<std::string, cv::Mat>{"w.png", noise},
                                    {"w.tif", noise},
                                    {"f.tif", floats},
                                    {"b.png", bytes},
                                    {"b.jpg", bytes},
                                    {"b.bmp", bytes},
                                    {"b.tif", bytes}}) {
    ASSERT_TRUE(cv::imwrite((folder / name).string(), image));
    const std::vector<char> whole = read_bytes(folder / name);
    for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99}) {
      const auto length = static_cast<std::ptrdiff_t>(share * static_cast<double>(whole.size()));
      const auto cut = folder / ("cut-" + name);
      write_bytes(cut, {whole.begin(), whole.begin() + length});
      ::testing::internal::CaptureStderr();
      EXPECT_THROW(decode_samples(cut), InputError) << name << " cut to " << share;
      EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << name;
    }
  }
}

// mechanics: colours stored as logarithms are refused, too.
TEST(DecodeSamples, RefusesOtherColoursOfManyBits) {
  const TemporaryFolder folder;
  const cv::Mat image(8, 8, CV_32FC3, cv::Scalar(0.1, 0.2, 0.3));
  ASSERT_TRUE(cv::imwrite((folder / "log.tif").string(), image));
  EXPECT_THROW(decode_samples(folder / "log.tif"), InputError);
}

// mechanics: decode_samples never reduces a JPEG; decode_picture does, but not below its side.
TEST(DecodeSamples, OnlyPicturesAreReduced) {
  const TemporaryFolder folder;
  const auto file = folder / "large.jpg";
  ASSERT_TRUE(cv::imwrite(file.string(), cv::Mat(300, 800, CV_8UC3, cv::Scalar(10, 200, 90))));
  EXPECT_EQ(decode_samples(file).width, 800);
  for (const auto& [side, width] :
       {std::pair{801, 800}, {800, 800}, {400, 400}, {199, 200}, {10, 100}}) {
    const SampleImage picture = decode_picture(file, side);
    EXPECT_EQ(picture.width, width) << side;
    EXPECT_EQ(picture.channels, 3);
  }
  ASSERT_TRUE(cv::imwrite(file.string(), cv::Mat(8200, 8200, CV_8U, cv::Scalar(255))));
  EXPECT_THROW(decode_samples(file), InputError);
}

// agreement: the grey of a picture is the grey of its colours. For a JPEG file it is read as
// stored, without the rounding of a conversion to colours.
TEST(DecodeSamples, GreyPicturesAreTheGreyOfTheirColours) {
  const TemporaryFolder folder;
  cv::Mat image(60, 80, CV_8UC3);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      // Far enough from black and white that none of the file's colours is clipped.
      image.at<cv::Vec3b>(row, column) = cv::Vec3b(cv::saturate_cast<std::uint8_t>(60 + row),
                                                   cv::saturate_cast<std::uint8_t>(90 + column),
                                                   cv::saturate_cast<std::uint8_t>(180 - row));
    }
  }
  for (const auto& [name, most] : {std::pair{"a.png", 0}, {"a.bmp", 0}, {"a.jpg", 1}}) {
    const auto file = folder / name;
    ASSERT_TRUE(cv::imwrite(file.string(), image, {cv::IMWRITE_JPEG_QUALITY, 95}));
    const SampleImage colour = decode_picture(file, 1000), grey = decode_picture(file, 1000, true);
    ASSERT_EQ(colour.channels, 3);
    ASSERT_EQ(grey.channels, 1);
    const auto& rgb = std::get<std::vector<std::uint8_t>>(colour.samples);
    const auto& values = std::get<std::vector<std::uint8_t>>(grey.samples);
    ASSERT_EQ(3 * values.size(), rgb.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], grey_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]), most) << name;
    }
  }
}

}  // namespace
}  // namespace leafglyph
