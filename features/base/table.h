// Tables of text and numbers, printed for programs (CSV; JSON by the command) and for people.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

enum class ColumnType {
  kText,    ///< chosen by the program; stays text, even if it consists of digits
  kName,    ///< text from outside: in CSV with an apostrophe where a spreadsheet sees a formula
  kNumber,  ///< a cell is empty where there is no value, and inf or nan where it is not finite
};

/// How numbers with a fraction are printed; as it is: the shortest text that reads back the same.
struct NumberFormat {
  std::chars_format notation{};
  int digits = 0;

  std::string print(double value) const;
};
/// Digits behind the point, "%.6f".
constexpr NumberFormat decimals(int count) { return {std::chars_format::fixed, count}; }
/// Digits in all, without zeros at the end, "%.6g".
constexpr NumberFormat significant(int count) { return {std::chars_format::general, count}; }

struct TableColumn {
  std::string name;
  ColumnType type = ColumnType::kNumber;
  NumberFormat format = {};
  std::string unit = {};               ///< behind the name in text for people: "PSNR/dB"
  bool is_named_from_outside = false;  ///< the name is treated as cells of ColumnType::kName are
};

/// The columns of a line of names with blanks between them, each followed by its unit and by its
/// type or format, if it has them: "class:name family:text order PSNR/dB:.2f share:.6g". Columns
/// without either have whole numbers. Throws std::logic_error for another type.
std::vector<TableColumn> table_columns(std::string_view line);

/// Rows of cells, each as it is printed. Filled from left to right, row by row.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);
  explicit Table(std::string_view line) : Table(table_columns(line)) {}

  /// Adds cells, whole rows or parts of them. An optional without a value is an empty cell.
  template <class... Values>
  void add(const Values&... values) {
    (put(values), ...);
  }

  std::span<const TableColumn> columns() const { return columns_; }
  /// The number of rows. Throws std::logic_error if the last one is not full.
  std::size_t rows() const;
  const std::string& cell(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }

  /// RFC 4180: the names, then a line per row.
  std::string csv() const { return csv_names() + csv_rows(); }
  std::string csv_names() const;
  std::string csv_rows() const;

  /// Text for people, two blanks between columns, which are at least as wide as requested: text on
  /// the left, numbers on the right.
  std::string aligned(std::size_t first_width = 0, std::size_t other_width = 0) const;

 private:
  void put(std::string_view text) { cells_.emplace_back(text); }
  template <std::integral Number>
  void put(Number number) {
    cells_.push_back(std::to_string(number));
  }
  void put(double number);
  template <class Value>
  void put(const std::optional<Value>& value) {
    value ? put(*value) : put(std::string_view());
  }

  std::vector<TableColumn> columns_;
  std::vector<std::string> cells_;
};

}  // namespace leafglyph
