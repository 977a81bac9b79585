// Tables as text: RFC 4180.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The bytes as one field, quoted where it needs to be; bytes that are not UTF-8 by escape_bytes.
std::string csv_field(std::string_view bytes);

/// The same for tables that people open: what a spreadsheet would take for a formula begins with an
/// apostrophe.
std::string csv_shown_field(std::string_view bytes);

/// Reads one CSV record after another, quoted fields included.
class CsvReader {
 public:
  /// `file` stands for the stream in messages. Both must outlive the reader.
  CsvReader(std::istream& stream, const std::filesystem::path& file)
      : stream_(stream), file_(file) {}

  /// Number of the line on which the last record began, from 1.
  int line() const { return record_line_; }

  /// False at the end of the file. Empty lines are left out, as is a byte order mark. Throws
  /// InputError for a quoted field without an end.
  bool next(std::vector<std::string>& fields);

  /// Throws InputError "FILE, line N: reason", N the line of the last record.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  void split(std::string& text, std::vector<std::string>& fields);

  std::istream& stream_;
  const std::filesystem::path& file_;
  int line_ = 0;
  int record_line_ = 0;
};

}  // namespace leafglyph
