// The compact protocol of Apache Thrift, in which the facts of a Parquet file are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace leafglyph {

/// An unsigned number in groups of seven bits, the lowest first.
inline void put_varint(std::uint64_t value, std::string& bytes) {
  constexpr unsigned kBits = 7;
  constexpr std::uint64_t kMore = 1U << kBits;
  for (; value >= kMore; value >>= kBits) bytes += static_cast<char>(value | kMore);
  bytes += static_cast<char>(value);
}

/// A structure; its fields are added in the order of their numbers.
///
/// Source: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
class ThriftStruct {
 public:
  ThriftStruct& add(int field, std::int32_t value) { return add_number(field, kInt32, value); }
  ThriftStruct& add(int field, std::int64_t value) { return add_number(field, kInt64, value); }
  ThriftStruct& add(int field, std::string_view text) {
    begin(field, kBinary);
    put_text(text);
    return *this;
  }
  /// A structure in this one, as ended() returned it.
  ThriftStruct& add_struct(int field, std::string_view ended) {
    begin(field, kStruct);
    bytes_ += ended;
    return *this;
  }
  ThriftStruct& add_structs(int field, std::span<const std::string> ended) {
    begin_list(field, kStruct, ended.size());
    for (const std::string& one : ended) bytes_ += one;
    return *this;
  }
  ThriftStruct& add_texts(int field, std::span<const std::string> texts) {
    begin_list(field, kBinary, texts.size());
    for (const std::string& text : texts) put_text(text);
    return *this;
  }
  ThriftStruct& add_numbers(int field, std::span<const std::int32_t> values) {
    begin_list(field, kInt32, values.size());
    for (const std::int32_t value : values) put_number(value);
    return *this;
  }
  /// The bytes of the structure.
  std::string ended() const { return bytes_ + '\0'; }

 private:
  static constexpr unsigned kInt32 = 5, kInt64 = 6, kBinary = 8, kList = 9, kStruct = 12;

  ThriftStruct& add_number(int field, unsigned type, std::int64_t value) {
    begin(field, type);
    put_number(value);
    return *this;
  }
  // The sign comes last, so that small negative numbers are short, too.
  void put_number(std::int64_t value) {
    const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
    put_varint((static_cast<std::uint64_t>(value) << 1U) ^ sign, bytes_);
  }
  void put_text(std::string_view text) {
    put_varint(text.size(), bytes_);
    bytes_ += text;
  }
  void begin(int field, unsigned type) {
    bytes_ += static_cast<char>(static_cast<unsigned>(field - last_) << 4U | type);
    last_ = field;
  }
  void begin_list(int field, unsigned type, std::size_t size) {
    constexpr std::size_t kLong = 15;
    begin(field, kList);
    bytes_ += static_cast<char>(std::min(size, kLong) << 4U | type);
    if (size >= kLong) put_varint(size, bytes_);
  }

  std::string bytes_;
  int last_ = 0;
};

}  // namespace leafglyph
