#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "features/base/limits.h"
#include "features/base/npy.h"
#include "features/image_io/decode_formats.h"
#include "features/image_io/deep_samples.h"
#include "features/image_io/tiff_handle.h"
#include "features/image_io/tiff_pages.h"

namespace leafglyph::detail {
namespace {

// How the samples of a page are stored.
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
  bool is_palette() const { return photometric == PHOTOMETRIC_PALETTE; }
  int colours() const { return is_grey() || is_palette() ? 1 : 3; }
  bool has_alpha() const { return alpha != EXTRASAMPLE_UNSPECIFIED; }
  /// Samples of a row of one plane.
  std::size_t in_row(std::uint32_t columns) const {
    return std::size_t{columns} * (planes == PLANARCONFIG_SEPARATE ? 1U : samples);
  }
  std::size_t bytes_of(std::size_t count) const { return (count * bits + 7) / 8; }
};

// A sample of a row, as it lies in memory.
template <class T>
T plain(const unsigned char* row, std::size_t i) {
  T value;
  std::memcpy(&value, row + i * sizeof(T), sizeof(T));
  return value;
}

float half(const unsigned char* row, std::size_t i) {
  return float_of(Half{plain<std::uint16_t>(row, i)});
}

/// Takes the samples of an image, and keeps the means of blocks of them.
template <class T>
class Blocks {
 public:
  Blocks(const Layout& layout, unsigned side, int kept)
      : side_(side),
        width_((layout.width + side - 1) / side),
        height_((layout.height + side - 1) / side),
        last_{layout.width - (width_ - 1) * side, layout.height - (height_ - 1) * side},
        kept_(static_cast<std::size_t>(kept)),
        values_(std::size_t{width_} * height_ * kept_) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }

  T* row(std::uint32_t row) { return &at(row, 0, 0); }

  // `each` samples, from number `first` on, of the pixels [left, left + columns) of a row: value(i)
  // is the i-th of them.
  template <class Value>
  void put_row(std::uint32_t row, std::uint32_t left, std::uint32_t columns, int first, int each,
               const Value& value) {
    std::size_t i = 0;
    if (side_ == 1) {
      T* to = &at(row, left, first);
      for (std::uint32_t column = 0; column < columns; ++column, to += kept_) {
        for (int s = 0; s < each; ++s) to[s] = static_cast<T>(value(i++));
      }
      return;
    }
    for (std::uint32_t column = left; column < left + columns; ++column) {
      for (int s = 0; s < each; ++s) {
        T& sum = at(row / side_, column / side_, first + s);
        sum = static_cast<T>(sum + static_cast<T>(value(i++)));
      }
    }
  }

  std::vector<T> means() {
    for (std::uint32_t row = 0; row < height_ && side_ > 1; ++row) {
      const std::uint32_t rows = row + 1 == height_ ? last_[1] : side_;
      for (std::uint32_t column = 0; column < width_; ++column) {
        const std::uint32_t count = rows * (column + 1 == width_ ? last_[0] : side_);
        for (std::size_t s = 0; s < kept_; ++s) {
          T& sum = at(row, column, static_cast<int>(s));
          sum = static_cast<T>(sum / static_cast<T>(count));
        }
      }
    }
    return std::move(values_);
  }

 private:
  T& at(std::uint32_t row, std::uint32_t column, int sample) {
    return values_[(std::size_t{row} * width_ + column) * kept_ + static_cast<std::size_t>(sample)];
  }

  std::uint32_t side_, width_, height_;
  std::array<std::uint32_t, 2> last_;  // columns and rows of the last blocks
  std::size_t kept_;
  std::vector<T> values_;
};

class TiffReader {
 public:
  explicit TiffReader(const OpenFile& file) : file_(file) {
    tiff_ = open_tiff(file.handle.get(), file.path.c_str(), message_);
    if (!tiff_) refuse_damaged();
    page_ = choose_page(tiff_.get(), file);
    message_.clear();  // of another page
    read_layout();
  }

  StoredImage read(const DecodeRequest& request) {
    StoredImage stored;
    stored.reduction = reduction(request.reduce_huge);
    const bool deep = layout_.bits > 8 || layout_.format != SAMPLEFORMAT_UINT || request.labels;
    const bool plain = layout_.is_grey() || layout_.photometric == PHOTOMETRIC_RGB ||
                       (request.labels && layout_.is_palette());
    if (!deep || (!plain && request.eight_bit)) {
      stored.reduction == 1 ? read_screen<std::uint8_t>(stored, request.grey)
                            : read_screen<std::uint16_t>(stored, request.grey);  // for sums
    } else if (!plain) {
      refuse_kind("with colours that are neither grey nor red, green and blue");
    } else {
      read_deep(stored, request);
    }
    stored.file_width = static_cast<int>(layout_.width);
    stored.file_height = static_cast<int>(layout_.height);
    stored.exif_orientation =
        layout_.orientation >= 1 && layout_.orientation <= 8 ? layout_.orientation : 1;
    stored.image.pixel_aspect = pixel_aspect_of(resolution_[0], resolution_[1]);
    if (!page_.empty()) {
      stored.image.notes.push_back(page_ + (is_blank(stored) ? " and is blank" : "") +
                                   "; FILE#N names page N");
    }
    return stored;
  }

 private:
  [[noreturn]] void refuse_damaged() const {
    refuse(file_.path, "is a truncated or damaged TIFF file" +
                           (message_.empty() ? std::string() : " (" + message_ + ")") +
                           "; copy it again from its source");
  }

  [[noreturn]] void refuse_kind(const std::string& what) const {
    refuse(file_.path, "is a TIFF file " + what +
                           ", which is not read; save it as grey or RGB, with integers of 8, 16 or "
                           "32 bits or numbers of 16, 32 or 64");
  }

  static bool is_blank(const StoredImage& stored) {
    return std::visit(
        [](const auto& samples) {
          return std::adjacent_find(samples.begin(), samples.end(), std::not_equal_to<>()) ==
                 samples.end();
        },
        stored.image.samples);
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
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution_[0]);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &resolution_[1]);
    if (layout_.format == SAMPLEFORMAT_VOID) layout_.format = SAMPLEFORMAT_UINT;
    std::uint16_t extras = 0, compression = COMPRESSION_NONE;
    std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    // As in libtiff, if the fourth of four samples is not described, it is alpha.
    if (extras > 0 && kinds[0] != EXTRASAMPLE_UNSPECIFIED) {
      layout_.alpha = kinds[0];
    } else if (layout_.samples > 3 && layout_.photometric == PHOTOMETRIC_RGB) {
      layout_.alpha = EXTRASAMPLE_ASSOCALPHA;
    }
    if (layout_.width == 0 || layout_.height == 0) refuse_damaged();
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (TIFFIsCODECConfigured(compression) == 0) {
      refuse(file_.path, "is a TIFF file compressed by method " + std::to_string(compression) +
                             ", which is not read; save it with LZW or without compression");
    }
  }

  int reduction(bool reduces) const {
    const unsigned side = reduces ? reduction_of_huge(layout_.width, layout_.height) : 1;
    const bool fits =
        std::uint64_t{layout_.width} * layout_.height <= kMaxTiffPixels &&
        std::uint64_t{(layout_.width + side - 1) / side} * ((layout_.height + side - 1) / side) <=
            kMaxDecodedPixels;
    if (!fits) check_pixel_count(file_.path, layout_.width, layout_.height);
    return static_cast<int>(side);
  }

  bool is_tiled() const { return TIFFIsTiled(tiff_.get()) != 0; }

  // Rows that are stored together.
  std::uint32_t rows_together() const {
    std::uint32_t rows = 0;
    if (is_tiled()) {
      TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &rows);
    } else {
      TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &rows);
    }
    return std::clamp(rows, 1U, layout_.height);
  }

  // Uses libtiff's conversion of any TIFF to 8-bit RGBA. Its colours are already multiplied by
  // alpha.
  template <class T>
  void read_screen(StoredImage& stored, bool grey) {
    const auto side = static_cast<unsigned>(stored.reduction);
    const bool one = grey || layout_.is_grey();
    const std::uint32_t together = side == 1 ? layout_.height : rows_together();
    const double pixels = static_cast<double>(layout_.width) * layout_.height;
    admit_bytes(file_,
                8 * (pixels / (side * side)) + (side == 1 ? 0.0 : 8.0 * layout_.width * together));
    std::array<char, 1024> reason{};
    TIFFRGBAImage image;
    if (TIFFRGBAImageBegin(&image, tiff_.get(), /*stop_on_error=*/1, reason.data()) == 0) {
      refuse_kind(std::string("of another kind (") + reason.data() + ")");
    }
    const std::unique_ptr<TIFFRGBAImage, decltype(&TIFFRGBAImageEnd)> end(&image, TIFFRGBAImageEnd);
    // Requesting the file's own orientation returns the rows as they are stored.
    image.req_orientation = layout_.orientation;
    Blocks<T> blocks(layout_, side, one ? 1 : 3);
    std::vector<std::uint32_t> rgba(std::size_t{layout_.width} * together);
    std::vector<std::uint8_t> line(std::size_t{layout_.width} * (one ? 1 : 3));
    for (std::uint32_t top = 0; top < layout_.height; top += together) {
      const std::uint32_t rows = std::min(together, layout_.height - top);
      image.row_offset = static_cast<int>(top);
      if (TIFFRGBAImageGet(&image, rgba.data(), layout_.width, rows) == 0) refuse_damaged();
      for (std::uint32_t row = 0; row < rows; ++row) {
        put_screen(blocks, top + row, rgba.data() + std::size_t{row} * layout_.width, line);
      }
    }
    std::vector<T> means = blocks.means();
    if constexpr (sizeof(T) == 1) {
      store(stored, blocks.width(), blocks.height(), std::move(means));
    } else {
      store(stored, blocks.width(), blocks.height(),
            std::vector<std::uint8_t>(means.begin(), means.end()));
    }
  }

  template <class T>
  void put_screen(Blocks<T>& blocks, std::uint32_t row, const std::uint32_t* rgba,
                  std::vector<std::uint8_t>& line) const {
    const int each = static_cast<int>(line.size() / layout_.width);
    std::uint8_t* to = line.data();
    if constexpr (sizeof(T) == 1) to = blocks.row(row);  // which is not reduced
    for (std::uint32_t column = 0; column < layout_.width; ++column, to += each) {
      const std::uint32_t p = rgba[column];
      const unsigned white = 255 - TIFFGetA(p);
      const std::array<std::uint8_t, 3> colour = {with_white(TIFFGetR(p), white),
                                                  with_white(TIFFGetG(p), white),
                                                  with_white(TIFFGetB(p), white)};
      if (each == 1) {
        *to = grey_of(colour[0], colour[1], colour[2]);
      } else {
        std::copy(colour.begin(), colour.end(), to);
      }
    }
    if constexpr (sizeof(T) > 1) {
      blocks.put_row(row, 0, layout_.width, 0, each, [&](std::size_t i) { return line[i]; });
    }
  }

  static std::uint8_t with_white(unsigned value, unsigned white) {
    return static_cast<std::uint8_t>(std::min(255U, value + white));
  }

  void read_deep(StoredImage& stored, const DecodeRequest& request) {
    const std::uint16_t bits = layout_.bits;
    const auto read = [&]<class T>(T, const auto& at) { read_samples<T>(stored, request, at); };
    const auto read_words = [&](const auto& at) {
      stored.reduction == 1 ? read(std::uint16_t{}, at) : read(float{}, at);  // sums need more
    };
    switch (layout_.format) {
      case SAMPLEFORMAT_UINT:
        if (bits == 16) return read_words(plain<std::uint16_t>);
        if (bits == 32) return read(double{}, plain<std::uint32_t>);
        if (bits < 16)
          return read_words(
              [bits](const unsigned char* row, std::size_t i) { return packed(row, i, bits); });
        break;
      case SAMPLEFORMAT_INT:
        if (bits == 8) return read(float{}, plain<std::int8_t>);
        if (bits == 16) return read(float{}, plain<std::int16_t>);
        if (bits == 32) return read(double{}, plain<std::int32_t>);
        break;
      case SAMPLEFORMAT_IEEEFP:
        if (bits == 16) return read(float{}, half);
        if (bits == 32) return read(float{}, plain<float>);
        if (bits == 64) return read(double{}, plain<double>);
        break;
      default:
        break;
    }
    refuse_kind("of " +
                std::string(layout_.format == SAMPLEFORMAT_INT      ? "signed integers"
                            : layout_.format == SAMPLEFORMAT_UINT   ? "integers"
                            : layout_.format == SAMPLEFORMAT_IEEEFP ? "numbers"
                                                                    : "complex numbers") +
                " of " + std::to_string(bits) + " bits");
  }

  // A sample of fewer than 16 bits; the first is in the upper bits of a byte.
  static std::uint16_t packed(const unsigned char* row, std::size_t i, unsigned bits) {
    unsigned value = 0;
    for (std::size_t bit = i * bits; bit < (i + 1) * bits; ++bit) {
      value = 2 * value + (row[bit / 8] >> (7 - bit % 8) & 1U);
    }
    return static_cast<std::uint16_t>(value);
  }

  template <class T>
  void read_samples(StoredImage& stored, const DecodeRequest& request, const auto& at) {
    const bool has_alpha = layout_.has_alpha();
    const int kept = layout_.colours() + (has_alpha ? 1 : 0);
    if (layout_.samples != kept) {
      refuse_kind("of " + std::to_string(layout_.samples) + " bands of unknown meaning");
    }
    const bool is_float = layout_.format == SAMPLEFORMAT_IEEEFP;
    if (has_alpha && !is_float && layout_.bits != 16) {
      refuse_kind("of integers of " + std::to_string(layout_.bits) + " bits with transparency");
    }
    const auto side = static_cast<unsigned>(stored.reduction);
    const double pixels = static_cast<double>(layout_.width) * layout_.height / (side * side);
    admit_bytes(file_, pixels * 2 * kept * sizeof(T) +
                           static_cast<double>(layout_.bytes_of(layout_.in_row(layout_.width))));
    Blocks<T> blocks(layout_, side, kept);
    for_each_plane([&](std::uint32_t row, std::uint32_t left, std::uint32_t columns, int first,
                       int each, const unsigned char* bytes) {
      blocks.put_row(row, left, columns, first, each, [&](std::size_t i) { return at(bytes, i); });
    });
    DeepSamples<T> deep{blocks.width(), blocks.height(), kept, blocks.means()};
    deep.is_signed = layout_.format == SAMPLEFORMAT_INT;
    deep.bits = is_float ? 0 : layout_.bits - (deep.is_signed ? 1 : 0);
    std::uint16_t highest = 0;
    if (!is_float && TIFFGetField(tiff_.get(), TIFFTAG_MAXSAMPLEVALUE, &highest) != 0) {
      deep.stated = static_cast<int>(std::bit_width(highest));
    }
    deep.white_is_zero = layout_.photometric == PHOTOMETRIC_MINISWHITE && !request.labels;
    deep.premultiplied = layout_.alpha == EXTRASAMPLE_ASSOCALPHA;
    store_deep(stored, file_, request, std::move(deep));
  }

  // Calls put(row, first column, columns, first sample, samples of a pixel, their bytes) for every
  // row of every plane and tile.
  template <class Put>
  void for_each_plane(const Put& put) {
    const bool separate = layout_.planes == PLANARCONFIG_SEPARATE;
    const int each = separate ? 1 : layout_.samples;
    for (int plane = 0; plane < (separate ? layout_.samples : 1); ++plane) {
      const auto put_row = [&](std::uint32_t row, std::uint32_t left, std::uint32_t columns,
                               const unsigned char* bytes) {
        put(row, left, columns, plane, each, bytes);
      };
      is_tiled() ? for_each_tile_row(static_cast<std::uint16_t>(plane), put_row)
                 : for_each_row(static_cast<std::uint16_t>(plane), put_row);
    }
  }

  void for_each_row(std::uint16_t plane, const auto& put_row) {
    std::vector<unsigned char> line(layout_.bytes_of(layout_.in_row(layout_.width)));
    if (static_cast<std::size_t>(TIFFScanlineSize64(tiff_.get())) != line.size()) refuse_damaged();
    for (std::uint32_t row = 0; row < layout_.height; ++row) {
      if (TIFFReadScanline(tiff_.get(), line.data(), row, plane) != 1) refuse_damaged();
      put_row(row, 0U, layout_.width, line.data());
    }
  }

  void for_each_tile_row(std::uint16_t plane, const auto& put_row) {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &height);
    if (width == 0 || height == 0 || std::uint64_t{width} * height > kMaxDecodedPixels) {
      refuse_damaged();
    }
    const std::size_t row_bytes = layout_.bytes_of(layout_.in_row(width));
    std::vector<unsigned char> tile(row_bytes * height);
    const auto bytes = static_cast<tmsize_t>(tile.size());
    if (TIFFTileSize(tiff_.get()) != bytes) refuse_damaged();
    for (std::uint32_t top = 0; top < layout_.height; top += height) {
      for (std::uint32_t left = 0; left < layout_.width; left += width) {
        if (TIFFReadTile(tiff_.get(), tile.data(), left, top, 0, plane) != bytes) refuse_damaged();
        for (std::uint32_t row = 0; row < std::min(height, layout_.height - top); ++row) {
          put_row(top + row, left, std::min(width, layout_.width - left),
                  tile.data() + row * row_bytes);
        }
      }
    }
  }

  const OpenFile& file_;
  std::string message_;  // outlives tiff_, whose handlers write to it
  TiffHandle tiff_;
  std::string page_;  // which one was taken, if there are several
  Layout layout_;
  std::array<float, 2> resolution_ = {};  // pixels per unit of length, across and down
};

}  // namespace

StoredImage decode_tiff(const OpenFile& file, const DecodeRequest& request) {
  return TiffReader(file).read(request);
}

}  // namespace leafglyph::detail
