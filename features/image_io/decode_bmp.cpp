#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "features/image_io/decode_formats.h"

namespace leafglyph::detail {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::size_t kInfoBytes = 40;  // of the fields that every version since 3 has

enum Compression : std::uint32_t {
  kPlain = 0,
  kRle8 = 1,
  kRle4 = 2,
  kBitFields = 3,
  kAlphaFields = 6
};

std::uint32_t little_endian(const unsigned char* bytes, std::size_t count = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

// One colour of a pixel that is stored in bit fields.
struct Field {
  unsigned shift = 0;
  std::uint32_t largest = 0;  // 0: the pixel has no such field

  explicit Field(std::uint32_t mask = 0)
      : shift(mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask))),
        largest(mask >> shift) {}
  bool is_valid() const { return (largest & (largest + 1)) == 0; }
  /// The field's value scaled to 0..255.
  std::uint8_t of(std::uint32_t pixel) const {
    const std::uint32_t value = pixel >> shift & largest;
    return static_cast<std::uint8_t>((value * 255 + largest / 2) / largest);
  }
};

struct Header {
  std::uint32_t pixels_at = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool top_down = false;
  unsigned bits = 0;
  std::array<Field, 4> fields;        // red, green, blue, alpha of 16 and 32 bits
  std::vector<std::uint8_t> palette;  // red, green, blue of 1, 4 and 8 bits
  bool grey_palette = false;

  std::size_t row_bytes() const { return (std::size_t{width} * bits + 31) / 32 * 4; }
};

// Reads everything before the pixels.
class HeaderReader {
 public:
  explicit HeaderReader(const OpenFile& file)
      : file_(file), file_bytes_(bytes_left(file.handle.get())) {}

  Header read() {
    std::array<unsigned char, kFileHeaderBytes + kInfoBytes> bytes;
    take(bytes.data(), bytes.size());
    const unsigned char* info = bytes.data() + kFileHeaderBytes;
    info_bytes_ = little_endian(info);
    if (info_bytes_ == 12) refuse_kind("a header of OS/2 1.x");
    if (info_bytes_ < kInfoBytes) refuse_damaged();
    header_.pixels_at = little_endian(bytes.data() + 10);
    read_size(info);
    header_.bits = little_endian(info + 14, 2);
    compression_ = little_endian(info + 16);
    check_kind();
    admit_pixels(file_, header_.width, header_.height);
    if (header_.pixels_at < bytes.size() ||
        header_.pixels_at + std::uint64_t{header_.row_bytes()} * header_.height > file_bytes_) {
      refuse_damaged();
    }
    if (header_.bits <= 8) read_palette(little_endian(info + 32));
    if (header_.bits == 16 || header_.bits == 32) read_fields();
    return header_;
  }

  [[noreturn]] void refuse_damaged() const {
    refuse(file_.path, "is a truncated or damaged BMP file; copy it again from its source");
  }

 private:
  void take(void* bytes, std::size_t count) {
    if (bytes_left(file_.handle.get()) < count) refuse_damaged();
    read_bytes(file_.handle.get(), file_.path, bytes, count);
  }

  [[noreturn]] void refuse_kind(const std::string& kind) const {
    refuse(file_.path, "is a BMP file of an unsupported kind (" + kind + "); save it as PNG");
  }

  void read_size(const unsigned char* info) {
    const auto width = static_cast<std::int32_t>(little_endian(info + 4));
    const std::int64_t height = static_cast<std::int32_t>(little_endian(info + 8));
    if (width <= 0 || height == 0) refuse_damaged();
    header_.width = static_cast<std::uint32_t>(width);
    header_.height = static_cast<std::uint32_t>(std::abs(height));
    header_.top_down = height < 0;
  }

  void check_kind() const {
    if (compression_ == kRle8 || compression_ == kRle4) refuse_kind("run-length encoded");
    const unsigned bits = header_.bits;
    const bool has_fields = bits == 16 || bits == 32;
    const bool plain =
        compression_ == kPlain && (has_fields || bits == 1 || bits == 4 || bits == 8 || bits == 24);
    const bool fields = (compression_ == kBitFields || compression_ == kAlphaFields) && has_fields;
    if (!plain && !fields) {
      refuse_kind(std::to_string(bits) + " bits a pixel, compression " +
                  std::to_string(compression_));
    }
  }

  void skip_to(std::size_t at) {
    if (std::fseek(file_.handle.get(), static_cast<long>(at), SEEK_SET) != 0) refuse_damaged();
  }

  void read_palette(std::uint32_t stated) {
    const std::size_t most = std::size_t{1} << header_.bits;
    const std::size_t count = stated == 0 ? most : std::min<std::size_t>(stated, most);
    skip_to(kFileHeaderBytes + std::size_t{info_bytes_});
    std::vector<unsigned char> entries(4 * count);  // blue, green, red, unused
    take(entries.data(), entries.size());
    header_.grey_palette = true;
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned char* e = entries.data() + 4 * i;
      header_.palette.insert(header_.palette.end(), {e[2], e[1], e[0]});
      header_.grey_palette = header_.grey_palette && e[0] == e[1] && e[1] == e[2];
    }
  }

  // The masks follow the 40 bytes that all headers have, either inside a longer header or behind
  // it.
  void read_fields() {
    std::array<std::uint32_t, 4> masks = {0xff0000, 0xff00, 0xff, 0};
    if (header_.bits == 16) masks = {0x7c00, 0x3e0, 0x1f, 0};
    if (compression_ != kPlain) {
      const bool has_alpha = compression_ == kAlphaFields || info_bytes_ >= kInfoBytes + 16;
      std::array<unsigned char, 16> bytes{};
      take(bytes.data(), has_alpha ? 16 : 12);
      for (std::size_t i = 0; i < 4; ++i) masks[i] = little_endian(bytes.data() + 4 * i);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      header_.fields[i] = Field(masks[i]);
      if (!header_.fields[i].is_valid() || (i < 3 && masks[i] == 0)) refuse_damaged();
      if (header_.fields[i].largest > 255) refuse_kind("more than 8 bits per colour");
    }
  }

  const OpenFile& file_;
  std::uint64_t file_bytes_;
  std::uint32_t info_bytes_ = 0;
  std::uint32_t compression_ = kPlain;
  Header header_;
};

// Appends the pixels of a stored row to `out`, as 1, 3 or 4 channels. False if a pixel has a colour
// number that the palette does not contain.
bool append_row(const Header& header, const unsigned char* row, std::vector<std::uint8_t>& out) {
  for (std::size_t i = 0; i < header.width; ++i) {
    if (header.bits <= 8) {
      const std::size_t bit = i * header.bits;
      const unsigned index =
          row[bit / 8] >> (8 - header.bits - bit % 8) & ((1U << header.bits) - 1);
      if (3 * index >= header.palette.size()) return false;
      const auto colour = header.palette.begin() + 3 * static_cast<std::ptrdiff_t>(index);
      out.insert(out.end(), colour, colour + (header.grey_palette ? 1 : 3));
    } else if (header.bits == 24) {
      out.insert(out.end(), {row[3 * i + 2], row[3 * i + 1], row[3 * i]});
    } else {
      const std::size_t bytes = header.bits / 8;
      const std::uint32_t pixel = little_endian(row + bytes * i, bytes);
      for (const Field& field : header.fields) {
        if (field.largest != 0) out.push_back(field.of(pixel));
      }
    }
  }
  return true;
}

int channels_of(const Header& header) {
  if (header.bits <= 8) return header.grey_palette ? 1 : 3;
  return header.fields[3].largest != 0 ? 4 : 3;
}

}  // namespace

StoredImage decode_bmp(const OpenFile& file, const DecodeRequest& request) {
  HeaderReader reader(file);
  Header header = reader.read();
  if (request.labels && header.bits <= 8) {  // numbers instead of colours
    header.grey_palette = true;
    for (std::size_t i = 0; i < header.palette.size(); ++i) {
      header.palette[i] = static_cast<std::uint8_t>(i / 3);
    }
  }
  const int channels = channels_of(header);
  const std::size_t row_samples = std::size_t{header.width} * static_cast<std::size_t>(channels);
  const std::size_t kept = request.grey || channels == 1 ? 1 : 3;
  std::vector<std::uint8_t> samples(std::size_t{header.width} * header.height * kept);
  std::vector<unsigned char> row(header.row_bytes());
  std::vector<std::uint8_t> pixels;
  pixels.reserve(row_samples);
  if (std::fseek(file.handle.get(), static_cast<long>(header.pixels_at), SEEK_SET) != 0) {
    reader.refuse_damaged();
  }
  for (std::uint32_t j = 0; j < header.height; ++j) {
    read_bytes(file.handle.get(), file.path, row.data(), row.size());
    pixels.clear();
    if (!append_row(header, row.data(), pixels)) reader.refuse_damaged();
    const auto laid = laid_on<std::uint8_t>(request.ground, pixels, channels, request.grey);
    const std::size_t at = header.top_down ? j : header.height - 1 - j;
    std::copy(laid.begin(), laid.end(),
              samples.begin() + static_cast<std::ptrdiff_t>(at * laid.size()));
  }
  StoredImage stored;
  store(stored, header.width, header.height, std::move(samples));
  return stored;
}

}  // namespace leafglyph::detail
