#include "features/npy.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "features/errors.h"

namespace leafglyph {
namespace {

static_assert(std::endian::native == std::endian::little, "npy arrays are written as they lie");

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t kAlignment = 64;  // of the data, as the format asks
constexpr std::size_t kLongestHeader = 65535;

template <class T>
constexpr std::string_view descriptor() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return "|u1";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "<c16";
}

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::size_t> shape;
};

// The text between the quotes, or up to , ) }, that follows 'key': in a header.
std::optional<std::string_view> field(std::string_view header, std::string_view key) {
  const std::size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t start = header.find_first_not_of(' ', colon + 1);
  if (start == std::string_view::npos) return std::nullopt;
  const char close = header[start] == '(' ? ')' : header[start] == '\'' ? '\'' : ',';
  const std::size_t end = header.find(close, start + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return header.substr(start, end - start + 1);
}

std::optional<Header> parse_header(std::string_view text) {
  const auto descr = field(text, "descr");
  const auto fortran = field(text, "fortran_order");
  const auto shape = field(text, "shape");
  if (!descr || !fortran || !shape || descr->size() < 2 || shape->front() != '(') {
    return std::nullopt;
  }
  Header header;
  header.descr = descr->substr(1, descr->size() - 2);
  header.fortran = fortran->starts_with("True");
  std::size_t value = 0;
  bool digits = false;
  for (const char c : shape->substr(1)) {
    if (c >= '0' && c <= '9') {
      if (value > std::numeric_limits<std::size_t>::max() / 16) return std::nullopt;
      value = 10 * value + static_cast<std::size_t>(c - '0');
      digits = true;
    } else if (digits) {
      header.shape.push_back(value);
      value = 0;
      digits = false;
    }
  }
  return header;
}

// Product of the shape; nothing when it overflows.
std::optional<std::size_t> element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) {
    if (length != 0 && count > (std::numeric_limits<std::size_t>::max() / 64) / length) {
      return std::nullopt;
    }
    count *= length;
  }
  return count;
}

template <class From, class To>
std::vector<To> converted(std::string_view bytes, std::size_t count) {
  std::vector<To> values(count);
  if constexpr (std::is_same_v<From, To>) {
    if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(To));
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      From value;
      std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
      values[i] = static_cast<To>(value);
    }
  }
  return values;
}

}  // namespace

template <class T>
std::string npy_bytes(std::span<const T> values, std::span<const std::size_t> shape) {
  if (element_count(shape) != values.size()) {
    throw UsageError("an array of " + std::to_string(values.size()) +
                     " values does not have the shape that was given for it");
  }
  std::string header =
      "{'descr': '" + std::string(descriptor<T>()) + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t length : shape) header += std::to_string(length) + ",";
  header += "), }";
  const std::size_t fixed = kMagic.size() + 2 + header.size() + 1;
  header.append((kAlignment - fixed % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path.string() + ": cannot be opened; check the name and the rights");
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto damaged = [&path](const std::string& what) {
    return FormatError(path.string() + ": " + what);
  };
  if (bytes.size() < kMagic.size() + 2 || !bytes.starts_with(kMagic.substr(0, 6))) {
    throw damaged("is no .npy file");
  }
  if (bytes[6] != 1) throw damaged("is a .npy file of a version other than 1");
  const auto byte_at = [&bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t length = byte_at(8) + 256U * byte_at(9);
  const std::size_t start = kMagic.size() + 2 + length;
  if (length > kLongestHeader || start > bytes.size()) throw damaged("ends inside its header");
  const auto header = parse_header(std::string_view(bytes).substr(kMagic.size() + 2, length));
  if (!header) throw damaged("has a header that cannot be read");
  if (header->fortran) throw damaged("is in column-major order; save it in row-major (C) order");
  const auto count = element_count(header->shape);
  if (!count) throw damaged("states an impossible shape");
  const std::size_t width = header->descr == "|u1"   ? 1
                            : header->descr == "<f4" ? 4
                            : header->descr == "<f8" ? 8
                                                     : 16;
  if (bytes.size() - start != *count * width) {
    throw damaged("holds " + std::to_string(bytes.size() - start) + " bytes of data where " +
                  std::to_string(*count * width) + " are stated");
  }
  const std::string_view data = std::string_view(bytes).substr(start);
  NpyArray<T> array;
  array.shape = header->shape;
  if (header->descr == descriptor<T>()) {
    array.values = converted<T, T>(data, *count);
    return array;
  }
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (header->descr == "|u1") {
      array.values = converted<std::uint8_t, T>(data, *count);
      return array;
    }
    if (header->descr == "<f4") {
      array.values = converted<float, T>(data, *count);
      return array;
    }
    if (header->descr == "<f8") {
      array.values = converted<double, T>(data, *count);
      return array;
    }
  }
  throw damaged("holds elements of type " + header->descr + ", not " +
                std::string(descriptor<T>()));
}

template std::string npy_bytes(std::span<const std::uint8_t>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const float>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const double>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const std::complex<double>>, std::span<const std::size_t>);
template NpyArray<std::uint8_t> read_npy(const std::filesystem::path&);
template NpyArray<float> read_npy(const std::filesystem::path&);
template NpyArray<double> read_npy(const std::filesystem::path&);
template NpyArray<std::complex<double>> read_npy(const std::filesystem::path&);

}  // namespace leafglyph
