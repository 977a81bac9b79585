// Pixels to the bytes of an image file, by the libraries of the formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "features/image/sample_range.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {

/// What image files are written as.
enum class ImageFormat { kPng, kJpeg, kTiff, kWebp, kBmp };

/// By the extension, in letters of either case; none when images are not written so.
std::optional<ImageFormat> image_format_of(const std::filesystem::path& path);

/// Whether a file of the format holds samples of the depth: all 8-bit, PNG and TIFF 16-bit, TIFF
/// float.
bool holds(ImageFormat format, SampleDepth depth);

/// The file of an image of 1 or 3 channels. All but JPEG keep every sample. Throws UsageError when
/// the format does not hold the depth, Error when it does not hold so many pixels.
std::string encode_image(const SampleImage& image, ImageFormat format);

/// `source`, ASCII of at most 79 letters, says where the image comes from; it stands in the file
/// before the pixels, and begins_as_png_of finds it.
std::string encode_png(const SampleImage& image, const std::string& source = "");
/// Whether bytes of a file's beginning are those of a PNG from this source.
bool begins_as_png_of(std::string_view bytes, std::string_view source);
/// `quality` is libjpeg's, 1 to 100; with `optimised` the file is a little smaller and takes twice
/// as long.
std::string encode_jpeg(const SampleImage& image, int quality = 95, bool optimised = false);
/// Integers with LZW and differences along the rows, floats as they are.
std::string encode_tiff(const SampleImage& image);
std::string encode_webp(const SampleImage& image);
std::string encode_bmp(const SampleImage& image);

}  // namespace leafglyph
