#include "features/base/table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "features/base/csv.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// Removes the text up to `end`, or all of it, from the front and returns it.
std::string_view taken(std::string_view& text, char end) {
  const std::string_view front = text.substr(0, text.find(end));
  text.remove_prefix(std::min(front.size() + 1, text.size()));
  return front;
}

// "PSNR/dB:.2f"
TableColumn column_from(std::string_view word) {
  std::string_view unit = taken(word, ':');
  TableColumn column{std::string(taken(unit, '/'))};
  column.unit = unit;
  if (word == "text" || word == "name") {
    column.type = word == "text" ? ColumnType::kText : ColumnType::kName;
  } else if (!word.empty()) {
    const auto digits = number_in<int>(word.substr(1, word.size() - 2));
    if (!digits || word.front() != '.' || (word.back() != 'f' && word.back() != 'g')) {
      throw std::logic_error("a column is " + std::string(word));
    }
    column.format = word.back() == 'f' ? decimals(*digits) : significant(*digits);
  }
  return column;
}

std::string csv_cell(std::string_view text, bool is_from_outside) {
  return is_from_outside ? csv_shown_field(text) : csv_field(text);
}

std::string padded_cell(const std::string& text, std::size_t width, ColumnType type) {
  const std::string blanks(width - count_characters(text), ' ');
  return type == ColumnType::kNumber ? blanks + text : text + blanks;
}

}  // namespace

std::string NumberFormat::print(double value) const {
  if (notation == std::chars_format{}) return number_text(value);
  char text[400];  // at most 309 digits before the point
  return {text, std::to_chars(text, text + sizeof text, value, notation, digits).ptr};
}

std::vector<TableColumn> table_columns(std::string_view line) {
  std::vector<TableColumn> columns;
  while (!line.empty()) columns.push_back(column_from(taken(line, ' ')));
  return columns;
}

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

std::size_t Table::rows() const {
  if (cells_.size() % columns_.size() != 0) throw std::logic_error("a row of a table is not full");
  return cells_.size() / columns_.size();
}

void Table::put(double number) {
  cells_.push_back(columns_[cells_.size() % columns_.size()].format.print(number));
}

std::string Table::csv_names() const {
  std::string csv;
  for (const TableColumn& column : columns_) {
    csv += (csv.empty() ? "" : ",") + csv_cell(column.name, column.is_named_from_outside);
  }
  return csv + "\n";
}

std::string Table::csv_rows() const {
  std::string csv;
  const std::size_t count = rows();
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      csv += (c > 0 ? "," : "") + csv_cell(cell(row, c), columns_[c].type == ColumnType::kName);
    }
    csv += '\n';
  }
  return csv;
}

std::string Table::aligned(std::size_t first_width, std::size_t other_width) const {
  const std::size_t count = rows();
  std::vector<std::string> lines(count + 1);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto& [name, type, format, unit, outside] = columns_[c];
    const std::string heading = unit.empty() ? name : name + "/" + unit;
    std::size_t width = std::max(c > 0 ? other_width : first_width, count_characters(heading));
    for (std::size_t r = 0; r < count; ++r) width = std::max(width, count_characters(cell(r, c)));
    for (std::size_t line = 0; line <= count; ++line) {
      lines[line] +=
          (c > 0 ? "  " : "") + padded_cell(line > 0 ? cell(line - 1, c) : heading, width, type);
    }
  }
  std::string whole;
  for (const std::string& line : lines) whole += line + '\n';
  return whole;
}

}  // namespace leafglyph
