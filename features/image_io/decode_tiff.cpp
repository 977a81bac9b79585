#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/image_io/decode_formats.h"
#include "features/image_io/tiff_handle.h"

namespace leafglyph::detail {
namespace {

// How the samples of the first image are stored.
struct Layout {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples = 1;  // per pixel
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t planes = PLANARCONFIG_CONTIG;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  std::uint16_t alpha = EXTRASAMPLE_UNSPECIFIED;  // kind of the first sample after the colours

  bool is_grey() const {
    return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
  }
  int colours() const { return is_grey() ? 1 : 3; }
  bool has_alpha() const { return alpha != EXTRASAMPLE_UNSPECIFIED; }
};

class TiffReader {
 public:
  explicit TiffReader(const OpenFile& file) : file_(file) {
    const TiffOptions options = quiet_tiff_options(message_);
    // libtiff closes the descriptor that it is given. "m": read instead of mapping, so that a file
    // that cannot be read to its end causes an error and not a signal.
    const int descriptor = ::dup(::fileno(file.handle.get()));
    tiff_.reset(TIFFFdOpenExt(descriptor, file.path.c_str(), "rm", options.get()));
    if (!tiff_) {
      if (descriptor >= 0) ::close(descriptor);
      refuse_damaged();
    }
    read_layout();
  }

  StoredImage read(const DecodeRequest& request) {
    StoredImage stored;
    const bool deep = layout_.bits > 8 || layout_.format != SAMPLEFORMAT_UINT;
    if (request.eight_bit || !deep) {
      read_screen(stored, request.grey);
    } else if (layout_.photometric != PHOTOMETRIC_RGB && !layout_.is_grey()) {
      refuse_kind("colours that are neither grey nor red, green and blue");
    } else if (layout_.format == SAMPLEFORMAT_UINT && layout_.bits == 16) {
      read_samples<std::uint16_t>(stored, request.grey);
    } else if (layout_.format == SAMPLEFORMAT_IEEEFP && layout_.bits == 32) {
      read_samples<float>(stored, request.grey);
    } else if (layout_.format == SAMPLEFORMAT_IEEEFP && layout_.bits == 64) {
      read_samples<double>(stored, request.grey);
    } else {
      refuse_kind(layout_.format == SAMPLEFORMAT_INT      ? "signed integers"
                  : layout_.format == SAMPLEFORMAT_IEEEFP ? "half-precision numbers"
                                                          : "integers");
    }
    stored.exif_orientation =
        layout_.orientation >= 1 && layout_.orientation <= 8 ? layout_.orientation : 1;
    return stored;
  }

 private:
  [[noreturn]] void refuse_damaged() const {
    refuse(file_.path, "is a truncated, damaged or unsupported TIFF file" +
                           (message_.empty() ? std::string() : " (" + message_ + ")") +
                           "; copy it again from its source or save it as PNG");
  }

  [[noreturn]] void refuse_kind(const std::string& what) const {
    refuse(file_.path, "is a TIFF file of " + what + " of " + std::to_string(layout_.bits) +
                           " bits, which would lose digits; save it with samples of 8 or 16 bits "
                           "or as float, grey or RGB");
  }

  void read_layout() {
    TIFF* tiff = tiff_.get();
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout_.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout_.height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &layout_.orientation);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout_.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout_.samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout_.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout_.planes);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout_.photometric);
    if (layout_.format == SAMPLEFORMAT_VOID) layout_.format = SAMPLEFORMAT_UINT;
    std::uint16_t extras = 0;
    std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    // As in libtiff, if the fourth of four samples is not described, it is alpha.
    if (extras > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED) {
      layout_.alpha = kinds[0];
    } else if (layout_.samples > 3 && layout_.photometric == PHOTOMETRIC_RGB) {
      layout_.alpha = EXTRASAMPLE_ASSOCALPHA;
    }
    if (layout_.width == 0 || layout_.height == 0) refuse_damaged();
    admit_pixels(file_, layout_.width, layout_.height);
  }

  std::size_t pixels() const { return std::size_t{layout_.width} * layout_.height; }

  // Uses libtiff's conversion of any TIFF to 8-bit RGBA. Its colours are already multiplied by
  // alpha.
  void read_screen(StoredImage& stored, bool grey) {
    // Requesting the file's own orientation returns the rows as they are stored.
    std::vector<std::uint32_t> rgba(pixels());
    if (TIFFReadRGBAImageOriented(tiff_.get(), layout_.width, layout_.height, rgba.data(),
                                  layout_.orientation, /*stopOnError=*/1) == 0) {
      refuse_damaged();
    }
    const bool one = grey || layout_.is_grey();
    std::vector<std::uint8_t> samples(rgba.size() * (one ? 1 : 3));
    for (std::size_t i = 0; i < rgba.size(); ++i) {
      const std::uint32_t p = rgba[i];
      const unsigned white = 255 - TIFFGetA(p);
      const std::array<std::uint8_t, 3> colour = {with_white(TIFFGetR(p), white),
                                                  with_white(TIFFGetG(p), white),
                                                  with_white(TIFFGetB(p), white)};
      if (one) {
        samples[i] = grey_of(colour[0], colour[1], colour[2]);
      } else {
        std::copy(colour.begin(), colour.end(),
                  samples.begin() + static_cast<std::ptrdiff_t>(3 * i));
      }
    }
    store(stored, layout_.width, layout_.height, std::move(samples));
  }

  static std::uint8_t with_white(unsigned value, unsigned white) {
    return static_cast<std::uint8_t>(std::min(255U, value + white));
  }

  template <class T>
  void read_samples(StoredImage& stored, bool grey) {
    const int colours = layout_.colours();
    const int kept = colours + (layout_.has_alpha() ? 1 : 0);
    if (layout_.samples != kept) {
      refuse_kind(std::to_string(layout_.samples) + " bands of unknown meaning,");
    }
    const double samples = static_cast<double>(pixels()) * (kept + (grey ? 1 : colours));
    check_memory(samples * sizeof(T), file_.path.string(), "make the image smaller");
    std::vector<T> values(pixels() * static_cast<std::size_t>(kept));
    const auto put = [&](std::uint32_t row, std::uint32_t column, int sample, T value) {
      const std::size_t pixel = std::size_t{row} * layout_.width + column;
      values[pixel * static_cast<std::size_t>(kept) + static_cast<std::size_t>(sample)] = value;
    };
    for_each_part<T>(put);
    if (layout_.photometric == PHOTOMETRIC_MINISWHITE) invert(values, kept);
    if (layout_.alpha == EXTRASAMPLE_ASSOCALPHA) separate_alpha(values, kept);
    store(stored, layout_.width, layout_.height, laid_on_white<T>(values, kept, grey));
  }

  // Calls put(row, column, sample, value) for every sample in the file.
  template <class T, class Put>
  void for_each_part(const Put& put) {
    if (TIFFIsTiled(tiff_.get()) != 0) return for_each_tile<T>(put);
    const bool separate = layout_.planes == PLANARCONFIG_SEPARATE;
    const int planes = separate ? layout_.samples : 1;
    const int step = separate ? 1 : layout_.samples;
    std::vector<T> line(std::size_t{layout_.width} * static_cast<std::size_t>(step));
    if (static_cast<std::size_t>(TIFFScanlineSize64(tiff_.get())) != line.size() * sizeof(T)) {
      refuse_damaged();
    }
    for (int plane = 0; plane < planes; ++plane) {
      for (std::uint32_t row = 0; row < layout_.height; ++row) {
        if (TIFFReadScanline(tiff_.get(), line.data(), row, static_cast<std::uint16_t>(plane)) !=
            1) {
          refuse_damaged();
        }
        const T* value = line.data();
        for (std::uint32_t column = 0; column < layout_.width; ++column) {
          for (int s = 0; s < step; ++s) put(row, column, separate ? plane : s, *value++);
        }
      }
    }
  }

  template <class T, class Put>
  void for_each_tile(const Put& put) {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &height);
    const bool separate = layout_.planes == PLANARCONFIG_SEPARATE;
    const int step = separate ? 1 : layout_.samples;
    if (width == 0 || height == 0 || std::uint64_t{width} * height > kMaxDecodedPixels) {
      refuse_damaged();
    }
    std::vector<T> tile(std::size_t{width} * height * static_cast<std::size_t>(step));
    const auto bytes = static_cast<tmsize_t>(tile.size() * sizeof(T));
    if (TIFFTileSize(tiff_.get()) != bytes) refuse_damaged();
    for (int plane = 0; plane < (separate ? layout_.samples : 1); ++plane) {
      for (std::uint32_t top = 0; top < layout_.height; top += height) {
        for (std::uint32_t left = 0; left < layout_.width; left += width) {
          if (TIFFReadTile(tiff_.get(), tile.data(), left, top, 0,
                           static_cast<std::uint16_t>(plane)) != bytes) {
            refuse_damaged();
          }
          for (std::uint32_t row = 0; row < std::min(height, layout_.height - top); ++row) {
            const T* value =
                tile.data() + std::size_t{row} * width * static_cast<std::size_t>(step);
            for (std::uint32_t column = 0; column < std::min(width, layout_.width - left);
                 ++column) {
              for (int s = 0; s < step; ++s) {
                put(top + row, left + column, separate ? plane : s, *value++);
              }
            }
          }
        }
      }
    }
  }

  template <class T>
  static void invert(std::vector<T>& values, int step) {
    for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(step)) {
      values[i] = static_cast<T>(white<T>() - values[i]);
    }
  }

  // Composites colours that are premultiplied by alpha onto white, and makes alpha opaque.
  template <class T>
  static void separate_alpha(std::vector<T>& values, int step) {
    const auto count = static_cast<std::size_t>(step);
    for (std::size_t i = 0; i < values.size(); i += count) {
      T& alpha = values[i + count - 1];
      for (std::size_t c = 0; c + 1 < count; ++c) {
        T& value = values[i + c];
        const T light = static_cast<T>(white<T>() - alpha);
        const bool overflows = std::is_integral_v<T> && value > white<T>() - light;
        value = overflows ? white<T>() : static_cast<T>(value + light);
      }
      alpha = white<T>();
    }
  }

  const OpenFile& file_;
  std::string message_;  // outlives tiff_, whose handlers write to it
  TiffHandle tiff_;
  Layout layout_;
};

}  // namespace

StoredImage decode_tiff(const OpenFile& file, const DecodeRequest& request) {
  return TiffReader(file).read(request);
}

}  // namespace leafglyph::detail
