// Tables as text: RFC 4180.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <sstream>
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

  /// False at the end of the file. Skips empty lines. Throws InputError for a
  /// quoted field without an end and, after read_names, for a record with another number of fields
  /// than names; empty ones at its end do not count.
  bool next(std::vector<std::string>& fields);

  /// What divides fields, a constant; a comma, if it is not set.
  void set_divider(std::string_view divider) { divider_ = divider; }
  /// Reads the first record as the names of columns, without empty ones at its end. Throws
  /// InputError for an empty file; `needed` describes the expected first line in the message.
  void read_names(std::string_view needed);
  const std::vector<std::string>& names() const { return names_; }
  /// The index of a column, in whatever case its name is; none if no column has the name.
  std::optional<std::size_t> column(std::string_view name) const;

  /// Throws InputError "FILE, line N: reason", N the line of the last record.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  void split(std::string& text, std::vector<std::string>& fields);

  std::string_view divider_ = ",";
  std::vector<std::string> names_;  // of the columns, when they were read

  std::istream& stream_;
  const std::filesystem::path& file_;
  int line_ = 0;
  int record_line_ = 0;
};

/// A table that people or other programs wrote, in any encoding of foreign_text. Fields are divided
/// by commas, semicolons, tabs or Chinese commas, whichever the first line has most of.
class ForeignTable {
 public:
  /// Reads the names of the columns. `file` stands for the bytes in messages. Throws InputError
  /// where it cannot; `needed` describes the expected first line.
  ForeignTable(std::string bytes, std::filesystem::path file, std::string_view needed);
  ForeignTable(const ForeignTable&) = delete;
  ForeignTable& operator=(const ForeignTable&) = delete;

  CsvReader& reader() { return reader_; }
  /// ForeignText::note.
  const std::string& note() const { return note_; }

 private:
  std::filesystem::path file_;
  std::string note_;
  std::istringstream stream_;
  CsvReader reader_;
};

/// The path of a table's field, relative to `folder`. Backslashes divide folders, as on Windows, if
/// there is no such file with them.
std::filesystem::path path_of_field(const std::filesystem::path& folder, std::string field);

}  // namespace leafglyph
