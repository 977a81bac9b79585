#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "classify/extraction/store_files.h"
#include "classify/support/parquet_writer.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// A reader takes whole groups of rows. Of fewer bytes each, the facts about thousands of columns
// would fill the file.
constexpr std::size_t kGroupBytes = std::size_t{256} << 20;
constexpr std::size_t kGroupRows = std::size_t{1} << 20;

using Integer = std::optional<std::int64_t>;

struct IntegerColumn {
  const char* name;
  const char* unit;  ///< "": none
  Integer (*value)(const StoreRow& row);
};
struct TextColumn {
  const char* name;
  std::string (*value)(const StoreRow& row);
};

Integer pixels(const StoreRow& row, std::int64_t value) {
  return row.box == PictureBox() ? Integer() : value;
}

constexpr std::array<IntegerColumn, 8> kIntegers = {{
    {"image", "", [](const StoreRow& row) -> Integer { return row.image; }},
    {"part", "", [](const StoreRow& row) -> Integer { return row.part; }},
    {"left", "pixel", [](const StoreRow& row) { return pixels(row, row.box.left); }},
    {"top", "pixel", [](const StoreRow& row) { return pixels(row, row.box.top); }},
    {"width", "pixel", [](const StoreRow& row) { return pixels(row, row.box.width); }},
    {"height", "pixel", [](const StoreRow& row) { return pixels(row, row.box.height); }},
    {"area", "pixel^2",
     [](const StoreRow& row) { return pixels(row, static_cast<std::int64_t>(row.area)); }},
    {"bytes", "byte",
     [](const StoreRow& row) -> Integer {
       return row.file.sha256.empty() ? Integer() : static_cast<std::int64_t>(row.file.bytes);
     }},
}};
constexpr std::array<TextColumn, 5> kTexts = {{
    {"path", [](const StoreRow& row) { return row.path; }},
    {"label", [](const StoreRow& row) { return row.label; }},
    {"state", [](const StoreRow& row) { return std::string(name_of(row.state)); }},
    {"sha256", [](const StoreRow& row) { return row.file.sha256; }},
    {"warnings", [](const StoreRow& row) { return row.warnings; }},
}};

std::vector<ParquetColumn> columns_of(const StoreHeader& header) {
  std::vector<ParquetColumn> columns;
  for (const TextColumn& column : kTexts) columns.push_back({column.name, ParquetType::kText});
  for (const IntegerColumn& column : kIntegers) {
    columns.push_back({column.name, ParquetType::kInteger});
  }
  for (const std::string& field : header.fields) columns.push_back({field, ParquetType::kText});
  for (const std::string& column : header.columns) columns.push_back({column});
  std::set<std::string> names;
  for (const ParquetColumn& column : columns) {
    if (names.insert(column.name).second) continue;
    throw UsageError("two columns have the name '" + column.name +
                     "', which a Parquet file cannot have; rename the field of the list");
  }
  return columns;
}

std::map<std::string, std::string> metadata_of(const StoreHeader& header) {
  nlohmann::ordered_json units;
  for (const IntegerColumn& column : kIntegers) {
    if (*column.unit != '\0') units[column.name] = column.unit;
  }
  return {{"leafglyph.store", header_text(header)},
          {"leafglyph.convention", header.convention},
          {"leafglyph.units", units.dump()}};
}

/// Writes the rows of a group of blocks, column by column.
class GroupWriter {
 public:
  GroupWriter(const StoreHeader& header, const PutText& put)
      : header_(header), parquet_(put, columns_of(header)) {}

  void add(StoreBlock block) {
    if (!rows_.empty() && is_full(block)) flush();
    std::ranges::move(block.rows, std::back_inserter(rows_));
    values_.insert(values_.end(), block.values.begin(), block.values.end());
  }
  void finish() {
    if (!rows_.empty()) flush();
    parquet_.finish(metadata_of(header_));
  }

 private:
  bool is_full(const StoreBlock& next) const {
    return (values_.size() + next.values.size()) * sizeof(float) > kGroupBytes ||
           rows_.size() + next.rows.size() > kGroupRows;
  }
  void flush() {
    parquet_.begin_rows(rows_.size());
    for (const TextColumn& column : kTexts) {
      add_texts([&](const StoreRow& row) { return column.value(row); });
    }
    for (const IntegerColumn& column : kIntegers) {
      std::vector<Integer> values;
      for (const StoreRow& row : rows_) values.push_back(column.value(row));
      parquet_.add(values);
    }
    for (std::size_t f = 0; f < header_.fields.size(); ++f) {
      add_texts([f](const StoreRow& row) { return row.fields[f]; });
    }
    for (std::size_t c = 0; c < header_.columns.size(); ++c) {
      throw_if_interrupted();
      add_numbers(c);
    }
    rows_.clear();
    values_.clear();
  }
  // What is not known is null, not an empty text.
  template <class TextOf>
  void add_texts(const TextOf& text_of) {
    std::vector<std::string> texts;
    for (const StoreRow& row : rows_) texts.push_back(escape_bytes(text_of(row)));
    std::vector<std::optional<std::string_view>> values;
    for (const std::string& text : texts) {
      values.push_back(text.empty() ? std::nullopt : std::optional<std::string_view>(text));
    }
    parquet_.add(values);
  }
  void add_numbers(std::size_t column) {
    std::vector<std::optional<float>> values;
    values.reserve(rows_.size());
    for (std::size_t at = column; at < values_.size(); at += header_.columns.size()) {
      const float value = values_[at];
      values.push_back(std::isnan(value) ? std::nullopt : std::optional(value));
    }
    parquet_.add(values);
  }

  const StoreHeader& header_;
  ParquetWriter parquet_;
  std::vector<StoreRow> rows_;
  std::vector<float> values_;
};

}  // namespace

std::size_t export_parquet(const FeatureStore& store, const std::filesystem::path& file) {
  store.check_complete();
  std::size_t rows = 0;
  write_file_by_parts(file, [&](const PutText& put) {
    GroupWriter groups(store.header(), put);
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      throw_if_interrupted();
      StoreBlock block = store.read_block(b);
      rows += block.rows.size();
      groups.add(std::move(block));
    }
    groups.finish();
  });
  return rows;
}

}  // namespace leafglyph
