// Writes a table of columns as an Apache Parquet file, one group of rows after another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/files.h"

namespace leafglyph {

/// The type of a column's values; they may be missing (null).
enum class ParquetType { kFloat, kInteger, kText };  ///< float, std::int64_t, UTF-8

struct ParquetColumn {
  std::string name;
  ParquetType type = ParquetType::kFloat;
};

/// A file of version 1 pages, each packed by Zstandard. Texts have a dictionary in groups where
/// half of them or more occur before.
///
/// Source: github.com/apache/parquet-format, README.md, Encodings.md, parquet.thrift.
class ParquetWriter {
 public:
  ParquetWriter(PutText put, std::vector<ParquetColumn> columns);

  /// Begins a group of rows, after the last one has all its columns.
  void begin_rows(std::size_t rows);
  /// The values of the next column of the group, one for each row.
  void add(std::span<const std::optional<float>> values);
  void add(std::span<const std::optional<std::int64_t>> values);
  void add(std::span<const std::optional<std::string_view>> values);
  /// Ends the file. `metadata`: of the table.
  void finish(const std::map<std::string, std::string>& metadata);

 private:
  /// Numbers of parquet.thrift.
  enum class Encoding { kPlain = 0, kRunLengths = 3, kDictionary = 8 };
  /// The values of one column in one group of rows.
  struct Chunk {
    std::size_t values = 0, nulls = 0;
    std::optional<std::uint64_t> dictionary;  ///< place of this page in the file
    std::uint64_t first = 0;                  ///< place of its first page of values
    Encoding encoding = Encoding::kPlain;     ///< of these
    std::uint64_t bytes = 0, packed = 0;      ///< of all pages, with their headers
  };
  struct Rows {
    std::size_t count = 0;
    std::vector<Chunk> chunks;
  };

  template <class T>
  void add_plain(std::span<const std::optional<T>> values);
  Chunk& begin_chunk(std::size_t values, std::size_t nulls);
  void add_page(Chunk& chunk, std::string_view body, std::size_t values);
  void add_dictionary(Chunk& chunk, std::string_view plain, std::size_t texts);
  void put_page(Chunk& chunk, std::string_view body, int kind, int field,
                const std::string& header);
  void put(std::string_view bytes);
  std::string facts_of(const Chunk& chunk, const ParquetColumn& column) const;
  std::string facts_of(const Rows& rows) const;

  PutText put_;
  std::vector<ParquetColumn> columns_;
  std::vector<Rows> groups_;
  std::uint64_t written_ = 0;
};

}  // namespace leafglyph
