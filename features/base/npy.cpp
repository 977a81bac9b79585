#include "features/base/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/memory.h"

namespace leafglyph {
namespace {

static_assert(std::endian::native == std::endian::little,
              "npy arrays are written as they lie in memory, which must be little-endian");

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t kAlignment = 64;  // of the data, as the format requires

template <class T>
constexpr std::string_view descriptor() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return "|u1";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "<u2";
  if constexpr (std::is_same_v<T, std::int32_t>) return "<i4";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "<u8";
  if constexpr (std::is_same_v<T, Half>) return "<f2";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "<c16";
}

struct Header {
  std::string descr;     // in little-endian order
  bool swapped = false;  // the file has the other order
  bool fortran = false;
  std::vector<std::size_t> shape;
};

// The value after 'key': in a header: the text in quotes or parentheses, or up to the next comma,
// with its delimiters.
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
  header.swapped = header.descr.starts_with('>');
  if (header.swapped) header.descr.front() = '<';
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

// Product of the shape; nullopt if it overflows.
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

/// Whether something holds, in a byte.
struct Truth {
  std::uint8_t byte = 0;
};

// Calls use(value of the element type) for the types that can be read, by their names in the
// format. False for any other type.
template <class Use>
bool with_type(std::string_view descr, const Use& use) {
  const auto matches = [&](std::string_view name, auto value) {
    if (descr != name) return false;
    use(value);
    return true;
  };
  return matches("|u1", std::uint8_t{}) || matches("|i1", std::int8_t{}) ||
         matches("<u2", std::uint16_t{}) || matches("<i2", std::int16_t{}) ||
         matches("<u4", std::uint32_t{}) || matches("<i4", std::int32_t{}) ||
         matches("<u8", std::uint64_t{}) || matches("<i8", std::int64_t{}) ||
         matches("|b1", Truth{}) || matches("<f2", Half{}) || matches("<f4", float{}) ||
         matches("<f8", double{}) || matches("<c16", std::complex<double>{});
}

// Whether a From can be read as a To: every real type as a floating-point number, and every type as
// itself.
template <class From, class To>
constexpr bool is_read_as() {
  constexpr bool kIsReal =
      std::is_arithmetic_v<From> || std::is_same_v<From, Half> || std::is_same_v<From, Truth>;
  return std::is_same_v<From, To> || (kIsReal && std::is_floating_point_v<To>);
}

// Whether T represents the integer exactly. Integers with more digits than T has are treated as too
// large.
template <class T, class Integer>
bool is_exact(Integer value) {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  if constexpr (std::numeric_limits<Integer>::digits <= kDigits) {
    return true;
  } else {
    constexpr Integer kLargest = Integer{1} << kDigits;
    if constexpr (std::is_signed_v<Integer>) {
      if (value < -kLargest) return false;
    }
    return value <= kLargest;
  }
}

FormatError damaged(const std::filesystem::path& path, const std::string& what) {
  return FormatError(path.string() + ": " + what);
}

// The source of an array's bytes: an open file or memory.
class FileSource {
 public:
  FileSource(std::FILE* file, const std::filesystem::path& path) : path_(path), file_(file) {}
  std::size_t left() const { return bytes_left(file_); }
  void read(void* bytes, std::size_t size) { read_bytes(file_, path_, bytes, size); }

 private:
  const std::filesystem::path& path_;
  std::FILE* file_;
};

class MemorySource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  const char* place() const { return bytes_.data(); }
  void read(void* bytes, std::size_t size) {  // the caller has checked left()
    if (size > 0) std::memcpy(bytes, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

 private:
  std::string_view bytes_;
};

// Reads the header of a source at its first byte, and leaves the source at the data.
template <class Source>
Header read_header(Source& source, const std::filesystem::path& path) {
  std::string fixed(kMagic.size() + 2, '\0');
  if (source.left() < fixed.size()) throw damaged(path, "is not a .npy file");
  source.read(fixed.data(), fixed.size());
  if (!fixed.starts_with(kMagic.substr(0, 6))) throw damaged(path, "is not a .npy file");
  if (fixed[6] != 1) throw damaged(path, "is a .npy file of a version other than 1");
  const auto byte_at = [&fixed](std::size_t i) { return static_cast<unsigned char>(fixed[i]); };
  std::string text(byte_at(8) + 256U * byte_at(9), '\0');
  if (text.size() > source.left()) throw damaged(path, "ends inside its header");
  source.read(text.data(), text.size());
  auto header = parse_header(text);
  if (!header) throw damaged(path, "has a header that cannot be read");
  return *std::move(header);
}

// Throws if the length of the data differs from the one in the header.
void require_bytes(std::size_t bytes, std::size_t stated, const std::filesystem::path& path) {
  if (bytes == stated) return;
  throw damaged(path, "holds " + std::to_string(bytes) + " bytes of data where " +
                          std::to_string(stated) + " are stated");
}

std::size_t stated_count(const Header& header, const std::filesystem::path& path) {
  const auto count = element_count(header.shape);
  if (!count) throw damaged(path, "states an impossible shape");
  return *count;
}

template <class T>
FormatError of_other_type(const Header& header, const std::filesystem::path& path) {
  return damaged(
      path, "holds elements of type " + header.descr + ", not " + std::string(descriptor<T>()));
}

template <class T>
void swap_bytes(std::span<T> values) {
  for (T& value : values) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&value);
    constexpr std::size_t kHalves = std::is_same_v<T, std::complex<double>> ? 2 : 1;
    constexpr std::size_t kBytes = sizeof(T) / kHalves;
    for (std::size_t i = 0; i < kHalves; ++i) {
      std::reverse(bytes + i * kBytes, bytes + (i + 1) * kBytes);
    }
  }
}

template <class To, class From>
To number_of(From value, const std::filesystem::path& path) {
  if constexpr (std::is_same_v<From, Half>) {
    return static_cast<To>(float_of(value));
  } else if constexpr (std::is_same_v<From, Truth>) {
    return static_cast<To>(value.byte != 0);
  } else {
    if constexpr (std::is_integral_v<From>) {
      if (!is_exact<To>(value)) {
        throw damaged(path, "holds the integer " + std::to_string(value) +
                                ", which has too many digits; save it as float64");
      }
    }
    return static_cast<To>(value);
  }
}

template <class From, class To, class Source>
std::vector<To> read_values(Source& source, const std::filesystem::path& path, std::size_t count,
                            bool swapped) {
  check_memory(static_cast<double>(count) * sizeof(To), path.string(), "use a smaller array");
  std::vector<To> values(count);
  if constexpr (std::is_same_v<From, To>) {
    source.read(values.data(), count * sizeof(To));
    if (swapped) swap_bytes(std::span(values));
  } else {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    std::vector<From> block(std::min(count, kBlock));
    for (std::size_t first = 0; first < count; first += kBlock) {
      const std::size_t length = std::min(kBlock, count - first);
      source.read(block.data(), length * sizeof(From));
      if (swapped) swap_bytes(std::span(block).first(length));
      for (std::size_t i = 0; i < length; ++i) values[first + i] = number_of<To>(block[i], path);
    }
  }
  return values;
}

// Values whose first axis is the fastest, with the last one as the fastest.
template <class T>
std::vector<T> in_c_order(const std::vector<T>& values, std::span<const std::size_t> shape) {
  std::vector<std::size_t> steps, place(shape.size());
  for (std::size_t step = 1; const std::size_t length : shape) {
    steps.push_back(step);
    step *= length;
  }
  std::vector<T> ordered;
  ordered.reserve(values.size());
  for (std::size_t from = 0; ordered.size() < values.size();) {
    ordered.push_back(values[from]);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += steps[axis];
      if (++place[axis] < shape[axis]) break;
      from -= steps[axis] * shape[axis];
      place[axis] = 0;
    }
  }
  return ordered;
}

template <class T, class Source>
NpyArray<T> read_array(Source source, const std::filesystem::path& path) {
  const Header header = read_header(source, path);
  const std::size_t count = stated_count(header, path);
  NpyArray<T> array;
  array.shape = header.shape;
  array.type = header.descr;
  const auto read_as = [&]<class From>(From) {
    if constexpr (is_read_as<From, T>()) {
      require_bytes(source.left(), count * sizeof(From), path);
      array.values = read_values<From, T>(source, path, count, header.swapped);
      if (header.fortran) {
        check_memory(static_cast<double>(count) * sizeof(T), path.string(), "use a smaller array");
        array.values = in_c_order(array.values, array.shape);
      }
    } else {
      throw of_other_type<T>(header, path);
    }
  };
  if (!with_type(header.descr, read_as)) {
    throw damaged(path, "holds elements of type '" + header.descr +
                            "', which is not read; save it as float64");
  }
  return array;
}

}  // namespace

float float_of(Half half) {
  const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  const float magnitude =
      exponent < 31   ? std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024),
                                   std::max(exponent, 1) - 25)
      : fraction == 0 ? std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::quiet_NaN();
  return half.bits >> 15 != 0 ? -magnitude : magnitude;
}

std::string npy_header(std::string_view type, std::span<const std::size_t> shape) {
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t length : shape) header += std::to_string(length) + ",";
  header += "), }";
  const std::size_t fixed = kMagic.size() + 2 + header.size() + 1;
  header.append((kAlignment - fixed % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

template <class T>
std::string npy_bytes(std::span<const T> values, std::span<const std::size_t> shape) {
  if (element_count(shape) != values.size()) {
    throw UsageError("an array of " + std::to_string(values.size()) +
                     " values does not have the shape that was given for it");
  }
  std::string bytes = npy_header(descriptor<T>(), shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path) {
  const FileHandle file = open_input(path);
  return read_npy<T>(file.get(), path);
}

template <class T>
NpyArray<T> read_npy(std::FILE* file, const std::filesystem::path& path) {
  return read_array<T>(FileSource(file, path), path);
}

template <class T>
NpyArray<T> parse_npy(std::string_view bytes, const std::filesystem::path& path) {
  return read_array<T>(MemorySource(bytes), path);
}

template <class T>
NpyPlace npy_place(std::string_view head, std::size_t size, const std::filesystem::path& path) {
  MemorySource source(head);
  const Header header = read_header(source, path);
  if (header.descr != descriptor<T>()) throw of_other_type<T>(header, path);
  if (header.swapped || header.fortran) {
    throw damaged(path, "is in another order of bytes or axes than LeafGlyph writes");
  }
  const std::size_t start = head.size() - source.left();
  require_bytes(size - start, stated_count(header, path) * sizeof(T), path);
  return {header.shape, start};
}

template <class T>
NpyView<T> view_npy(std::string_view bytes, const std::filesystem::path& path) {
  const NpyPlace place = npy_place<T>(bytes, bytes.size(), path);
  const std::string_view values = bytes.substr(place.start);
  if (reinterpret_cast<std::uintptr_t>(values.data()) % alignof(T) != 0) {
    throw damaged(path, "has a header after which values cannot be read in place");
  }
  return {place.shape, {reinterpret_cast<const T*>(values.data()), values.size() / sizeof(T)}};
}

template std::string npy_bytes(std::span<const std::uint8_t>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const std::uint16_t>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const std::int32_t>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const std::uint64_t>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const Half>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const float>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const double>, std::span<const std::size_t>);
template std::string npy_bytes(std::span<const std::complex<double>>, std::span<const std::size_t>);
template NpyArray<std::uint8_t> read_npy(const std::filesystem::path&);
template NpyArray<float> read_npy(const std::filesystem::path&);
template NpyArray<double> read_npy(const std::filesystem::path&);
template NpyArray<std::complex<double>> read_npy(const std::filesystem::path&);
template NpyArray<double> read_npy(std::FILE*, const std::filesystem::path&);
template NpyArray<std::uint8_t> parse_npy(std::string_view, const std::filesystem::path&);
template NpyArray<std::int32_t> parse_npy(std::string_view, const std::filesystem::path&);
template NpyArray<float> parse_npy(std::string_view, const std::filesystem::path&);
template NpyArray<double> parse_npy(std::string_view, const std::filesystem::path&);
template NpyArray<std::complex<double>> parse_npy(std::string_view, const std::filesystem::path&);
template NpyPlace npy_place<float>(std::string_view, std::size_t, const std::filesystem::path&);
template NpyPlace npy_place<Half>(std::string_view, std::size_t, const std::filesystem::path&);
template NpyPlace npy_place<std::uint64_t>(std::string_view, std::size_t,
                                           const std::filesystem::path&);
template NpyView<float> view_npy(std::string_view, const std::filesystem::path&);
template NpyView<Half> view_npy(std::string_view, const std::filesystem::path&);
template NpyView<std::uint64_t> view_npy(std::string_view, const std::filesystem::path&);

}  // namespace leafglyph
