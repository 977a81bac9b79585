#include <tiffio.h>

#include <array>
#include <cstdarg>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "features/decode_formats.h"

namespace leafglyph::detail {
namespace {

struct TiffCloser {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct OptionsFreer {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// Handlers that return non-zero keep libtiff from printing the message itself.
int keep_first_error(TIFF*, void* user_data, const char*, const char* format,
                     std::va_list arguments) {
  auto& message = *static_cast<std::string*>(user_data);
  if (message.empty()) {
    std::array<char, 200> text;
    std::vsnprintf(text.data(), text.size(), format, arguments);
    message = text.data();
  }
  return 1;
}
int ignore_warning(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }

[[noreturn]] void refuse_damaged(const OpenFile& file, const std::string& message) {
  refuse(file.path, "is a truncated, damaged or unsupported TIFF file" +
                        (message.empty() ? std::string() : " (" + message + ")") +
                        "; copy it again from its source or save it as PNG");
}

}  // namespace

// The first image of the file, through libtiff's conversion of every kind of TIFF to 8-bit RGBA,
// in which the colours are already multiplied by alpha.
StoredImage decode_tiff(const OpenFile& file) {
  std::string message;
  const std::unique_ptr<TIFFOpenOptions, OptionsFreer> options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first_error, &message);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
  const std::unique_ptr<TIFF, TiffCloser> tiff(TIFFOpenExt(file.path.c_str(), "r", options.get()));
  if (!tiff) refuse_damaged(file, message);

  std::uint32_t width = 0, height = 0;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ORIENTATION, &orientation);
  if (width == 0 || height == 0) refuse_damaged(file, message);
  check_pixel_count(file.path, width, height);

  // Asking for the orientation of the file itself gives the rows as they are stored.
  std::vector<std::uint32_t> rgba(std::size_t{width} * height);
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, rgba.data(), orientation,
                                /*stopOnError=*/1) == 0) {
    refuse_damaged(file, message);
  }
  StoredImage stored;
  stored.image.file_width = static_cast<int>(width);
  stored.image.file_height = static_cast<int>(height);
  stored.image.grey = Image<std::uint8_t>(stored.image.file_width, stored.image.file_height);
  for (std::size_t i = 0; i < rgba.size(); ++i) {
    const std::uint32_t p = rgba[i];
    const unsigned white = 255 - TIFFGetA(p);
    stored.image.grey.data()[i] =
        grey_on_white(std::min(255u, TIFFGetR(p) + white), std::min(255u, TIFFGetG(p) + white),
                      std::min(255u, TIFFGetB(p) + white), 255);
  }
  stored.exif_orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  return stored;
}

}  // namespace leafglyph::detail
