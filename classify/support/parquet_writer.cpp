#include "classify/support/parquet_writer.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "classify/support/thrift_struct.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

static_assert(std::endian::native == std::endian::little, "as values lie in a Parquet file");

constexpr std::string_view kMagic = "PAR1";
// Names of parquet.thrift.
constexpr std::int32_t kInt64 = 2, kFloat = 4, kByteArray = 6;
constexpr std::int32_t kOptional = 1, kUtf8 = 0, kZstd = 6;
constexpr std::int32_t kDataPage = 0, kDictionaryPage = 2;
// A reader keeps a page of each column in memory.
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

std::int32_t type_of(ParquetType type) {
  switch (type) {
    case ParquetType::kFloat:
      break;
    case ParquetType::kInteger:
      return kInt64;
    case ParquetType::kText:
      return kByteArray;
  }
  return kFloat;
}

template <class T>
void put_bytes(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void put_plain(float value, std::string& bytes) { put_bytes(value, bytes); }
void put_plain(std::int64_t value, std::string& bytes) { put_bytes(value, bytes); }
void put_plain(std::string_view text, std::string& bytes) {
  put_bytes(static_cast<std::uint32_t>(text.size()), bytes);
  bytes += text;
}

/// Numbers as runs of equal ones: the length times 2, then the number in `width` bytes.
class Runs {
 public:
  Runs(std::size_t width, std::string& bytes) : width_(width), bytes_(bytes) {}
  void add(std::uint32_t value) {
    if (length_ > 0 && value != value_) end();
    value_ = value;
    ++length_;
  }
  void end() {
    if (length_ == 0) return;
    put_varint(length_ << 1U, bytes_);
    bytes_.append(reinterpret_cast<const char*>(&value_), width_);
    length_ = 0;
  }

 private:
  std::size_t width_;
  std::string& bytes_;
  std::uint32_t value_ = 0;
  std::uint64_t length_ = 0;
};

// Which values are there, after the number of bytes that say so.
template <class T>
std::string presence(std::span<const std::optional<T>> values) {
  std::string text;
  Runs runs(1, text);
  for (const std::optional<T>& value : values) runs.add(value.has_value());
  runs.end();
  std::string bytes;
  put_plain(std::string_view(text), bytes);
  return bytes;
}

/// Texts of a column by number, in the order in which they occur.
struct Dictionary {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::string plain;
};

Dictionary dictionary_of(std::span<const std::optional<std::string_view>> texts) {
  Dictionary dictionary;
  for (const std::optional<std::string_view>& text : texts) {
    if (!text) continue;
    const auto number = static_cast<std::uint32_t>(dictionary.numbers.size());
    if (dictionary.numbers.emplace(*text, number).second) put_plain(*text, dictionary.plain);
  }
  return dictionary;
}

template <class T>
std::size_t nulls_of(std::span<const std::optional<T>> values) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](const auto& value) { return !value; }));
}

std::string packed(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  constexpr int kFast = 1;  // the digits of moments do not repeat: higher levels gain nothing
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kFast);
  if (ZSTD_isError(size) != 0) throw Error("Zstandard: " + std::string(ZSTD_getErrorName(size)));
  packed.resize(size);
  return packed;
}

std::string schema_of(const ParquetColumn& column) {
  ThriftStruct element;
  element.add(1, type_of(column.type)).add(3, kOptional).add(4, std::string_view(column.name));
  if (column.type != ParquetType::kText) return element.ended();
  const std::string text = ThriftStruct().add_struct(1, ThriftStruct().ended()).ended();
  return element.add(6, kUtf8).add_struct(10, text).ended();
}

}  // namespace

ParquetWriter::ParquetWriter(PutText put, std::vector<ParquetColumn> columns)
    : put_(std::move(put)), columns_(std::move(columns)) {
  this->put(kMagic);
}

void ParquetWriter::begin_rows(std::size_t rows) { groups_.push_back({rows, {}}); }

void ParquetWriter::add(std::span<const std::optional<float>> values) { add_plain(values); }
void ParquetWriter::add(std::span<const std::optional<std::int64_t>> values) { add_plain(values); }
void ParquetWriter::add(std::span<const std::optional<std::string_view>> values) {
  const Dictionary dictionary = dictionary_of(values);
  const std::size_t nulls = nulls_of(values);
  const std::size_t texts = dictionary.numbers.size();
  if (texts == 0 || 2 * texts > values.size() - nulls) return add_plain(values);
  Chunk& chunk = begin_chunk(values.size(), nulls);
  add_dictionary(chunk, dictionary.plain, texts);
  std::string body = presence(values);
  const auto width = static_cast<std::size_t>(std::bit_width(texts) + 7) / 8;
  body += static_cast<char>(8 * width);
  Runs runs(width, body);
  for (const std::optional<std::string_view>& value : values) {
    if (value) runs.add(dictionary.numbers.at(*value));
  }
  runs.end();
  add_page(chunk, body, values.size());
}

template <class T>
void ParquetWriter::add_plain(std::span<const std::optional<T>> values) {
  Chunk& chunk = begin_chunk(values.size(), nulls_of(values));
  for (std::size_t begin = 0; begin < values.size();) {
    std::string plain;
    std::size_t end = begin;
    for (; end < values.size() && plain.size() < kPageBytes; ++end) {
      if (values[end]) put_plain(*values[end], plain);
    }
    add_page(chunk, presence(values.subspan(begin, end - begin)) + plain, end - begin);
    begin = end;
  }
}

ParquetWriter::Chunk& ParquetWriter::begin_chunk(std::size_t values, std::size_t nulls) {
  return groups_.back().chunks.emplace_back(Chunk{values, nulls, {}, written_});
}

void ParquetWriter::add_dictionary(Chunk& chunk, std::string_view plain, std::size_t texts) {
  chunk.dictionary = written_;
  chunk.encoding = Encoding::kDictionary;
  const std::string header = ThriftStruct()
                                 .add(1, static_cast<std::int32_t>(texts))
                                 .add(2, static_cast<std::int32_t>(Encoding::kPlain))
                                 .ended();
  put_page(chunk, plain, kDictionaryPage, 7, header);
  chunk.first = written_;
}

void ParquetWriter::add_page(Chunk& chunk, std::string_view body, std::size_t values) {
  const auto runs = static_cast<std::int32_t>(Encoding::kRunLengths);
  const std::string header = ThriftStruct()
                                 .add(1, static_cast<std::int32_t>(values))
                                 .add(2, static_cast<std::int32_t>(chunk.encoding))
                                 .add(3, runs)
                                 .add(4, runs)
                                 .ended();
  put_page(chunk, body, kDataPage, 5, header);
}

void ParquetWriter::put_page(Chunk& chunk, std::string_view body, int kind, int field,
                             const std::string& header) {
  const std::string page = packed(body);
  const std::string facts = ThriftStruct()
                                .add(1, kind)
                                .add(2, static_cast<std::int32_t>(body.size()))
                                .add(3, static_cast<std::int32_t>(page.size()))
                                .add_struct(field, header)
                                .ended();
  put(facts);
  put(page);
  chunk.bytes += facts.size() + body.size();
  chunk.packed += facts.size() + page.size();
}

void ParquetWriter::put(std::string_view bytes) {
  put_(bytes);
  written_ += bytes.size();
}

std::string ParquetWriter::facts_of(const Chunk& chunk, const ParquetColumn& column) const {
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const std::array<std::int32_t, 2> encodings = {static_cast<std::int32_t>(chunk.encoding),
                                                 static_cast<std::int32_t>(Encoding::kRunLengths)};
  ThriftStruct facts;
  facts.add(1, type_of(column.type))
      .add_numbers(2, encodings)
      .add_texts(3, std::span(&column.name, 1))
      .add(4, kZstd)
      .add(5, number(chunk.values))
      .add(6, number(chunk.bytes))
      .add(7, number(chunk.packed))
      .add(9, number(chunk.first));
  if (chunk.dictionary) facts.add(11, number(*chunk.dictionary));
  facts.add_struct(12, ThriftStruct().add(3, number(chunk.nulls)).ended());
  const std::uint64_t begin = chunk.dictionary.value_or(chunk.first);
  return ThriftStruct().add(2, number(begin)).add_struct(3, facts.ended()).ended();
}

std::string ParquetWriter::facts_of(const Rows& rows) const {
  std::vector<std::string> chunks;
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    chunks.push_back(facts_of(rows.chunks.at(c), columns_[c]));
    bytes += rows.chunks[c].bytes;
  }
  return ThriftStruct()
      .add_structs(1, chunks)
      .add(2, static_cast<std::int64_t>(bytes))
      .add(3, static_cast<std::int64_t>(rows.count))
      .ended();
}

void ParquetWriter::finish(const std::map<std::string, std::string>& metadata) {
  const auto columns = static_cast<std::int32_t>(columns_.size());
  std::vector<std::string> schema = {
      ThriftStruct().add(4, std::string_view("schema")).add(5, columns).ended()};
  for (const ParquetColumn& column : columns_) schema.push_back(schema_of(column));
  std::int64_t rows = 0;
  std::vector<std::string> groups;
  for (const Rows& group : groups_) {
    rows += static_cast<std::int64_t>(group.count);
    groups.push_back(facts_of(group));
  }
  std::vector<std::string> pairs;
  for (const auto& [key, value] : metadata) {
    pairs.push_back(
        ThriftStruct().add(1, std::string_view(key)).add(2, std::string_view(value)).ended());
  }
  std::string footer = ThriftStruct()
                           .add(1, std::int32_t{1})
                           .add_structs(2, schema)
                           .add(3, rows)
                           .add_structs(4, groups)
                           .add_structs(5, pairs)
                           .add(6, std::string_view("LeafGlyph"))
                           .ended();
  put_bytes(static_cast<std::uint32_t>(footer.size()), footer);
  put(footer);
  put(kMagic);
}

}  // namespace leafglyph
