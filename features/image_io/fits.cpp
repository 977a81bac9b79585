#include "features/image_io/fits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/numbers.h"

namespace leafglyph::detail {
namespace {

constexpr std::size_t kBlockBytes = 2880, kCardBytes = 80, kNameBytes = 8;

/// The cards of a part of the file: names and values as text.
using Cards = std::map<std::string, std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

class FitsReader {
 public:
  FitsReader(std::FILE* file, const std::filesystem::path& path) : file_(file), path_(path) {}

  NpyArray<double> read() {
    for (std::size_t part = 0; part < kMaxPages && bytes_left(file_) >= kBlockBytes; ++part) {
      const Cards cards = read_cards();
      const std::vector<std::size_t> shape = shape_of(cards);
      const bool is_image = part == 0 || text_of(cards, "XTENSION").starts_with("IMAGE");
      if (is_image && shape.size() >= 2) return read_image(cards, shape);
      skip(cards, shape);
    }
    refuse("has no image; a compressed one must be unpacked first");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw FormatError(path_.string() + ": is a FITS file that " + what);
  }

  Cards read_cards() {
    Cards cards;
    for (std::size_t blocks = 0; blocks < kMaxFitsBlocks; ++blocks) {
      std::string block(kBlockBytes, '\0');
      read_bytes(file_, path_, block.data(), block.size());
      for (std::size_t at = 0; at < kBlockBytes; at += kCardBytes) {
        const std::string_view card = std::string_view(block).substr(at, kCardBytes);
        const std::string_view name = trimmed(card.substr(0, kNameBytes));
        if (name == "END") return cards;
        if (card.substr(kNameBytes, 2) != "= ") continue;
        cards.emplace(name, value_of(trimmed(card.substr(kNameBytes + 2))));
      }
    }
    refuse("has a header without an end");
  }

  // Without quotes and comment.
  static std::string value_of(std::string_view text) {
    if (text.starts_with('\'')) return std::string(text.substr(1, text.find('\'', 1) - 1));
    return std::string(trimmed(text.substr(0, text.find('/'))));
  }

  static std::string text_of(const Cards& cards, std::string_view name) {
    const auto card = cards.find(name);
    return card == cards.end() ? "" : card->second;
  }

  std::optional<double> number(const Cards& cards, std::string_view name) const {
    std::string text = text_of(cards, name);
    if (text.empty()) return std::nullopt;
    std::ranges::replace(text, 'D', 'E');  // Fortran's exponent
    if (text.starts_with('+')) text.erase(0, 1);
    const auto value = number_in<double>(text);
    if (!value || !std::isfinite(*value)) refuse("has a damaged header: " + std::string(name));
    return value;
  }

  std::size_t whole(const Cards& cards, const std::string& name, std::size_t otherwise,
                    std::size_t most) const {
    const auto value = number(cards, name);
    if (!value) return otherwise;
    if (!(*value >= 0) || *value > static_cast<double>(most) || *value != std::floor(*value)) {
      refuse("has a damaged header: " + name);
    }
    return static_cast<std::size_t>(*value);
  }

  // Without leading axes of length 1; empty if there are no values.
  std::vector<std::size_t> shape_of(const Cards& cards) const {
    constexpr std::size_t kMostAxes = 999, kMost = std::size_t{1} << 40;
    std::vector<std::size_t> shape;
    double count = 1;
    for (std::size_t axis = whole(cards, "NAXIS", 0, kMostAxes); axis > 0; --axis) {
      const std::size_t length = whole(cards, "NAXIS" + std::to_string(axis), 0, kMost);
      count *= static_cast<double>(length);
      if (length != 1 || !shape.empty() || axis <= 2) shape.push_back(length);
    }
    if (count > static_cast<double>(kMost)) refuse("states an impossible size");
    return count == 0 ? std::vector<std::size_t>{} : shape;
  }

  static std::size_t count_of(const std::vector<std::size_t>& shape) {
    std::size_t count = shape.empty() ? 0 : 1;
    for (const std::size_t length : shape) count *= length;
    return count;
  }

  int bits_of(const Cards& cards) const {
    const double bits = number(cards, "BITPIX").value_or(0);
    for (const int known : {8, 16, 32, 64, -32, -64}) {
      if (bits == known) return known;
    }
    refuse("has a damaged header: BITPIX");
  }

  void skip(const Cards& cards, const std::vector<std::size_t>& shape) {
    constexpr std::size_t kMost = std::size_t{1} << 40;
    const std::size_t values = whole(cards, "PCOUNT", 0, kMost) + count_of(shape);
    const std::size_t bytes = values * static_cast<std::size_t>(std::abs(bits_of(cards))) / 8 *
                              whole(cards, "GCOUNT", 1, 1);
    const std::size_t padded = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    if (padded > bytes_left(file_)) refuse("ends early; copy it again from its source");
    std::fseek(file_, static_cast<long>(padded), SEEK_CUR);
  }

  NpyArray<double> read_image(const Cards& cards, const std::vector<std::size_t>& shape) {
    const int bits = bits_of(cards);
    const double scale = number(cards, "BSCALE").value_or(1);
    const double zero = number(cards, "BZERO").value_or(0);
    const std::optional<double> blank = bits > 0 ? number(cards, "BLANK") : std::nullopt;
    NpyArray<double> array{shape, "<f8", {}};
    const bool is_plain = scale == 1 && !blank;
    if (is_plain && bits == 8 && zero == 0) array.type = "|u1";
    if (is_plain && bits == 16 && zero == 32768) array.type = "<u2";
    const std::size_t count = count_of(shape), bytes = static_cast<std::size_t>(std::abs(bits)) / 8;
    if (count > bytes_left(file_) / bytes) refuse("ends early; copy it again from its source");
    check_memory(static_cast<double>(count) * sizeof(double), path_.string(), "use a smaller one");
    array.values.resize(count);
    constexpr std::size_t kStep = std::size_t{1} << 13;
    std::vector<unsigned char> step(kStep * bytes);
    for (std::size_t first = 0; first < count; first += kStep) {
      const std::size_t values = std::min(kStep, count - first);
      read_bytes(file_, path_, step.data(), values * bytes);
      for (std::size_t i = 0; i < values; ++i) {
        const double value = value_at(step.data() + i * bytes, bits);
        array.values[first + i] = blank && value == *blank
                                      ? std::numeric_limits<double>::quiet_NaN()
                                      : zero + scale * value;
      }
    }
    return array;
  }

  // Values have their most significant byte first.
  static double value_at(const unsigned char* bytes, int bits) {
    std::uint64_t word = 0;
    for (int bit = 0; bit < std::abs(bits); bit += 8) word = word << 8 | *bytes++;
    switch (bits) {
      case 8:
        return static_cast<double>(word);
      case 16:
        return static_cast<std::int16_t>(word);
      case 32:
        return static_cast<std::int32_t>(word);
      case 64:
        return static_cast<double>(static_cast<std::int64_t>(word));
      case -32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(word));
      default:
        return std::bit_cast<double>(word);
    }
  }

  std::FILE* file_;
  const std::filesystem::path& path_;
};

}  // namespace

NpyArray<double> read_fits(std::FILE* file, const std::filesystem::path& path) {
  return FitsReader(file, path).read();
}

}  // namespace leafglyph::detail
