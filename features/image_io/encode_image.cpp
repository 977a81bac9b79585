#include "features/image_io/encode_image.h"

#include <webp/encode.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "features/image_io/encode_formats.h"

namespace leafglyph {
namespace {

// Appends the lowest `count` bytes of an integer, least significant first.
void append(std::string& file, std::size_t value, int count) {
  for (int i = 0; i < count; ++i) file += static_cast<char>(value >> (8 * i) & 0xff);
}

struct WebpFreer {
  void operator()(std::uint8_t* bytes) const { WebPFree(bytes); }
};

}  // namespace

std::optional<ImageFormat> image_format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  if (extension == ".png") return ImageFormat::kPng;
  if (extension == ".jpg" || extension == ".jpeg") return ImageFormat::kJpeg;
  if (extension == ".tif" || extension == ".tiff") return ImageFormat::kTiff;
  if (extension == ".webp") return ImageFormat::kWebp;
  if (extension == ".bmp") return ImageFormat::kBmp;
  return std::nullopt;
}

bool holds(ImageFormat format, SampleDepth depth) {
  switch (depth) {
    case SampleDepth::k8Bit:
      return true;
    case SampleDepth::k16Bit:
      return format == ImageFormat::kPng || format == ImageFormat::kTiff;
    case SampleDepth::kFloat:
      return format == ImageFormat::kTiff;
  }
  return false;
}

std::string encode_image(const SampleImage& image, ImageFormat format) {
  switch (format) {
    case ImageFormat::kPng:
      return encode_png(image);
    case ImageFormat::kJpeg:
      return encode_jpeg(image);
    case ImageFormat::kTiff:
      return encode_tiff(image);
    case ImageFormat::kWebp:
      return encode_webp(image);
    case ImageFormat::kBmp:
      return encode_bmp(image);
  }
  return {};
}

std::string encode_webp(const SampleImage& image) {
  const std::vector<std::uint8_t>& samples = detail::bytes_of(image, "WebP");
  std::vector<std::uint8_t> colours;  // WebP files have no grey mode
  if (image.channels == 1) {
    colours.reserve(3 * samples.size());
    for (const std::uint8_t sample : samples) colours.insert(colours.end(), 3, sample);
  }
  std::uint8_t* bytes = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGB(colours.empty() ? samples.data() : colours.data(), image.width,
                            image.height, 3 * image.width, &bytes);
  const std::unique_ptr<std::uint8_t, WebpFreer> owner(bytes);
  if (size == 0) detail::refuse_to_write(image, "WebP", "no side may be longer than 16383 pixels");
  return {bytes, bytes + size};
}

// Uses the format's oldest header, which every program reads. Rows are stored from the bottom, each
// padded to a multiple of four bytes.
std::string encode_bmp(const SampleImage& image) {
  constexpr std::size_t kFileHeader = 14, kImageHeader = 40;
  const std::vector<std::uint8_t>& samples = detail::bytes_of(image, "BMP");
  const bool grey = image.channels == 1;
  const auto height = static_cast<std::size_t>(image.height);
  const std::size_t row = detail::row_length(image), stored_row = (row + 3) / 4 * 4;
  const std::size_t palette = grey ? 256 : 0;
  const std::size_t start = kFileHeader + kImageHeader + 4 * palette;
  std::string file = "BM";
  file.reserve(start + stored_row * height);
  append(file, start + stored_row * height, 4);
  append(file, 0, 4);
  append(file, start, 4);
  append(file, kImageHeader, 4);
  append(file, static_cast<std::size_t>(image.width), 4);
  append(file, height, 4);
  append(file, 1, 2);                    // planes
  append(file, grey ? 8 : 24, 2);        // bits per pixel
  append(file, 0, 4);                    // not compressed
  append(file, stored_row * height, 4);  // bytes of the pixels
  append(file, 0, 8);                    // pixels per metre: unknown
  append(file, palette, 4);              // colours of the palette
  append(file, 0, 4);                    // all of them are important
  for (std::size_t i = 0; i < palette; ++i) append(file, i << 16 | i << 8 | i, 4);
  for (std::size_t y = height; y-- > 0;) {
    const std::uint8_t* const from = samples.data() + y * row;
    if (grey) {
      file.append(from, from + row);
    } else {
      for (std::size_t x = 0; x < row; x += 3) {
        for (const std::size_t channel : {2, 1, 0}) file += static_cast<char>(from[x + channel]);
      }
    }
    file.append(stored_row - row, '\0');
  }
  return file;
}

}  // namespace leafglyph
