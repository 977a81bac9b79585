// Arrays in NumPy's .npy format (version 1.0). They are written in little endian and C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The bits of a number in half precision (IEEE 754 binary16).
struct Half {
  std::uint16_t bits = 0;
  friend bool operator==(const Half&, const Half&) = default;
};
/// Its number.
float float_of(Half half);

/// An array read from a .npy file: `shape` from the slowest axis to the fastest, `type` of the
/// elements in the file, but for their byte order ("<f8", "|u1", "<i4", ...).
template <class T>
struct NpyArray {
  std::vector<std::size_t> shape;
  std::string type;
  std::vector<T> values;
};

/// What stands before the values in a .npy file: `type` as in NpyArray.
std::string npy_header(std::string_view type, std::span<const std::size_t> shape);

/// The bytes of a .npy file with `values` in the given shape. T: std::uint8_t, std::uint16_t,
/// std::int32_t, std::uint64_t, Half, float, double or std::complex<double>. Throws UsageError when
/// the shape does not hold as many values.
template <class T>
std::string npy_bytes(std::span<const T> values, std::span<const std::size_t> shape);

/// Reads an array of T in either byte order, and puts one in Fortran order into C order. Other
/// element types are refused, not converted, except that numbers of half, single and double
/// precision, integers of any width and truth values (0 and 1) are read as any of float and double,
/// integers exactly.
/// Throws InputError when the file cannot be read, FormatError when it is damaged, of another type,
/// or holds an integer that T does not.
template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path);
/// The same from an open file at its first byte, which messages call `path`.
template <class T>
NpyArray<T> read_npy(std::FILE* file, const std::filesystem::path& path);

/// The same from the bytes of a file, which messages call `path`.
template <class T>
NpyArray<T> parse_npy(std::string_view bytes, const std::filesystem::path& path);

/// The shape of an array, and the first byte of its values.
struct NpyPlace {
  std::vector<std::size_t> shape;
  std::size_t start = 0;
};

/// Where the array of T is in a file of `size` bytes that begins with `head`. Throws FormatError as
/// parse_npy, and for another byte order or Fortran order.
template <class T>
NpyPlace npy_place(std::string_view head, std::size_t size, const std::filesystem::path& path);

/// An array where it lies in the bytes of a file.
template <class T>
struct NpyView {
  std::vector<std::size_t> shape;
  std::span<const T> values;
};

/// The same without a copy: T is float, Half or std::uint64_t, the type of the elements themselves,
/// and `bytes` lie as a mapped file does, on a border of memory that T can be read from;
/// FormatError otherwise. Reads the header alone.
template <class T>
NpyView<T> view_npy(std::string_view bytes, const std::filesystem::path& path);

}  // namespace leafglyph
