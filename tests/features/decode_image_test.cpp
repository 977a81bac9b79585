// Decoding of image files. OpenCV writes the files; the readers under test use each format's own
// library.
#include "features/image_io/decode_image.h"
#include "features/base/limits.h"

#include <gtest/gtest.h>

#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jpeglib.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

// An asymmetric picture: all of its orientations differ.
cv::Mat slope(int width, int height, int type) {
  cv::Mat image(height, width, type, cv::Scalar::all(0));
  cv::Mat grey(height, width, CV_8U);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      grey.at<std::uint8_t>(row, column) = static_cast<std::uint8_t>(3 * column + 2 * row + 10);
    }
  }
  if (CV_MAT_CN(type) == 3) cv::cvtColor(grey, grey, cv::COLOR_GRAY2BGR);
  grey.convertTo(image, CV_MAT_DEPTH(type), CV_MAT_DEPTH(type) == CV_16U ? 257 : 1);
  return image;
}

std::string refusal(const std::filesystem::path& file) {
  ::testing::internal::CaptureStderr();
  std::string message;
  try {
    decode_image(file);
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "a library printed";
  return message;
}

// A TIFF header that states an EXIF orientation, as an APP1 segment of a JPEG file.
std::vector<char> exif_segment(char orientation) {
  const char bytes[] = {'\xff', '\xe1', 0, 34, 'E', 'x',         'i', 'f', 0, 0,  'M', 'M',
                        0,      42,     0, 0,  0,   8,           0,   1,   1, 18, 0,   3,
                        0,      0,      0, 1,  0,   orientation, 0,   0,   0, 0,  0,   0};
  return {bytes, bytes + sizeof bytes};
}

// oracle: grey files in lossless formats decode exactly; of 16-bit values the upper byte is taken.
TEST(DecodeImage, LosslessGreyIsExact) {
  const TemporaryFolder folder;
  for (const std::string name : {"a.png", "a.tif", "a.bmp", "a16.png", "a16.tif"}) {
    const bool deep = name.find("16") != std::string::npos;
    const cv::Mat image = slope(37, 21, deep ? CV_16U : CV_8U);
    ASSERT_TRUE(cv::imwrite((folder / name).string(), image));
    const DecodedImage decoded = decode_image(folder / name);
    ASSERT_EQ(decoded.grey.width(), 37) << name;
    ASSERT_EQ(decoded.grey.height(), 21) << name;
    for (int row = 0; row < 21; ++row) {
      for (int column = 0; column < 37; ++column) {
        ASSERT_EQ(decoded.grey.at(row, column), 3 * column + 2 * row + 10) << name;
      }
    }
  }
}

// oracle: the grey value of a colour follows the BT.601 weights in every format.
TEST(DecodeImage, ColourByItsWeights) {
  const TemporaryFolder folder;
  const cv::Mat image(16, 16, CV_8UC3, cv::Scalar(/*blue=*/40, /*green=*/180, /*red=*/90));
  const double expected = 0.299 * 90 + 0.587 * 180 + 0.114 * 40;
  for (const std::string name : {"c.png", "c.tif", "c.bmp", "c.jpg"}) {
    ASSERT_TRUE(cv::imwrite((folder / name).string(), image));
    // JPEG keeps a flat block to about one value; the other formats round once.
    const double tolerance = name == "c.jpg" ? 1.5 : 0.5;
    EXPECT_NEAR(decode_image(folder / name).grey.at(7, 7), expected, tolerance) << name;
  }
}

// oracle: transparent pixels are blended with white.
TEST(DecodeImage, TransparencyIsWhite) {
  const TemporaryFolder folder;
  cv::Mat image(8, 8, CV_8UC4, cv::Scalar(100, 100, 100, 255));
  image.colRange(0, 4).setTo(cv::Scalar(0, 0, 0, 0));
  image.row(0).setTo(cv::Scalar(100, 100, 100, 51));
  for (const std::string name : {"t.png", "t.tif"}) {
    ASSERT_TRUE(cv::imwrite((folder / name).string(), image));
    const DecodedImage decoded = decode_image(folder / name);
    EXPECT_EQ(decoded.grey.at(4, 1), 255) << name;
    EXPECT_EQ(decoded.grey.at(4, 6), 100) << name;
    // 1/5 of 100 plus 4/5 of 255. OpenCV's TIFF files do not say whether alpha is premultiplied.
    if (name == "t.png") {
      EXPECT_EQ(decoded.grey.at(0, 6), 224);
    }
  }
}

// oracle: with the ground of contrast transparent pixels are black beside light ones, white beside
// dark ones.
TEST(DecodeImage, TransparencyMayBeTheContrast) {
  const TemporaryFolder folder;
  for (const int level : {60, 200}) {
    cv::Mat image(8, 8, CV_8UC4, cv::Scalar(level, level, level, 255));
    image.colRange(0, 6).setTo(cv::Scalar(level, level, level, 0));
    ASSERT_TRUE(cv::imwrite((folder / "t.png").string(), image));
    const SampleImage decoded =
        decode_picture(folder / "t.png", 8, /*grey=*/true, nullptr, 0, Ground::kContrast);
    const auto& samples = std::get<std::vector<std::uint8_t>>(decoded.samples);
    EXPECT_EQ(samples[0], level == 60 ? 255 : 0);
    EXPECT_EQ(samples[7], level);
  }
}

// oracle: each EXIF orientation matches cv::rotate, cv::flip and cv::transpose.
TEST(DecodeImage, ExifOrientation) {
  const TemporaryFolder folder;
  const cv::Mat image = slope(40, 24, CV_8U);
  ASSERT_TRUE(cv::imwrite((folder / "plain.jpg").string(), image));
  const std::vector<char> plain = read_bytes(folder / "plain.jpg");
  const DecodedImage stored = decode_image(folder / "plain.jpg");
  const cv::Mat base(24, 40, CV_8U, const_cast<std::uint8_t*>(stored.grey.data()));
  for (char orientation = 1; orientation <= 8; ++orientation) {
    std::vector<char> bytes(plain.begin(), plain.begin() + 2);
    const std::vector<char> segment = exif_segment(orientation);
    bytes.insert(bytes.end(), segment.begin(), segment.end());
    bytes.insert(bytes.end(), plain.begin() + 2, plain.end());
    write_bytes(folder / "turned.jpg", bytes);
    cv::Mat expected = base.clone();
    switch (orientation) {
      case 2:
        cv::flip(base, expected, 1);
        break;
      case 3:
        cv::rotate(base, expected, cv::ROTATE_180);
        break;
      case 4:
        cv::flip(base, expected, 0);
        break;
      case 5:
        cv::transpose(base, expected);
        break;
      case 6:
        cv::rotate(base, expected, cv::ROTATE_90_CLOCKWISE);
        break;
      case 7:
        cv::transpose(base, expected);
        cv::rotate(expected, expected, cv::ROTATE_180);
        break;
      case 8:
        cv::rotate(base, expected, cv::ROTATE_90_COUNTERCLOCKWISE);
        break;
      default:
        break;
    }
    const DecodedImage decoded = decode_image(folder / "turned.jpg");
    ASSERT_EQ(decoded.grey.width(), expected.cols) << int{orientation};
    ASSERT_EQ(decoded.file_width, expected.cols) << int{orientation};
    const cv::Mat result(expected.rows, expected.cols, CV_8U,
                         const_cast<std::uint8_t*>(decoded.grey.data()));
    EXPECT_EQ(cv::norm(result, expected, cv::NORM_INF), 0) << int{orientation};
  }
}

// mechanics: a file that is not a complete image is refused with its name and the reason, and
// nothing is printed.
TEST(DecodeImage, RefusesWhatIsNoImage) {
  const TemporaryFolder folder;
  write_bytes(folder / "empty.jpg", {});
  write_bytes(folder / "text.jpg", {'h', 'e', 'l', 'l', 'o', ' ', 'l', 'e', 'a', 'f'});
  write_bytes(folder / "short.png", {'\x89', 'P'});
  const auto reason = [&](const std::string& name, const std::string& words) {
    const std::string message = refusal(folder / name);
    EXPECT_NE(message.find((folder / name).string()), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  reason("missing.jpg", "there is no such file");
  reason("empty.jpg", "the file is empty");
  reason("text.jpg", "is not a JPEG, PNG, TIFF, BMP, WebP or HEIF image");
  reason("short.png", "is not a JPEG, PNG, TIFF, BMP, WebP or HEIF image");
  std::filesystem::create_directory(folder / "folder.jpg");
  reason("folder.jpg", "is a folder");
}

// mechanics: a file that is truncated anywhere or partly overwritten is refused, and nothing is
// printed.
TEST(DecodeImage, RefusesTruncatedAndDamagedFiles) {
  const TemporaryFolder folder;
  cv::Mat image = slope(200, 150, CV_8UC3);
  cv::randu(image, 0, 255);
  for (const std::string extension : {".jpg", ".png", ".tif", ".bmp"}) {
    const auto whole = folder / ("whole" + extension);
    ASSERT_TRUE(cv::imwrite(whole.string(), image));
    ASSERT_EQ(refusal(whole), "") << extension;
    const std::vector<char> bytes = read_bytes(whole);
    for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99}) {
      const auto length = static_cast<std::ptrdiff_t>(share * static_cast<double>(bytes.size()));
      write_bytes(folder / ("cut" + extension), {bytes.begin(), bytes.begin() + length});
      const std::string message = refusal(folder / ("cut" + extension));
      EXPECT_NE(message.find("truncated"), std::string::npos)
          << extension << " cut to " << share << ": " << message;
    }
  }
  std::vector<char> bytes = read_bytes(folder / "whole.png");
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  write_bytes(folder / "flipped.png", bytes);
  EXPECT_NE(refusal(folder / "flipped.png").find("damaged"), std::string::npos);
}

// mechanics: a JPEG too large for memory is reduced while it is decoded; other formats are refused.
TEST(DecodeImage, HugeImagesStayBounded) {
  const TemporaryFolder folder;
  constexpr int kSide = 20000;
  ASSERT_TRUE(
      cv::imwrite((folder / "huge.jpg").string(), cv::Mat(kSide, kSide, CV_8U, cv::Scalar(255))));
  // A BMP file is refused by its header, before its pixels are read.
  ASSERT_TRUE(cv::imwrite((folder / "huge.bmp").string(), cv::Mat(8, 8, CV_8UC3)));
  std::vector<char> header = read_bytes(folder / "huge.bmp");
  for (const std::size_t field : {18, 22}) {
    header[field] = static_cast<char>(kSide & 0xff);
    header[field + 1] = static_cast<char>(kSide >> 8);
  }
  write_bytes(folder / "huge.bmp", header);
  const DecodedImage decoded = decode_image(folder / "huge.jpg");
  EXPECT_EQ(decoded.file_width, kSide);
  EXPECT_EQ(decoded.reduction, 4);
  EXPECT_EQ(decoded.grey.width(), kSide / 4);
  EXPECT_LE(decoded.grey.size(), kMaxDecodedPixels);
  const std::string message = refusal(folder / "huge.bmp");
  EXPECT_NE(message.find("20000 x 20000 pixels is larger"), std::string::npos) << message;
}

// A grey JPEG with `bands` scans of the coefficients' first bits and `refined` scans of the last
// bit.
void write_scans(const std::filesystem::path& file, int bands, int refined) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  const FileHandle out(std::fopen(file.c_str(), "wb"));
  jpeg_stdio_dest(&info, out.get());
  info.image_width = info.image_height = 64;
  info.input_components = 1;
  info.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  std::vector<jpeg_scan_info> scans;
  const auto add = [&](int first, int last, int high, int low) {
    scans.push_back({1, {0, 0, 0, 0}, first, last, high, low});
  };
  const auto add_bands = [&](int count, int high, int low) {
    for (int k = 1; k <= count; ++k) add(k, k == count ? 63 : k, high, low);
  };
  add(0, 0, 0, 0);
  add_bands(bands, 0, 1);
  add_bands(refined, 1, 0);
  info.scan_info = scans.data();
  info.num_scans = static_cast<int>(scans.size());
  jpeg_start_compress(&info, TRUE);
  std::vector<JSAMPLE> row(64);
  for (int j = 0; j < 64; ++j) {
    for (int i = 0; i < 64; ++i) row[static_cast<std::size_t>(i)] = static_cast<JSAMPLE>(3 * i + j);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
}

// mechanics: each scan takes as long as an image; a hundred scans are read, one more is refused.
TEST(DecodeImage, JpegsOfManyScansAreRefused) {
  const TemporaryFolder folder;
  write_scans(folder / "100.jpg", 63, 36);
  EXPECT_EQ(decode_image(folder / "100.jpg").grey.width(), 64);
  write_scans(folder / "101.jpg", 63, 37);
  EXPECT_NE(refusal(folder / "101.jpg").find("more than 100 scans"), std::string::npos);
  EXPECT_THROW(decode_samples(folder / "101.jpg"), InputError);
}

// mechanics: decoding a JPEG of many scans can be interrupted; the request is withdrawn afterwards.
TEST(DecodeImage, ManyScansCanBeInterrupted) {
  const TemporaryFolder folder;
  write_scans(folder / "100.jpg", 63, 36);
  request_interruption();
  EXPECT_THROW(decode_image(folder / "100.jpg"), Interrupted);
  withdraw_interruption();
  EXPECT_EQ(decode_image(folder / "100.jpg").grey.width(), 64);
}

}  // namespace
}  // namespace leafglyph
