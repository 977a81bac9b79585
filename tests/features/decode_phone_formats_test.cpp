// WebP and HEIF, the formats of phones and of the web.
#include <gtest/gtest.h>
#include <libheif/heif.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

constexpr int kPhoneWidth = 48, kPhoneHeight = 32;

// Slowly varying colours, which survive a codec that halves the colour resolution.
std::vector<std::uint8_t> picture(int channels) {
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < kPhoneHeight; ++row) {
    for (int column = 0; column < kPhoneWidth; ++column) {
      pixels.push_back(static_cast<std::uint8_t>(40 + 4 * column));
      pixels.push_back(static_cast<std::uint8_t>(200 - 4 * row));
      pixels.push_back(static_cast<std::uint8_t>(60 + 2 * column));
      if (channels == 4) pixels.push_back(column < kPhoneWidth / 2 ? 255 : 0);
    }
  }
  return pixels;
}

std::vector<char> webp(const std::vector<std::uint8_t>& pixels, int channels) {
  std::uint8_t* out = nullptr;
  const std::size_t size = channels == 4
                               ? WebPEncodeLosslessRGBA(pixels.data(), kPhoneWidth, kPhoneHeight,
                                                        channels * kPhoneWidth, &out)
                               : WebPEncodeLosslessRGB(pixels.data(), kPhoneWidth, kPhoneHeight,
                                                       channels * kPhoneWidth, &out);
  std::vector<char> bytes(out, out + size);
  WebPFree(out);
  return bytes;
}

// An EXIF block with one orientation: a TIFF header and a directory with one entry.
std::string exif_block(char orientation) {
  const std::array<char, 26> block = {'I', 'I', '*', 0, 8, 0,           0, 0, 1, 0, 0x12, 1, 3,
                                      0,   1,   0,   0, 0, orientation, 0, 0, 0, 0, 0,    0, 0};
  return {block.begin(), block.end()};
}

std::vector<char> turned(const std::vector<char>& file, char orientation) {
  const WebPData image{reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
  WebPMux* mux = WebPMuxCreate(&image, 1);
  const std::string block = exif_block(orientation);
  const WebPData exif{reinterpret_cast<const std::uint8_t*>(block.data()), block.size()};
  EXPECT_EQ(WebPMuxSetChunk(mux, "EXIF", &exif, 1), WEBP_MUX_OK);
  WebPData assembled{};
  EXPECT_EQ(WebPMuxAssemble(mux, &assembled), WEBP_MUX_OK);
  std::vector<char> bytes(assembled.bytes, assembled.bytes + assembled.size);
  WebPDataClear(&assembled);
  WebPMuxDelete(mux);
  return bytes;
}

std::string refusal_of(const std::filesystem::path& file) {
  return refusal<InputError>([&] { decode_image(file); });
  try {
    decode_image(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::uint8_t>& bytes_of(const SampleImage& image) {
  return std::get<std::vector<std::uint8_t>>(image.samples);
}

// oracle: lossless pixels are decoded unchanged, transparent ones as white, grey by its weights.
TEST(DecodeWebp, LosslessPixelsComeBack) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> pixels = picture(3);
  write_bytes(folder / "a.webp", webp(pixels, 3));
  EXPECT_EQ(bytes_of(decode_samples(folder / "a.webp")), pixels);
  const DecodedImage grey = decode_image(folder / "a.webp");
  EXPECT_EQ(grey.grey.width(), kPhoneWidth);
  EXPECT_EQ(grey.grey.at(0, 0), (299 * 40 + 587 * 200 + 114 * 60 + 500) / 1000);
  write_bytes(folder / "alpha.webp", webp(picture(4), 4));
  const SampleImage laid = decode_samples(folder / "alpha.webp");
  EXPECT_EQ(laid.channels, 3);
  EXPECT_EQ(bytes_of(laid)[0], 40);
  EXPECT_EQ(bytes_of(laid)[3 * (kPhoneWidth - 1)], 255);
}

// oracle: orientation 6 means that the stored image must be rotated clockwise by 90 degrees.
TEST(DecodeWebp, IsTurnedUpright) {
  const TemporaryFolder folder;
  write_bytes(folder / "turned.webp", turned(webp(picture(3), 3), 6));
  const SampleImage image = decode_samples(folder / "turned.webp");
  ASSERT_EQ(image.width, kPhoneHeight);
  ASSERT_EQ(image.height, kPhoneWidth);
  // The upper right pixel is the upper left one of the stored image.
  EXPECT_EQ(bytes_of(image)[3 * (kPhoneHeight - 1)], 40);
  EXPECT_EQ(bytes_of(image)[3 * (kPhoneHeight - 1) + 1], 200);
}

// mechanics: truncated and garbled files are refused with their names.
TEST(DecodeWebp, RefusesDamage) {
  const TemporaryFolder folder;
  std::vector<char> file = webp(picture(3), 3);
  for (const std::size_t size : {std::size_t{14}, std::size_t{30}, file.size() / 2}) {
    write_bytes(folder / "cut.webp", {file.begin(), file.begin() + static_cast<long>(size)});
    EXPECT_NE(refusal_of(folder / "cut.webp").find("cut.webp"), std::string::npos) << size;
  }
}

using Context = std::unique_ptr<heif_context, decltype(&heif_context_free)>;

// A HEIF file from libheif's own encoder that is to be shown with EXIF orientation `turn`; empty if
// there is no encoder.
std::vector<char> heif(const std::vector<std::uint8_t>& pixels, const std::string& at,
                       char turn = 1) {
  const Context context(heif_context_alloc(), &heif_context_free);
  heif_encoder* encoder = nullptr;
  if (heif_context_get_encoder_for_format(context.get(), heif_compression_HEVC, &encoder).code !=
      heif_error_Ok) {
    return {};
  }
  heif_encoder_set_lossy_quality(encoder, 95);
  heif_image* image = nullptr;
  heif_image_create(kPhoneWidth, kPhoneHeight, heif_colorspace_RGB, heif_chroma_interleaved_RGB,
                    &image);
  heif_image_add_plane(image, heif_channel_interleaved, kPhoneWidth, kPhoneHeight, 8);
  int stride = 0;
  std::uint8_t* plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
  for (int row = 0; row < kPhoneHeight; ++row) {
    std::copy_n(pixels.begin() + 3 * kPhoneWidth * row, 3 * kPhoneWidth, plane + stride * row);
  }
  heif_encoding_options* options = heif_encoding_options_alloc();
  options->image_orientation = static_cast<heif_orientation>(turn);
  heif_image_handle* handle = nullptr;
  EXPECT_EQ(heif_context_encode_image(context.get(), image, encoder, options, &handle).code,
            heif_error_Ok);
  const std::string block = exif_block(turn);
  heif_context_add_exif_metadata(context.get(), handle, block.data(),
                                 static_cast<int>(block.size()));
  EXPECT_EQ(heif_context_write_to_file(context.get(), at.c_str()).code, heif_error_Ok);
  heif_encoding_options_free(options);
  heif_image_handle_release(handle);
  heif_image_release(image);
  heif_encoder_release(encoder);
  return testing::read_bytes(at);
}

// oracle: the encoded picture, up to the codec's losses: 95 % quality, colours at half resolution.
TEST(DecodeHeif, PixelsComeBack) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> pixels = picture(3);
  const std::vector<char> file = heif(pixels, (folder / "a.heic").string());
  if (file.empty()) GTEST_SKIP() << "libheif has no HEVC encoder here";
  const SampleImage image = decode_samples(folder / "a.heic");
  ASSERT_EQ(image.width, kPhoneWidth);
  ASSERT_EQ(image.height, kPhoneHeight);
  double off = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) off += std::abs(pixels[i] - bytes_of(image)[i]);
  EXPECT_LT(off / static_cast<double>(pixels.size()), 4);
  EXPECT_EQ(decode_image(folder / "a.heic").grey.width(), kPhoneWidth);
}

// regression: a HEIF file states its orientation twice, as its own property and in its EXIF block;
// it is applied once.
TEST(DecodeHeif, IsTurnedOnce) {
  const TemporaryFolder folder;
  if (heif(picture(3), (folder / "a.heic").string(), 6).empty()) {
    GTEST_SKIP() << "libheif has no HEVC encoder here";
  }
  const SampleImage image = decode_samples(folder / "a.heic");
  ASSERT_EQ(image.width, kPhoneHeight);
  ASSERT_EQ(image.height, kPhoneWidth);
  // The upper right pixel is the upper left one of the encoded image, up to the codec's losses.
  EXPECT_NEAR(bytes_of(image)[3 * (kPhoneHeight - 1)], 40, 12);
  EXPECT_NEAR(bytes_of(image)[3 * (kPhoneHeight - 1) + 1], 200, 12);
}

// mechanics: truncated files and other files made of boxes are refused with their names.
TEST(DecodeHeif, RefusesDamage) {
  const TemporaryFolder folder;
  const std::string film(
      "\0\0\0\x18"
      "ftypisom\0\0\0\1isommp42",
      24);
  write_bytes(folder / "film.heic", {film.begin(), film.end()});
  EXPECT_NE(refusal_of(folder / "film.heic").find("film.heic"), std::string::npos);
  const std::vector<char> file = heif(picture(3), (folder / "a.heic").string());
  if (file.empty()) GTEST_SKIP() << "libheif has no HEVC encoder here";
  for (const std::size_t size : {std::size_t{13}, std::size_t{100}, file.size() - 40}) {
    write_bytes(folder / "cut.heic", {file.begin(), file.begin() + static_cast<long>(size)});
    EXPECT_NE(refusal_of(folder / "cut.heic").find("cut.heic"), std::string::npos) << size;
  }
}

}  // namespace
}  // namespace leafglyph
