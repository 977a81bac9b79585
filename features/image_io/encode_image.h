// Encodes pixels as image files, with the libraries of the formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "features/image/sample_range.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {

/// File formats for images.
enum class ImageFormat { kPng, kJpeg, kTiff, kWebp, kBmp };

/// The format for an extension, in upper or lower case; nullopt if images cannot be written in it.
std::optional<ImageFormat> image_format_of(const std::filesystem::path& path);

/// Whether the format supports samples of the depth. All support 8-bit, PNG and TIFF 16-bit, and
/// TIFF float.
bool holds(ImageFormat format, SampleDepth depth);

/// The bytes of a file with an image of 1 or 3 channels. All formats but JPEG are lossless. Throws
/// UsageError if the format does not support the depth, and Error if it does not support that many
/// pixels.
std::string encode_image(const SampleImage& image, ImageFormat format);

/// `source`, ASCII of at most 79 letters, states the origin of the image. It is stored before the
/// pixels, where begins_as_png_of finds it.
std::string encode_png(const SampleImage& image, const std::string& source = "");
/// Whether the first bytes of a file are those of a PNG with this source.
bool begins_as_png_of(std::string_view bytes, std::string_view source);
/// `quality` is libjpeg's, 1 to 100. With `optimised` the file is slightly smaller and takes twice
/// as long.
std::string encode_jpeg(const SampleImage& image, int quality = 95, bool optimised = false);
/// Integers are compressed by LZW with differences along the rows; floats are stored uncompressed.
std::string encode_tiff(const SampleImage& image);
std::string encode_webp(const SampleImage& image);
std::string encode_bmp(const SampleImage& image);

}  // namespace leafglyph
