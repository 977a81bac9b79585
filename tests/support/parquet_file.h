// Reads the Parquet files of the tests, by the specification and apart from the writer: flat
// columns, version 1 pages packed by Zstandard, dictionaries and runs.
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::testing {

/// A value of Thrift's compact protocol.
struct ThriftValue {
  std::int64_t number = 0;
  std::string text;
  std::vector<ThriftValue> list;
  std::map<int, ThriftValue> fields;
  const ThriftValue& operator[](int field) const { return fields.at(field); }
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = this->byte();
      value |= (byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
  }
  ThriftValue read_struct() {
    ThriftValue value;
    for (int field = 0;;) {
      const unsigned head = byte();
      if (head == 0) return value;
      const unsigned step = head >> 4U;
      EXPECT_GT(step, 0U);
      field += static_cast<int>(step);
      value.fields[field] = read(head & 0xfU);
    }
  }
  std::size_t at() const { return at_; }
  unsigned byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }

 private:
  ThriftValue read(unsigned type) {
    ThriftValue value;
    if (type == 5 || type == 6) {
      const std::uint64_t folded = varint();
      value.number =
          static_cast<std::int64_t>(folded >> 1U) ^ -static_cast<std::int64_t>(folded & 1U);
    } else if (type == 8) {
      const std::uint64_t size = varint();
      value.text = bytes_.substr(at_, size);
      at_ += size;
    } else if (type == 9) {
      const unsigned head = byte();
      std::uint64_t size = head >> 4U;
      if (size == 15) size = varint();
      for (; size > 0; --size) value.list.push_back(read(head & 0xfU));
    } else {
      EXPECT_EQ(type, 12U);
      value = read_struct();
    }
    return value;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// The columns of a file, by name; every value as its plain bytes, or null.
class ParquetFile {
 public:
  using Column = std::vector<std::optional<std::string>>;

  explicit ParquetFile(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(bytes_.substr(0, 4), "PAR1");
    EXPECT_EQ(bytes_.substr(bytes_.size() - 4), "PAR1");
    const auto size = number<std::uint32_t>(bytes_, bytes_.size() - 8);
    const std::string footer = bytes_.substr(bytes_.size() - 8 - size, size);
    ThriftReader reader(footer);
    facts_ = reader.read_struct();
    EXPECT_EQ(reader.at(), size);
    for (const ThriftValue& pair : facts_[5].list) metadata[pair[1].text] = pair[2].text;
    const std::vector<ThriftValue>& schema = facts_[2].list;
    EXPECT_EQ(schema.at(0)[5].number + 1, static_cast<std::int64_t>(schema.size()));
    for (const ThriftValue& group : facts_[4].list) {
      group_rows.push_back(group[3].number);
      for (std::size_t c = 0; c + 1 < schema.size(); ++c) {
        const ThriftValue& chunk = group[1].list.at(c)[3];
        EXPECT_EQ(chunk[3].list.at(0).text, schema[c + 1][4].text);
        read_chunk(chunk, columns[schema[c + 1][4].text]);
      }
    }
    rows = facts_[3].number;
    for (const auto& [name, values] : columns) {
      EXPECT_EQ(static_cast<std::int64_t>(values.size()), rows) << name;
    }
  }

  template <class T>
  static T number(std::string_view bytes, std::size_t at = 0) {
    T value;
    EXPECT_LE(at + sizeof(value), bytes.size());
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  }

  std::map<std::string, Column> columns;
  std::map<std::string, std::string> metadata;
  std::vector<std::int64_t> group_rows;
  std::int64_t rows = 0;
  int dictionaries = 0;

 private:
  struct Page {
    ThriftValue header;
    std::string body;
  };
  Page read_page(std::size_t& at) {
    ThriftReader reader(std::string_view(bytes_).substr(at));
    Page page{reader.read_struct(), {}};
    page.body.resize(static_cast<std::size_t>(page.header[2].number));
    const auto packed = static_cast<std::size_t>(page.header[3].number);
    EXPECT_EQ(ZSTD_decompress(page.body.data(), page.body.size(), bytes_.data() + at + reader.at(),
                              packed),
              page.body.size());
    at += reader.at() + packed;
    return page;
  }

  // Runs of numbers of a width in bits, until there are `count`.
  static std::vector<std::uint64_t> runs(std::string_view bytes, unsigned bits, std::size_t count) {
    ThriftReader reader(bytes);
    std::vector<std::uint64_t> values;
    while (values.size() < count) {
      const std::uint64_t head = reader.varint();
      EXPECT_EQ(head & 1U, 0U) << "packed bits, which the writer never makes";
      std::uint64_t value = 0;
      for (unsigned shift = 0; shift < bits; shift += 8) {
        value |= std::uint64_t{reader.byte()} << shift;
      }
      values.insert(values.end(), head >> 1U, value);
    }
    EXPECT_EQ(reader.at(), bytes.size());
    EXPECT_EQ(values.size(), count);
    return values;
  }

  static std::string plain(std::string_view bytes, std::int64_t type, std::size_t& at) {
    std::size_t size = type == 4 ? 4 : 8;
    if (type == 6) {
      size = number<std::uint32_t>(bytes, at);
      at += 4;
    }
    at += size;
    return std::string(bytes.substr(at - size, size));
  }

  void read_chunk(const ThriftValue& chunk, Column& column) {
    EXPECT_EQ(chunk[4].number, 6);
    const std::int64_t type = chunk[1].number;
    std::size_t at = static_cast<std::size_t>(chunk[9].number);
    std::vector<std::string> dictionary;
    const std::size_t begin =
        chunk.fields.contains(11) ? static_cast<std::size_t>(chunk[11].number) : at;
    if (begin != at) {
      std::size_t place = begin;
      const Page page = read_page(place);
      EXPECT_EQ(page.header[1].number, 2);
      EXPECT_EQ(place, at);
      for (std::size_t from = 0; from < page.body.size();) {
        dictionary.push_back(plain(page.body, type, from));
      }
      EXPECT_EQ(static_cast<std::int64_t>(dictionary.size()), page.header[7][1].number);
      ++dictionaries;
    }
    const std::size_t before = column.size();
    std::int64_t nulls = 0;
    while (column.size() - before < static_cast<std::size_t>(chunk[5].number)) {
      const Page page = read_page(at);
      EXPECT_EQ(page.header[1].number, 0);
      read_values(page, type, dictionary, column, nulls);
    }
    EXPECT_EQ(nulls, chunk[12][3].number);
    EXPECT_EQ(at - begin, static_cast<std::size_t>(chunk[7].number));
  }

  static void read_values(const Page& page, std::int64_t type,
                          const std::vector<std::string>& dictionary, Column& column,
                          std::int64_t& nulls) {
    const auto count = static_cast<std::size_t>(page.header[5][1].number);
    const std::size_t levels = number<std::uint32_t>(page.body);
    const auto there = runs(std::string_view(page.body).substr(4, levels), 1, count);
    std::string_view values = std::string_view(page.body).substr(4 + levels);
    std::vector<std::uint64_t> numbers;
    if (page.header[5][2].number == 8) {
      const auto present = static_cast<std::size_t>(std::count(there.begin(), there.end(), 1U));
      numbers = runs(values.substr(1), static_cast<unsigned char>(values[0]), present);
    }
    std::size_t at = 0, next = 0;
    for (const std::uint64_t is_there : there) {
      if (is_there == 0) {
        ++nulls;
        column.emplace_back(std::nullopt);
      } else if (page.header[5][2].number == 8) {
        column.emplace_back(dictionary.at(numbers.at(next++)));
      } else {
        column.emplace_back(plain(values, type, at));
      }
    }
    EXPECT_EQ(at, numbers.empty() ? values.size() : 0);
  }

  std::string bytes_;
  ThriftValue facts_;
};

}  // namespace leafglyph::testing
