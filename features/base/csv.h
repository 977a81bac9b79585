// Tables as text: RFC 4180.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The bytes as one field, quoted where it needs to be; bytes that are not UTF-8 by escape_bytes.
std::string csv_field(std::string_view bytes);

/// The same for tables that people open: a field that a spreadsheet would take for a formula gets a
/// leading apostrophe.
std::string csv_shown_field(std::string_view bytes);

/// Reads a CSV file record by record, quoted fields included.
class CsvReader {
 public:
  /// `file` stands for the stream in messages. Both must outlive the reader.
  CsvReader(std::istream& stream, const std::filesystem::path& file)
      : stream_(stream), file_(file) {}

  /// Number of the line on which the last record began, from 1.
  int line() const { return record_line_; }

  /// False at the end of the file. Skips empty lines and a byte order mark. Throws InputError for a
  /// quoted field without an end and, after read_names, for a record with another number of fields
  /// than names.
  bool next(std::vector<std::string>& fields);

  /// Reads the first record as the names of columns. Throws InputError for an empty file; `needed`
  /// describes the expected first line in the message.
  void read_names(std::string_view needed);
  const std::vector<std::string>& names() const { return names_; }
  /// The index of a column; none if no column has the name.
  std::optional<std::size_t> column(std::string_view name) const;

  /// Throws InputError "FILE, line N: reason", N the line of the last record.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  void split(std::string& text, std::vector<std::string>& fields);

  std::vector<std::string> names_;  // of the columns, when they were read

  std::istream& stream_;
  const std::filesystem::path& file_;
  int line_ = 0;
  int record_line_ = 0;
};

}  // namespace leafglyph
