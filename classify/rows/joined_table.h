// Columns that other programs made, beside those of a leaf: a table with a row for each photograph.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

class Keys;

/// A table, and what to take of it.
struct JoinSpec {
  std::filesystem::path file;        ///< empty: not stated; each use of a model states its own
  std::vector<std::string> columns;  ///< their names; empty: all of the file

  bool is_used() const { return !file.empty() || !columns.empty(); }
  friend bool operator==(const JoinSpec&, const JoinSpec&) = default;
};

/// The keys of the mapping `features` that are about the table.
void declare(Keys& keys, JoinSpec& spec);
/// Sets the columns if they are not known yet, for which the table is read. Throws as JoinedTable.
void settle(JoinSpec& spec);

/// Throws UsageError if it is used: a row is of a photograph, not of each leaf on it.
void check_one_leaf_each(const JoinSpec& spec);

/// The rows of a table. A photograph's row is the one whose name is the longest end of the
/// photograph's path, in whole folders: "a/1.jpg" or "1.jpg" for "/photographs/a/1.jpg".
class JoinedTable {
 public:
  /// Reads a CSV file, whose first column, or the one called path, file, image or name, has the
  /// names and whose other columns are numbers; or an array FILE.npy of shape (rows, columns), with
  /// the names in FILE.txt, one on each line. Columns of an array are called column_0, column_1 and
  /// so on. Throws InputError for a file that is not like this, a name or a column that is there
  /// twice, what is not a finite number, and columns of the spec that are missing; UsageError if
  /// the spec names no file.
  explicit JoinedTable(const JoinSpec& spec);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Throws InputError if there is no such row.
  std::span<const float> row(std::string_view photograph) const;
  /// Throws InputError if a photograph has no row, or two have the same one.
  void check(std::span<const std::string> photographs) const;
  /// Throws InputError if two of the photographs have the same row.
  void check_distinct(std::span<const std::string> photographs) const;

 private:
  void read_csv(const std::vector<std::string>& wanted);
  void read_array(const std::vector<std::string>& wanted);
  void add_name(std::string name, std::size_t row, const std::string& where);
  /// The places of the wanted columns among those of the file, which become columns_.
  std::vector<std::size_t> chosen(const std::vector<std::string>& all,
                                  const std::vector<std::string>& wanted);
  const std::pair<const std::string, std::size_t>* find(std::string_view photograph) const;

  std::filesystem::path file_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t, std::less<>> rows_;  // by name
  std::vector<float> values_;  // column c of row i at [i * columns_.size() + c]
};

}  // namespace leafglyph
