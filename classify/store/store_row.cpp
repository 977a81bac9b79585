#include "classify/store/store_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr const char* kHead =
    "image,part,path,label,state,left,top,width,height,area,bytes,sha256,warnings";
constexpr std::size_t kFields = 13;

template <class Number>
Number value_of(const std::string& field, const char* what) {
  const auto number = number_in<Number>(field);
  if (!number) throw UsageError("'" + field + "' is not " + what);
  return *number;
}

PictureBox box_in(std::span<const std::string> fields) {
  if (fields[2].empty()) return {};
  const auto pixels = [&](std::size_t i) { return value_of<int>(fields[i], "a number of pixels"); };
  return {pixels(0), pixels(1), pixels(2), pixels(3)};
}

StoreRow row_of(const std::vector<std::string>& fields) {
  StoreRow row;
  row.image = value_of<std::size_t>(fields[0], "the number of an image");
  row.part = value_of<int>(fields[1], "the number of a part");
  row.path = unescape_bytes(fields[2]);
  row.label = unescape_bytes(fields[3]);
  row.state = from_name<RowState>(fields[4]);
  row.box = box_in(std::span<const std::string>(fields).subspan(5, 4));
  if (!fields[9].empty()) row.area = value_of<std::uint64_t>(fields[9], "an area");
  row.file = {value_of<std::uint64_t>(fields[10], "a number of bytes"), fields[11]};
  row.warnings = unescape_bytes(fields[12]);
  for (std::size_t i = kFields; i < fields.size(); ++i) {
    row.fields.push_back(unescape_bytes(fields[i]));
  }
  return row;
}

// Whether `row` can follow `before`: the next part of its image, or the next image.
bool follows(const StoreRow& row, const StoreRow& before) {
  return row.image == before.image ? row.part > before.part : row.image == before.image + 1;
}

}  // namespace

bool is_store_column(std::string_view name) {
  const std::string_view head = kHead;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find(',', at), head.size());
    if (head.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

std::string place_fields(const StoreRow& row) {
  if (row.box == PictureBox()) return ",,,,";
  return fmt::format("{},{},{},{},{}", row.box.left, row.box.top, row.box.width, row.box.height,
                     row.area);
}

std::string rows_text(const StoreHeader& header, std::span<const StoreRow> rows) {
  std::string text = kHead;
  for (const std::string& name : header.fields) text += "," + csv_field(name);
  text += '\n';
  auto out = std::back_inserter(text);
  for (const StoreRow& row : rows) {
    fmt::format_to(out, "{},{},{},{},{},", row.image, row.part, csv_field(row.path),
                   csv_field(row.label), name_of(row.state));
    fmt::format_to(out, "{},{},{},{}", place_fields(row), row.file.bytes, row.file.sha256,
                   csv_field(row.warnings));
    for (const std::string& field : row.fields) text += "," + csv_field(field);
    text += '\n';
  }
  return text;
}

std::vector<StoreRow> parse_rows(const StoreHeader& header, std::size_t b, std::string text,
                                 const std::filesystem::path& file) {
  const std::size_t first = b * header.block, end = first + header.inputs_of(b);
  std::istringstream stream(std::move(text));
  CsvReader reader(stream, file);
  std::vector<std::string> fields;
  std::vector<StoreRow> rows;
  if (!reader.next(fields)) throw UsageError("is empty");
  while (reader.next(fields)) {
    const auto refuse = [&] {
      throw UsageError(fmt::format("line {} is not the next row of the store", reader.line()));
    };
    if (fields.size() != kFields + header.fields.size()) refuse();
    StoreRow row = row_of(fields);
    const bool in_order = rows.empty() ? row.image == first : follows(row, rows.back());
    if (!in_order || row.image >= end) refuse();
    rows.push_back(std::move(row));
  }
  const std::size_t inputs = rows.empty() ? 0 : rows.back().image + 1 - first;
  if (inputs != end - first) {
    throw UsageError(fmt::format("has rows of {} inputs of {}", inputs, end - first));
  }
  return rows;
}

}  // namespace leafglyph
